"""PiAPI, a relay with one task API for all its models (docs/providers/piapi.md)."""

from tollgate.providers.runtime.declaration import Auth, Provider

PROVIDER = Provider(
    name="piapi",
    title="PiAPI",
    docs="https://piapi.ai/docs",
    env="PIAPI_API_KEY",
    base_url="https://api.piapi.ai",
    auth=Auth("x-api-key", scheme=""),
)
