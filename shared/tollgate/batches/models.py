"""A batch, its states and its bounds. Pure.

    validating ──► in_progress ──► finalizing ──► completed | expired | cancelled
        ├──► failed: the input is wrong      ▲
        └──────────► cancelling ─────────────┘

A worker takes a batch by a claim, which ends by itself. A claim that was not released belonged to a worker
that died. The requests of such a claim may have been charged although their results were not stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from ulid import ULID

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.rows import Item
from tollgate.ledger.callers import Caller

# The time in which a batch runs. It is the only one that both vendors offer.
WINDOW = "24h"
WINDOW_S = 24 * 3600
# OpenAI's own bound is 50,000, Anthropic's is 100,000.
MAX_LINES = 10_000
# The worker has the whole input and, at its end, all results in its memory.
MAX_INPUT_BYTES = 32 * 1024 * 1024
MAX_OUTPUT_BYTES = 32 * 1024 * 1024
MAX_LINE_BYTES = 2 * 1024 * 1024
# Unfinished batches of one account.
MAX_UNFINISHED = 50
# Lines of one batch that run at once.
MAX_AT_ONCE = 8
# Lines above the first one without a result that may have one.
MAX_AHEAD = 64
# Longer than the function can live (15 minutes), so its worker has stopped.
CLAIM_S = 16 * 60
# Batches and Anthropic's results are kept for this time, like stored responses.
LIFETIME_S = 30 * 24 * 3600
# A result is needed until the files are written.
RESULT_LIFETIME_S = 3 * 24 * 3600

_TIME_BITS = 80
# Of the bucket.
_FOLDER = "responses/"


class ChangedError(Exception):
    """Another process changed the batch since it was read."""


class Kind(StrEnum):
    """The protocol of a batch."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"

    @property
    def prefix(self) -> str:
        """Return the prefix of its ids."""
        return "batch" if self is Kind.OPENAI else "msgbatch"


class State(StrEnum):
    """The state of a batch, in OpenAI's words."""

    VALIDATING = "validating"  # No worker has taken it yet.
    FAILED = "failed"  # The input cannot be read, so nothing was run.
    IN_PROGRESS = "in_progress"  # Its lines run.
    FINALIZING = "finalizing"  # Its files are written.
    COMPLETED = "completed"  # Each line has a result or an error.
    EXPIRED = "expired"  # The time was over before each line had run.
    CANCELLING = "cancelling"  # Its owner asked to cancel it.
    CANCELLED = "cancelled"  # It was cancelled before each line had run.


