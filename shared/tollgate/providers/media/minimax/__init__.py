"""MiniMax's videos, in both versions of its API: H3 has the second, Hailuo the first (providers.md §8).

No model of the shipped catalog is a Hailuo. One can be pushed while the service runs.
"""
