"""ModelArk's HTTP API: credentials and base URL."""

from tollgate.providers.media.ark.facts import BASE_URL
from tollgate.providers.runtime.http import MAX_ANSWER_TIMEOUT_S, ProviderHttp


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Return the API with `key`; images are made while it answers, so its answers may take long."""
    return ProviderHttp(
        base_url, key, {"authorization": f"Bearer {key}"}, answer_timeout_s=MAX_ANSWER_TIMEOUT_S
    )
