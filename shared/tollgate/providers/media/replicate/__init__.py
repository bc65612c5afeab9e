"""Replicate, a platform of models under one API (docs/providers/replicate.md)."""

from tollgate.providers.runtime.declaration import Provider

PROVIDER = Provider(
    name="replicate",
    title="Replicate",
    docs="https://replicate.com/docs/reference/http",
    env="REPLICATE_API_TOKEN",
    simulator="/v1",
    base_url="https://api.replicate.com/v1",
)
