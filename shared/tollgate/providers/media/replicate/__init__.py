"""Replicate, a platform for models with one API (docs/providers/replicate.md)."""

from tollgate.providers.runtime.declaration import About, Provider

PROVIDER = Provider(
    name="replicate",
    about=About("Replicate", "https://replicate.com/docs/reference/http"),
    env="REPLICATE_API_TOKEN",
    base_url="https://api.replicate.com/v1",
)
