"""APIMart, a relay with Midjourney and Suno beside images and videos (docs/providers/apimart.md)."""

from tollgate.providers.runtime.declaration import About, Provider

PROVIDER = Provider(
    name="apimart",
    about=About("APIMart", "https://docs.apimart.ai"),
    base_url="https://api.apimart.ai",
    idempotency_header="idempotency-key",
)
