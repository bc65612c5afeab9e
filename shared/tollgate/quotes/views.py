"""Quotes as they are stored, and as the API shows them. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NotRequired

from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, iso
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.money import cents_up
from tollgate.kit.response_shapes import Cents, Shape, Timestamp
from tollgate.ledger.reservations import Reservation
from tollgate.quotes.parts import Part, total_of, version_of

# How long the tasks of a quote may be created.
OPEN_MS = MS_PER_DAY
# How long a quote can be read after that.
KEPT_MS = 40 * MS_PER_DAY


class QuoteStatus(StrEnum):
    """The state of a quote."""

    OPEN = "open"  # Nothing is charged. Its requests can be created.
    CREATED = "created"  # Its tasks were created, and the money of its text requests was reserved.
    CANCELLED = "cancelled"  # Ended by a request.
    EXPIRED = "expired"  # It was not used in time.


class QuotePartView(Shape):
    """One request of a quote."""

    path: str
    model: str
    priceMicroUsd: int
    """The price of a generation, or the most that a text request can cost."""
    isExact: bool
    """True for generations. A text request is charged by its tokens, at most this amount."""
    taskId: NotRequired[str]
    """The task of a generation, once it is created."""


class QuoteView(Shape):
    """One price for several requests."""

    id: str
    status: QuoteStatus
    totalCents: Cents
    """The sum, rounded up."""
    totalMicroUsd: int
    priceVersion: str
    parts: list[QuotePartView]
    """In the order of the requests."""
    createdAt: Timestamp
    expiresAt: Timestamp
    """Its requests can be created until then."""
    reservedMicroUsd: NotRequired[int]
    """What is left of the money for its text requests."""
    reservationEndsAt: NotRequired[Timestamp]
    """Its text requests can begin until then. The rest is returned."""


@dataclass(frozen=True, slots=True)
class SavedQuote:
    """A quote as it is stored. Only the key with `key_id` may use it."""

    account_id: str
    quote_id: str
    key_id: str
    parts: tuple[Part, ...]
    made_at_ms: int
    status: QuoteStatus = QuoteStatus.OPEN
    reservation: Reservation | None = None

    @property
    def expires_at_ms(self) -> int:
        """Return until when it can be used."""
        return self.made_at_ms + OPEN_MS

    @property
    def reserved_micro_usd(self) -> int:
        """Return the most that its text requests can cost together."""
        return total_of([part for part in self.parts if part.is_text])

    def status_at(self, now_ms: int) -> QuoteStatus:
        """Return its status."""
        is_late = self.status is QuoteStatus.OPEN and now_ms >= self.expires_at_ms
        return QuoteStatus.EXPIRED if is_late else self.status

    def started(self, task_ids: Sequence[str], reservation: Reservation | None) -> "SavedQuote":
        """Return the quote after its creation, with the ids of its tasks in the order of its generations."""
        left = iter(task_ids)
        parts = tuple(part.started(None if part.is_text else next(left)) for part in self.parts)
        return replace(self, parts=parts, status=QuoteStatus.CREATED, reservation=reservation)

    def cancelled(self) -> "SavedQuote":
        """Return the quote after its cancellation, which needs the bodies no more."""
        parts = tuple(part.started(part.task_id) for part in self.parts)
        return replace(self, parts=parts, status=QuoteStatus.CANCELLED)

    def to_item(self) -> Item:
        """Return the quote as a row. A quote that was not used is dropped soon after it expires."""
        kept_ms = OPEN_MS if self.status is QuoteStatus.OPEN else KEPT_MS
        row: Item = {
            "account_id": self.account_id,
            "item": self.quote_id,
            "status": str(self.status),
            "key_id": self.key_id,
            "parts": json.dumps([part.to_item() for part in self.parts], separators=(",", ":")),
            "made_at_ms": self.made_at_ms,
            "expires_at_s": (self.expires_at_ms + kept_ms) // MS_PER_S,
        }
        return row if self.reservation is None else {**row, "reservation": self.reservation.to_item()}

    @classmethod
    def from_item(cls, row: Item) -> "SavedQuote":
        """Return the quote that a row holds."""
        reservation = row.get("reservation")
        return cls(
            row["account_id"],
            row["item"],
            row["key_id"],
            tuple(map(Part.from_item, json.loads(row["parts"]))),
            row["made_at_ms"],
            QuoteStatus(row["status"]),
            None if reservation is None else Reservation.from_item(row["item"], reservation),
        )

    def view(self, now_ms: int, left_micro_usd: int) -> QuoteView:
        """Return the `data` of the quote routes; `left_micro_usd` is left of its reserved money."""
        total = total_of(self.parts)
        shown: QuoteView = {
            "id": self.quote_id,
            "status": self.status_at(now_ms),
            "totalCents": cents_up(total),
            "totalMicroUsd": total,
            "priceVersion": version_of(self.parts),
            "parts": [_part_view(part) for part in self.parts],
            "createdAt": iso(self.made_at_ms),
            "expiresAt": iso(self.expires_at_ms),
        }
        if self.reservation is not None:
            shown["reservedMicroUsd"] = left_micro_usd
            shown["reservationEndsAt"] = iso(self.reservation.ends_at_ms)
        return shown


def _part_view(part: Part) -> QuotePartView:
    shown: QuotePartView = {
        "path": part.path,
        "model": part.model,
        "priceMicroUsd": part.micro_usd,
        "isExact": not part.is_text,
    }
    if part.task_id is not None:
        shown["taskId"] = part.task_id
    return shown
