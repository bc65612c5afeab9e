"""fal's HTTP API: credentials and base URL."""

from tollgate.providers.media.fal.facts import BASE_URL
from tollgate.providers.runtime.http import ProviderHttp


def client(key: str, base_url: str = BASE_URL) -> ProviderHttp:
    """Return the API with `key` (the scheme is `Key`, not `Bearer`).

    `x-fal-no-retry` switches off fal's own requeues: failing over is our part, and sooner.
    """
    return ProviderHttp(base_url, key, {"authorization": f"Key {key}", "x-fal-no-retry": "1"})
