"""PixVerse's platform: its own videos (docs/providers/pixverse.md)."""

from tollgate.providers.runtime.declaration import Auth, Provider

PROVIDER = Provider(
    name="pixverse",
    title="PixVerse",
    docs="https://docs.platform.pixverse.ai",
    env="PIXVERSE_API_KEY",
    simulator="/openapi/v2",
    base_url="https://app-api.pixverse.ai/openapi/v2",
    auth=Auth("api-key", scheme=""),
    answer_timeout_s=40.0,
)
