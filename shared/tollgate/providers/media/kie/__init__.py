"""kie.ai, a relay with one envelope for all its models (docs/providers/kie.md)."""

from tollgate.providers.runtime.declaration import About, Provider

PROVIDER = Provider(
    name="kie",
    about=About("kie.ai", "https://docs.kie.ai"),
    base_url="https://api.kie.ai",
)
