"""MuAPI, a reseller of many models (docs/providers/muapi.md)."""

from tollgate.providers.runtime.declaration import About, Auth, Provider

PROVIDER = Provider(
    name="muapi",
    about=About("MuAPI", "https://muapi.ai/docs"),
    base_url="https://api.muapi.ai/api/v1",
    auth=Auth("x-api-key", scheme=""),
)
