"""PoYo, a relay with one envelope for all its models (docs/providers/poyo.md)."""

from tollgate.providers.runtime.declaration import About, Provider

PROVIDER = Provider(
    name="poyo",
    about=About("PoYo", "https://docs.poyo.ai"),
    base_url="https://api.poyo.ai",
    idempotency_header="idempotency-key",
)
