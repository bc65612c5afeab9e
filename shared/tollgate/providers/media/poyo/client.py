"""PoYo's HTTP API: credentials and base URL."""

from tollgate.providers.media.poyo.facts import BASE_URL
from tollgate.providers.runtime.http import ProviderHttp


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Return the API with `key`."""
    return ProviderHttp(base_url, key, {"authorization": f"Bearer {key}"})
