"""A vendor's batch API: the calls, and the readers of their answers. No I/O.

upload ─► create ─► read … read: it has ended ─► content of each file ─► answers
          └─ the answer was lost ─► listed: found by its label, or created again

Some vendors store no lines: their create has them. Some have no labels: the names of lines show whose batch
it is, after its end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from tollgate.text.upstream.exchange import HttpCall


class UnreadableBatchError(ValueError):
    """The vendor's answer has another form than in its documents."""


@dataclass(frozen=True, slots=True)
class VendorBatch:
    """A batch at a vendor. `label` is ours, and `files` are the ids of its files of results so far.

    `has_ended`: it was completed, or failed, expired or was cancelled, so its files are final. `created_s` is
    in epoch seconds. `lines` is the number of its lines, if the vendor tells it; otherwise 0.
    """

    id: str
    created_s: int
    label: str | None = None
    has_ended: bool = False
    files: tuple[str, ...] = ()
    status: str = ""
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Order:
    """A batch to create, with our label. `model` is the vendor's name of the model of all lines.

    It has the id of the stored lines or, if the vendor stores none, the lines.
    """

    label: str
    endpoint: str
    model: str
    file_id: str = ""
    lines: Sequence[bytes] = ()


class BatchApi(Protocol):
    """The batch API of a vendor. Readers raise `UnreadableBatchError`."""

    @property
    def stores_lines(self) -> bool:
        """Return whether lines are stored before a batch of them is created."""

    @property
    def has_labels(self) -> bool:
        """Return whether batches are listed with our labels."""

    def endpoint(self, call: HttpCall) -> str | None:
        """Return the batch API's name of the endpoint of a call; `None` if it has no such endpoint."""

    def line(self, name: str, endpoint: str, body: bytes) -> bytes:
        """Return a line of an input: a request with its name, without the line break."""

    def upload(self, name: str, lines: Sequence[bytes]) -> HttpCall:
        """Return the call that stores the lines of an input. The vendor deletes them after some days."""

    def file_id(self, body: bytes) -> str:
        """Return the id of the stored input."""

    def create(self, order: Order) -> HttpCall:
        """Return the call that creates a batch."""

    def page(self, after: str | None) -> HttpCall:
        """Return the call that reads a page of the list of batches: the page `after`, or the first one."""

    def listed(self, body: bytes, after: str | None) -> tuple[list[VendorBatch], str | None]:
        """Return the batches of the page `after`, and the name of the next page, if there is one."""

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

    def next_file(self, file_id: str, content: bytes) -> str | None:
        """Return the id of the file that continues a file of results, if one does."""

    def name_in(self, line: bytes) -> str:
        """Return the name in a line of a file of results, whatever its result is."""