CANCELLABLE = (State.VALIDATING, State.IN_PROGRESS)
ENDED = frozenset({State.FAILED, State.COMPLETED, State.EXPIRED, State.CANCELLED})


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as its row has it."""

    row: Item

    @property
    def id(self) -> str:
        """Return its id."""
        return str(self.row["batch_id"])

    @property
    def account_id(self) -> str:
        """Return its account."""
        return str(self.row["account_id"])

    @property
    def kind(self) -> Kind:
        """Return its protocol."""
        return Kind(self.row["kind"])

    @property
    def creator(self) -> Caller:
        """Return who created it."""
        return Caller.from_item(self.row)

    @property
    def state(self) -> State:
        """Return its state."""
        return State(self.row["state"])

    @property
    def is_ended(self) -> bool:
        """Return whether it has ended."""
        return self.state in ENDED

    @property
    def is_at_vendor(self) -> bool:
        """Return whether lines are at a vendor, or wait for a parcel (`parcels.py`)."""
        return bool(self.row.get("parcels") or self.row.get("waiting"))

    @property
    def succeeded(self) -> int:
        """Return the number of lines with a response.

        While lines are at a vendor, results are counted apart, and once more at the end.
        """
        return int(max(self.row["succeeded"], self.row.get("early_succeeded", 0)))

    @property
    def errored(self) -> int:
        """Return the number of lines with an error."""
        return int(max(self.row["errored"], self.row.get("early_errored", 0)))

    def time(self, state: State) -> int | None:
        """Return when it came into a state, in seconds."""
        found = self.row["times"].get(str(state))
        return None if found is None else int(found)

    def is_over(self, now_s: int) -> bool:
        """Return whether its 24 hours are over."""
        return now_s >= int(self.row["ends_by_s"])

    def is_claimed(self, now_s: int) -> bool:
        """Return whether a worker has it."""
        return self.row["claim"] is not None and now_s < int(self.row["claim_until_s"])

    def is_forgotten(self, now_s: int) -> bool:
        """Return whether it waits for a message that may have been lost."""
        return not self.is_ended and now_s >= int(self.row["claim_until_s"])

    def changed(self, state: State | None = None, now_s: int = 0, **fields: Any) -> Item:
        """Return its row with other fields and, if it changes, the time of its new state."""
        row = {**self.row, **fields, "seq": self.row["seq"] + 1}
        if state is not None:
            row |= {"state": str(state), "times": {**row["times"], str(state): now_s}}
        return row

    def cancelling(self, now_s: int) -> Item | None:
        """Return its row after a request to cancel it; `None` if that changes nothing."""
        return self.changed(State.CANCELLING, now_s) if self.state in CANCELLABLE else None

    def awakened(self, now_s: int) -> Item | None:
        """Return its row if its message must be sent again; `None` if a worker has it or will have it."""
        return self.changed(**self.reminded(now_s)) if self.is_forgotten(now_s) else None

    def claimed(self, token: str, now_s: int) -> dict[str, Any]:
        """Return the fields of the claim of a worker."""
        return {**self.reminded(now_s), "claim": token, "claims": self.row["claims"] + 1}

    def reminded(self, now_s: int) -> dict[str, Any]:
        """Return the fields of a batch that no worker has and whose message was sent again."""
        dirty = list(self.row["dirty"])
        if self.row["claim"] is not None:
            # Its worker died.
            dirty.append(self.row["claims"])
        return {"claim": None, "claim_until_s": now_s + CLAIM_S, "dirty": dirty}


def new_batch(account_id: str, kind: Kind, now_ms: int, fingerprint: str, fields: Mapping[str, Any]) -> Batch:
    """Return a new batch with these `fields` of its request."""
    batch_id, now_s = f"{kind.prefix}_{ULID.from_timestamp(now_ms)}", now_ms // MS_PER_S
    row: Item = {
        "account_id": account_id,
        "response_id": row_id(batch_id),
        "batch_id": batch_id,
        "kind": str(kind),
        "state": str(State.VALIDATING),
        "times": {str(State.VALIDATING): now_s},
        "ends_by_s": now_s + WINDOW_S,
        "expires_at_s": now_s + LIFETIME_S,
        "fingerprint": fingerprint,
        "total": 0,
        "next_line": 0,
        "succeeded": 0,
        "errored": 0,
        "not_run": 0,
        "stored_bytes": 0,
        "errors": [],
        "claim": None,
        "claims": 0,
        "claim_until_s": now_s + CLAIM_S,
        "dirty": [],
        "output_file_id": None,
        "error_file_id": None,
        "seq": 1,
        **fields,
    }
    return Batch(row)


def results_key(batch: Batch) -> str:
    """Return the key of the results of a batch in Anthropic's protocol."""
    return f"{_FOLDER}{batch.account_id}/{batch.id}.jsonl"


def input_key(batch: Batch) -> str:
    """Return the key of the requests of a batch in Anthropic's protocol."""
    return f"{_FOLDER}{batch.account_id}/{batch.id}-input.jsonl"


def row_id(batch_id: str) -> str:
    """Return the sort key of a batch. Parts of conversations have `batch_` in the same table."""
    return f"jobs#{batch_id}"


def result_id(batch_id: str, number: int) -> str:
    """Return the sort key of the result of a line."""
    return f"line_{batch_id}_{number}"


def once_id(kind: Kind, key: str) -> str:
    """Return the sort key of an Idempotency-Key of a create."""
    return f"once_{kind}_{sha256(key.encode()).hexdigest()}"


def vendor_account(provider: str) -> str:
    """Return the partition key of a vendor's batches. No account has such an id."""
    return f"vendor#{provider}"


def request_id_of(batch_id: str, number: int, claim: int, attempt: int) -> str:
    """Return the id of one attempt of a line, which is the key of its hold and of its charge.

    So an attempt is charged at most once, and a later worker can look its charge up.
    """
    digest = sha256(f"{batch_id}:{number}:{claim}:{attempt}".encode()).digest()
    created_ms = ULID.from_str(batch_id.partition("_")[2]).milliseconds
    return f"req_{ULID.from_int((created_ms << _TIME_BITS) | int.from_bytes(digest[: _TIME_BITS // 8]))}"
