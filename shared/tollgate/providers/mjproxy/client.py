"""A midjourney-proxy's HTTP API: credentials and base URL."""

from tollgate.providers.http import ProviderHttp
from tollgate.providers.mjproxy.facts import KEY_HEADER


def client(key: str, base_url: str) -> ProviderHttp:
    """Give the API at `base_url` with `key`."""
    return ProviderHttp(base_url, key, {KEY_HEADER: key})
