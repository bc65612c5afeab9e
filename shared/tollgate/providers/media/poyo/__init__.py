"""PoYo, a relay with one envelope for all its models (docs/providers/poyo.md)."""

from tollgate.providers.runtime.declaration import Provider

PROVIDER = Provider(
    name="poyo",
    title="PoYo",
    docs="https://docs.poyo.ai",
    env="POYO_API_KEY",
    base_url="https://api.poyo.ai",
    idempotency_header="idempotency-key",
)
