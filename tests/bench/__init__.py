"""Measurements: never part of `make test`, always beside a baseline in the same run."""
