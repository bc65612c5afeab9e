"""MiniMax's videos: the second version of its API, which H3 has (providers.md §8)."""
