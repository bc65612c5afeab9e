"""APIMart, a relay with Midjourney and Suno beside images and videos (docs/providers/apimart.md)."""

from tollgate.providers.runtime.declaration import Provider

PROVIDER = Provider(
    name="apimart",
    title="APIMart",
    docs="https://docs.apimart.ai",
    env="APIMART_API_KEY",
    base_url="https://api.apimart.ai",
    idempotency_header="idempotency-key",
)
