"""A provider inside Tollgate, for customers' own tests: it calls no one and costs nothing.

It needs no credentials, so its models are always available, on AWS and on one machine.
"""

from tollgate.providers.runtime.declaration import About, Provider

NAME = "test"
PROVIDER = Provider(
    name=NAME,
    about=About("This service itself", "site/test-models.md"),
    env=None,
)
