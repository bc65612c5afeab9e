"""Replicate, a platform for models with one API (docs/providers/replicate.md)."""

from tollgate.providers.runtime.declaration import About, Provider
from tollgate.routing.facts import DataPolicy, Fact, Kept

PROVIDER = Provider(
    name="replicate",
    about=About("Replicate", "https://replicate.com/docs/reference/http"),
    env="REPLICATE_API_TOKEN",
    base_url="https://api.replicate.com/v1",
    data=DataPolicy(
        kept=Fact(Kept(1), "https://replicate.com/docs/topics/predictions/data-retention", "2026-11-26")
    ),
)
