"""fal.ai's queue API (docs/providers/fal.md)."""

from tollgate.providers.runtime.declaration import About, Auth, Provider
from tollgate.routing.facts import DataPolicy, Fact, Kept

PROVIDER = Provider(
    name="fal",
    about=About("fal", "https://docs.fal.ai"),
    env="FAL_KEY",
    base_url="https://queue.fal.run",
    auth=Auth(scheme="Key"),
    # Switches off fal's own retries, because Tollgate's failover is faster.
    headers={"x-fal-no-retry": "1"},
    # Inputs and outputs are stored by default, for a time that this page does not state.
    data=DataPolicy(
        kept=Fact(Kept(None), "https://fal.ai/docs/documentation/model-apis/inference/payloads", "2026-11-26")
    ),
)
