"""A job for the test provider: the file to return, and the prompt with its directions."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import DEFAULT, Mapper
from tollgate.providers.runtime.base import Job, Mapped


def _said(job: Job) -> Mapped:
    return Mapped(job.upstream[DEFAULT], {"prompt": job.values.get("prompt", "")})


# The one mapping: all its media models differ only in their file.
MAPPINGS: Mapping[str, Mapper] = {"test": _said}
