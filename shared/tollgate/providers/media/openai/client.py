"""OpenAI's HTTP API: credentials, base URL, and the time and size that a picture in the answer takes."""

from tollgate.providers.media.openai.facts import BASE_URL
from tollgate.providers.runtime.http import MAX_ANSWER_TIMEOUT_S, MAX_INLINE_ANSWER_BYTES, ProviderHttp


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Return the API with `key`; its base URL is the same as for text."""
    headers = {"authorization": f"Bearer {key}"}
    return ProviderHttp(base_url, key, headers, MAX_ANSWER_TIMEOUT_S, MAX_INLINE_ANSWER_BYTES)
