"""A vendor's batch API: the calls, and the readers of their answers. No I/O.

upload ─► create ─► read … read: it has ended ─► content of each file ─► answers
          └─ the answer was lost ─► listed: found by its label, or created again
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from tollgate.text.upstream import HttpCall


class UnreadableBatchError(ValueError):
    """The vendor's answer is not what its documents say."""


@dataclass(frozen=True, slots=True)
class VendorBatch:
    """A batch at a vendor. `label` is ours, and `files` are the ids of its files of results so far.

    `has_ended`: it was completed, or failed, expired or was cancelled, so its files are final. `created_s` is
    in epoch seconds.
    """

    id: str
    created_s: int
    label: str | None = None
    has_ended: bool = False
    files: tuple[str, ...] = ()
    status: str = ""


class BatchApi(Protocol):
    """The batch API of a vendor. Readers raise `UnreadableBatchError`."""

    def endpoint(self, call: HttpCall) -> str | None:
        """Return the batch API's name of the endpoint of a call; `None` if it has no such endpoint."""

    def line(self, name: str, endpoint: str, body: bytes) -> bytes:
        """Return a line of an input: a request with its name, without the line break."""

    def upload(self, name: str, lines: bytes) -> HttpCall:
        """Return the call that stores the lines of an input. The vendor deletes them after some days."""

    def file_id(self, body: bytes) -> str:
        """Return the id of the stored input."""

    def create(self, file_id: str, endpoint: str, label: str) -> HttpCall:
        """Return the call that creates a batch with our label."""

    def page(self, after: str | None) -> HttpCall:
        """Return the call that lists the batches, the newest first, older than the id `after`."""

    def listed(self, body: bytes) -> tuple[list[VendorBatch], bool]:
        """Return the batches of a page, and whether there are more."""

    def get(self, batch_id: str) -> HttpCall:
        """Return the call that reads a batch."""

    def cancel(self, batch_id: str) -> HttpCall:
        """Return the call that cancels a batch; a repeat is harmless."""

    def read(self, body: bytes) -> VendorBatch:
        """Return the batch in an answer."""

    def content(self, file_id: str) -> HttpCall:
        """Return the call that reads a file of results."""

    def answers(self, content: bytes) -> Iterator[tuple[str, bytes]]:
        """Return the name and the body of each line with an answer, in any order; all others are left out."""
