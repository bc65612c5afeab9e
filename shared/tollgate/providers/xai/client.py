"""xAI's HTTP API: credentials, base URL, and the time that a picture takes, which is in the answer."""

from tollgate.providers.http import MAX_ANSWER_TIMEOUT_S, ProviderHttp
from tollgate.providers.xai.facts import BASE_URL


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Give the API with `key`; its base URL is the same as for text."""
    return ProviderHttp(base_url, key, {"authorization": f"Bearer {key}"}, MAX_ANSWER_TIMEOUT_S)
