"""MuAPI, a reseller of many models (docs/providers/muapi.md)."""

from tollgate.providers.runtime.declaration import Auth, Provider

PROVIDER = Provider(
    name="muapi",
    title="MuAPI",
    docs="https://muapi.ai/docs",
    env="MUAPI_API_KEY",
    simulator="/api/v1",
    base_url="https://api.muapi.ai/api/v1",
    auth=Auth("x-api-key", scheme=""),
)
