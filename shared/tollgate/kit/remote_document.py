"""A document that is kept elsewhere and read repeatedly, and the results of a read. Pure."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum

# More is refused unread; the catalog has a quarter of a megabyte.
MAX_DOCUMENT_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """The document as it is now; `etag`, quotes included, names exactly these bytes."""

    etag: str
    body: bytes


class Nothing(Enum):
    """The result of a read that found no new document."""

    MISSING = "missing"  # There is none.
    UNCHANGED = "unchanged"  # It is the one whose ETag was given.


Fetched = Found | Nothing
# Reads the document unless its ETag is the given one. Raises whatever went wrong.
Read = Callable[[str | None], Fetched]


class DocumentTooLargeError(Exception):
    """The document is larger than `MAX_DOCUMENT_BYTES`."""

    def __init__(self) -> None:
        super().__init__(f"The document is larger than {MAX_DOCUMENT_BYTES} bytes.")


class DocumentConflictError(Exception):
    """The document to replace or remove has changed. Nothing was written."""


def within(seconds: float, read: Read) -> Read:
    """Return `read` with a bound on all of it, names and slow bytes too. The result raises `TimeoutError`.

    A read that was given up on ends by its own timeouts; until then the next one waits behind it.
    """
    pool = ThreadPoolExecutor(1, "document")
    return lambda etag: pool.submit(read, etag).result(seconds)
