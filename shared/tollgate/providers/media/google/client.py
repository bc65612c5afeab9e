"""Google's Gemini API: credentials, base URL, and the time and size that a picture in the answer takes."""

from tollgate.providers.media.google.facts import API_REVISION, BASE_URL, TEXT_SUFFIX
from tollgate.providers.runtime.http import MAX_ANSWER_TIMEOUT_S, MAX_INLINE_ANSWER_BYTES, ProviderHttp


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Return the API with `key`.

    A base URL beside the key is the one for text, which speaks OpenAI's protocol under `/openai`; media are
    one level above it.
    """
    headers = {"x-goog-api-key": key, "api-revision": API_REVISION}
    media_url = base_url.removesuffix(TEXT_SUFFIX)
    return ProviderHttp(media_url, key, headers, MAX_ANSWER_TIMEOUT_S, MAX_INLINE_ANSWER_BYTES)
