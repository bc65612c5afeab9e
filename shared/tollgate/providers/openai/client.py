"""OpenAI's HTTP API: credentials, base URL, and the time and size that a picture in the answer takes."""

from tollgate.providers.http import MAX_ANSWER_TIMEOUT_S, MAX_INLINE_ANSWER_BYTES, ProviderHttp
from tollgate.providers.openai.facts import BASE_URL


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Give the API with `key`; its base URL is the same as for text."""
    headers = {"authorization": f"Bearer {key}"}
    return ProviderHttp(base_url, key, headers, MAX_ANSWER_TIMEOUT_S, MAX_INLINE_ANSWER_BYTES)
