"""PiAPI, a relay with one task API for all its models (docs/providers/piapi.md)."""

from tollgate.providers.runtime.declaration import About, Auth, Provider

PROVIDER = Provider(
    name="piapi",
    about=About("PiAPI", "https://piapi.ai/docs"),
    base_url="https://api.piapi.ai",
    auth=Auth("x-api-key", scheme=""),
)
