"""The version of what runs: that of `pyproject.toml`, which no function has; a test holds them equal."""

VERSION = "0.1.0"
API_VERSION = "1.0"
"""Of the API (docs/contract.md#versioning)."""
