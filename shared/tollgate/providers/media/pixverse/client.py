"""PixVerse's HTTP API: credentials and base URL."""

from tollgate.providers.media.pixverse.facts import ANSWER_TIMEOUT_S, BASE_URL
from tollgate.providers.runtime.http import ProviderHttp


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Return the API with `key`, which has a header of its own."""
    return ProviderHttp(base_url, key, {"api-key": key}, answer_timeout_s=ANSWER_TIMEOUT_S)
