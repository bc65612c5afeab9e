"""Black Forest Labs, the vendor of FLUX (docs/providers/bfl.md)."""

from tollgate.providers.runtime.declaration import About, Auth, Provider

PROVIDER = Provider(
    name="bfl",
    about=About("Black Forest Labs", "https://docs.bfl.ai"),
    base_url="https://api.bfl.ai",
    auth=Auth("x-key", scheme=""),
)
