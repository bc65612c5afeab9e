"""xAI's HTTP API: credentials, base URL, and the time that a picture takes, which is in the answer."""

from tollgate.providers.media.xai.facts import BASE_URL
from tollgate.providers.runtime.http import MAX_ANSWER_TIMEOUT_S, ProviderHttp


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Return the API with `key`; its base URL is the same as for text."""
    return ProviderHttp(base_url, key, {"authorization": f"Bearer {key}"}, MAX_ANSWER_TIMEOUT_S)
