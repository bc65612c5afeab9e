"""Result files: small, real and created on demand. The same request returns the same bytes."""

from functools import lru_cache
from typing import Protocol

MAX_CACHED_FILES = 64
"""Rendered files in memory, each well below 1 MB."""


class Artifact(Protocol):
    """The properties of a result file. Equal artifacts produce equal files."""

    @property
    def kind(self) -> str:
        """Return `image`, `video`, `audio` or `3d`."""

    @property
    def suffix(self) -> str:
        """Return the file name's suffix, without the dot."""

    @property
    def content_type(self) -> str:
        """Return the media type."""

    @property
    def seed(self) -> int:
        """Return the number that determines colours and tunes."""

    def __hash__(self) -> int:
        """Return equal hashes for equal artifacts."""

    def render(self) -> bytes:
        """Return the file's bytes."""


@lru_cache(maxsize=MAX_CACHED_FILES)
def rendered(artifact: Artifact) -> bytes:
    """Return the file's bytes, rendered once per artifact."""
    return artifact.render()
