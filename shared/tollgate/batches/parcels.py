"""Parcels: the lines of a batch that are at a vendor together. Pure.

Source: docs/decisions/0094-batches.md.

    new ──► reserved ──► stored ──► sent ──► collected: the rest of the money is returned
     └─────────┴───────────┴──────────┴────► dropped: the lines run the ordinary way

The row of the batch has its parcels, the lines that wait for one, and the numbers of those that were sent
and ended without an answer for each line.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.batches.models import Batch, State
from tollgate.batches.vendor_lines import Prepared, VendorLines, numbers_in, numbers_to_text
from tollgate.kit.dynamodb.rows import Item
from tollgate.ledger.reservations import Reservation

MINUTE_S, HOUR_S = 60, 3600
# Lines of one parcel, and their bytes at the vendor. OpenAI takes 50,000 lines and 200 MB.
MAX_LINES = 1_000
MAX_BYTES = 16 * 1024 * 1024
# Parcels of one batch at vendors at once, and all that it sends.
MAX_AT_ONCE = 2
MAX_PARCELS = 40
# Reservations of one account, of the holds that it may have at once.
MAX_RESERVATIONS = 20
# A parcel holds at most this share of the balance: a quarter.
BALANCE_SHARE = 4
# Since the creation of the batch: no new parcel; all are cancelled; all are given up. The batch has 24 hours.
LAST_PARCEL_S = 12 * HOUR_S
CANCEL_AFTER_S = 20 * HOUR_S
GIVE_UP_AFTER_S = 22 * HOUR_S
# Since a customer has cancelled the batch. OpenAI takes up to 10 minutes.
CANCEL_S = 30 * MINUTE_S
# Longer than any parcel exists, so a reservation needs no renewal.
RESERVED_MS = 26 * HOUR_S * 1000
# The lines of a parcel are kept for this time.
CONTENT_LIFETIME_S = 3 * 24 * HOUR_S
# The first wait for results, and the longest, which is SQS's.
FIRST_POLL_S = 15
MAX_POLL_S = 900
# The share of a parcel's age that the next wait has: an eighth.
AGE_SHARE = 8
# Before the next attempt of a step that failed.
RETRY_S = 60
# After a create that had the lines, which may be under way for longer.
LONG_RETRY_S = 300
# Attempts to store a parcel's lines at the vendor, and to create its batch.
MAX_UPLOADS = 3
MAX_CREATES = 3
# The vendor's batches are searched for a lost one among so many pages.
MAX_PAGES = 10
# Results of a batch come in so many pages. xAI has 1,000 in one.
MAX_RESULT_PAGES = 100
# The clocks of a vendor and ours.
CLOCK_S = 10 * MINUTE_S


class Stage(StrEnum):
    """How far a parcel is."""

    NEW = "new"  # Its lines are chosen. Its money may be reserved.
    RESERVED = "reserved"  # Its money is reserved. Its lines may be stored at the vendor.
    STORED = "stored"  # Its lines are stored at the vendor. Its batch may be created.
    SENT = "sent"  # Its batch is created.


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """A parcel as the row of its batch has it.

    `upstream` is the vendor's name of its model. `prices` are those of its model when it was made, and
    `factor` is that of the vendor's batch. `lines` is the number of its lines. `claim` is the worker that
    last reserved its money. `uploads` and `creates` count attempts before each call; `asked_at_s` is the time
    of the last create. Its money is not released before `release_from_s`.
    """

    number: int
    stage: Stage
    claim: int
    quote_id: str
    provider: str
    model: str
    endpoint: str
    key_id: str | None
    labels: Mapping[str, Any]
    amount_micro_usd: int
    prices: Mapping[str, Any]
    factor: str
    made_at_s: int
    upstream: str = ""
    lines: int = 0
    reservation: Mapping[str, Any] | None = None
    release_from_s: int = 0
    uploads: int = 0
    file_id: str | None = None
    creates: int = 0
    asked_at_s: int = 0
    vendor_id: str | None = None

    @property
    def reserved(self) -> Reservation | None:
        """Return its reserved money."""
        found = self.reservation
        return None if found is None else Reservation.from_item(self.quote_id, dict(found))

    @property
    def order(self) -> tuple[str, str, str]:
        """Return its vendor, and the vendor's names of its model and its endpoint."""
        return self.provider, self.upstream, self.endpoint

    def to_item(self) -> Item:
        """Return it as a map of plain values."""
        names = self.__dataclass_fields__
        return {name: getattr(self, name) for name in names if getattr(self, name) not in (None, "")} | {
            "stage": str(self.stage)
        }

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> "Parcel":
        """Return the parcel in a map. Fields of a later version are ignored."""
        known = {name: item[name] for name in cls.__dataclass_fields__ if name in item}
        return cls(**{"key_id": None, **known, "stage": Stage(item["stage"])})


