"""The release number. A test compares it with `pyproject.toml`, which no function has, and the packages."""

VERSION = "0.1.0"
API_VERSION = "1.0"
"""The version of the API in its OpenAPI document, fixed by the contract (site/conventions.md#versions)."""
