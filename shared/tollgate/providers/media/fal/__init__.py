"""fal.ai's queue API (docs/providers/fal.md)."""

from tollgate.providers.runtime.declaration import About, Auth, Provider

PROVIDER = Provider(
    name="fal",
    about=About("fal", "https://docs.fal.ai"),
    env="FAL_KEY",
    base_url="https://queue.fal.run",
    auth=Auth(scheme="Key"),
    # Switches off fal's own retries, because Tollgate's failover is faster.
    headers={"x-fal-no-retry": "1"},
)
