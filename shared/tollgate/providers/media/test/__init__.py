"""A provider inside Tollgate, for customers' own tests: it calls no one and costs nothing.

It needs no credentials, so its models are always available, on AWS and on one machine.
"""

from tollgate.providers.runtime.declaration import About, Provider
from tollgate.routing.facts import DataPolicy, Fact, Kept

NAME = "test"
PROVIDER = Provider(
    name=NAME,
    about=About("This service itself", "site/test-models.md"),
    env=None,
    # It runs inside this service, and stores nothing.
    data=DataPolicy(
        kept=Fact(Kept(0), "/docs/test-models", "2026-11-26"),
        trains=Fact(False, "/docs/test-models", "2026-11-26"),
    ),
)
