"""MiniMax's HTTP API: credentials and base URL."""

from tollgate.providers.media.minimax.facts import BASE_URL, TEXT_PATH
from tollgate.providers.runtime.http import ProviderHttp


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Return the API with `key`. The secret's base URL is that of text: videos are beside its `/v1`."""
    return ProviderHttp(base_url.removesuffix(TEXT_PATH), key, {"authorization": f"Bearer {key}"})
