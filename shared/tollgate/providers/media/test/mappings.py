"""How a job is said to the test provider: which file it gives, and the prompt with its directions."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import DEFAULT, Mapper
from tollgate.providers.runtime.base import Job, Mapped


def _said(job: Job) -> Mapped:
    return Mapped(job.upstream[DEFAULT], {"prompt": job.values.get("prompt", "")})


# The one mapping: all its media models differ in their file only.
MAPPINGS: Mapping[str, Mapper] = {"test": _said}
