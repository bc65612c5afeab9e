"""MuAPI's HTTP API: credentials and base URL."""

from tollgate.providers.http import ProviderHttp
from tollgate.providers.muapi.facts import BASE_URL


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Give the API with `key`."""
    return ProviderHttp(base_url, key, {"x-api-key": key})
