"""kie.ai, a relay with one envelope for all its models (docs/providers/kie.md)."""

from tollgate.providers.runtime.declaration import Provider

PROVIDER = Provider(
    name="kie",
    title="kie.ai",
    docs="https://docs.kie.ai",
    env="KIE_API_KEY",
    base_url="https://api.kie.ai",
)
