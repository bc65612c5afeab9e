"""A midjourney-proxy's HTTP API: credentials and base URL."""

from tollgate.providers.media.mjproxy.facts import KEY_HEADER
from tollgate.providers.runtime.http import ProviderHttp


def client(key: str, base_url: str) -> ProviderHttp:
    """Return the API at `base_url` with `key`."""
    return ProviderHttp(base_url, key, {KEY_HEADER: key})
