"""PixVerse's platform: its own videos (docs/providers/pixverse.md)."""

from tollgate.providers.runtime.declaration import About, Auth, Provider

PROVIDER = Provider(
    name="pixverse",
    about=About("PixVerse", "https://docs.platform.pixverse.ai"),
    base_url="https://app-api.pixverse.ai/openapi/v2",
    auth=Auth("api-key", scheme=""),
    answer_timeout_s=40.0,
)
