"""Kling's own API, in two generations on one host (providers.md §7).

The catalog has no route to it: its prices were not read. One can be pushed while the service runs.
"""