def parcels_of(batch: Batch) -> list[Parcel]:
    """Return the parcels of a batch that have not ended."""
    return [Parcel.from_item(item) for item in batch.row.get("parcels", ())]


def with_parcel(batch: Batch, parcel: Parcel, **fields: Any) -> Item:
    """Return the row of a batch with a parcel that is new or changed, and with other fields."""
    others = [one for one in parcels_of(batch) if one.number != parcel.number]
    shown = sorted([*others, parcel], key=lambda one: one.number)
    return batch.changed(parcels=[one.to_item() for one in shown], **fields)


def without_parcel(batch: Batch, number: int, **fields: Any) -> Item:
    """Return the row of a batch after the end of a parcel, with other fields."""
    left = [one.to_item() for one in parcels_of(batch) if one.number != number]
    return batch.changed(parcels=left, **fields)


def waiting(batch: Batch) -> list[int]:
    """Return the lines that wait for a parcel."""
    return numbers_in(batch.row.get("waiting", ""))


def chosen(batch: Batch) -> list[int]:
    """Return all lines that a vendor could get."""
    return numbers_in(batch.row.get("chosen", ""))


def dropped(batch: Batch) -> list[int]:
    """Return the numbers of the parcels that were sent and ended without an answer for each line."""
    return [int(number) for number in batch.row.get("dropped", ())]


def new_fields(numbers: list[int]) -> dict[str, Any]:
    """Return the fields of a batch of which a vendor can get these lines."""
    text = numbers_to_text(numbers)
    return {"chosen": text, "waiting": text, "parcels": [], "parcels_made": 0} if numbers else {}


def filled(
    waiting: list[int], texts: list[bytes], lines: VendorLines, key: ApiKey, room_micro_usd: int
) -> tuple[dict[int, Prepared], set[int]]:
    """Return lines of one group that fit into a parcel, and the lines that a vendor can no longer get."""
    found: dict[int, Prepared] = {}
    gone: set[int] = set()
    group, amount, size = None, 0, 0
    for number in waiting:
        one = lines.prepared(texts[number], key)
        if one is None:
            gone.add(number)
            continue
        if group not in (None, one.group):
            continue
        if amount + one.plan.amount_micro_usd > room_micro_usd:
            continue
        if len(found) >= MAX_LINES or size + len(one.body) > MAX_BYTES:
            break
        group, amount, size = one.group, amount + one.plan.amount_micro_usd, size + len(one.body)
        found[number] = one
    return found, gone


def may_send(batch: Batch, now_s: int) -> bool:
    """Return whether a batch may have a new parcel now or later."""
    made = batch.row.get("parcels_made", 0)
    is_early = _age_s(batch, now_s) < LAST_PARCEL_S
    return batch.state is State.IN_PROGRESS and made < MAX_PARCELS and is_early


def must_cancel(batch: Batch, now_s: int) -> bool:
    """Return whether parcels of a batch are to be cancelled at the vendor."""
    return batch.state is not State.IN_PROGRESS or _age_s(batch, now_s) >= CANCEL_AFTER_S


def must_give_up(batch: Batch, now_s: int) -> bool:
    """Return whether parcels of a batch can no longer be waited for."""
    cancelled_at = batch.time(State.CANCELLING)
    has_waited = cancelled_at is not None and now_s - cancelled_at >= CANCEL_S
    return has_waited or _age_s(batch, now_s) >= GIVE_UP_AFTER_S


def _age_s(batch: Batch, now_s: int) -> int:
    return now_s - (batch.time(State.VALIDATING) or 0)


def poll_wait_s(parcel: Parcel, now_s: int) -> int:
    """Return the time until the next look at a parcel that was sent."""
    return max(FIRST_POLL_S, min(MAX_POLL_S, (now_s - parcel.made_at_s) // AGE_SHARE))


def label_of(batch: Batch, parcel: Parcel) -> str:
    """Return the label of a parcel at the vendor, by which its batch is found again."""
    return f"{batch.id}/{parcel.number}"


def prefix_of(batch: Batch, parcel: Parcel) -> str:
    """Return the beginning of the names of a parcel's lines, by which its batch is found without labels."""
    return f"{batch.id}-{parcel.number}"


def content_id(batch: Batch, number: int) -> str:
    """Return the sort key of the lines of a parcel."""
    return f"parcel_{batch.id}_{number}"


def attempt_of(number: int) -> int:
    """Return the number of the attempt whose id the charges of a parcel have.

    They belong to no claim, so they have claim 0. Attempt 0 is that of lines that are not run.
    """
    return number + 1
