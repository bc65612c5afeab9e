"""DashScope's HTTP API: credentials and base URL."""

from tollgate.providers.media.dashscope.facts import BASE_URL, TEXT_PATHS
from tollgate.providers.runtime.http import MAX_ANSWER_TIMEOUT_S, ProviderHttp


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Return the API with `key`. The secret's base URL is that of text: media are beside its path.

    Some images are made while it answers, so its answers may take long.
    """
    for path in TEXT_PATHS:
        base_url = base_url.removesuffix(path)
    headers = {"authorization": f"Bearer {key}"}
    return ProviderHttp(base_url, key, headers, answer_timeout_s=MAX_ANSWER_TIMEOUT_S)
