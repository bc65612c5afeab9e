"""MiniMax's HTTP API: credentials and base URL."""

from tollgate.providers.http import ProviderHttp
from tollgate.providers.minimax.facts import BASE_URL, TEXT_PATH


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Give the API with `key`. The secret's base URL is that of text: videos are beside its `/v1`."""
    return ProviderHttp(base_url.removesuffix(TEXT_PATH), key, {"authorization": f"Bearer {key}"})
