"""Black Forest Labs, the vendor of FLUX (docs/providers/bfl.md)."""

from tollgate.providers.runtime.declaration import Auth, Provider

PROVIDER = Provider(
    name="bfl",
    title="Black Forest Labs",
    docs="https://docs.bfl.ai",
    env="BFL_API_KEY",
    base_url="https://api.bfl.ai",
    auth=Auth("x-key", scheme=""),
)
