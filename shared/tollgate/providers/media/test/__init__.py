"""A provider inside this service, for customers' own tests: it calls nobody and costs nothing.

It needs no credentials, so its models are always there, on AWS and on one machine.
"""

from tollgate.providers.runtime.declaration import Provider

NAME = "test"
PROVIDER = Provider(
    name=NAME,
    title="This service itself",
    docs="docs/test-models.md",
    env=None,
)
