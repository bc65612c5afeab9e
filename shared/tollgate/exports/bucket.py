"""Writes the files of a day into the customer's own bucket, with a role of the customer.

    {account_id, day, place} ─► role ─► some files ─► {…, the next place} … ─► the list of the day, last

Each file has a fixed name, so a repeat replaces it. The list says that the day is complete. The role is
assumed with the account's external id, and only if it cannot be assumed without one. Otherwise another
customer could name the same role (AWS IAM User Guide, "The confused deputy problem").
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from tollgate.activity.found import SHOWN, found_of
from tollgate.activity.record import record_of
from tollgate.audit.events import Action
from tollgate.audit.repository import OnceLog
from tollgate.exports.focus_file import FocusFiles
from tollgate.exports.repository import ExportRepository
from tollgate.exports.settings import BucketTarget, external_id
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import MS_PER_S, Clock, utc_day
from tollgate.kit.http.query import epoch_ms
from tollgate.kit.observability import emit, logger
from tollgate.ledger.query import Position, cursor_after, position_of
from tollgate.seals.service import SealedLedger
from tollgate.tasks.repository import TaskRepository

# Rows of one file: about 4 MB of FOCUS, 15 MB of requests.
MAX_ROWS = 5_000
# Files of one kind and day: 25 million requests.
MAX_FILES = 5_000
# One message writes files for so long, and then sends the next one.
WRITES_FOR_MS = 20 * MS_PER_S
# Earlier days that are written after failures.
MAX_DAYS = 31
# Attempts of one message. The message of the next day begins with the first missing day.
MAX_ATTEMPTS = 6
# The wait after each failed attempt. SQS allows no longer one.
WAIT_S = 900
DENIED = frozenset({"AccessDenied", "AccessDeniedException"})
KINDS = ("focus", "requests", "sealed")
_ENDINGS = {
    "focus": ("csv", "text/csv"),
    "requests": ("jsonl", "application/x-ndjson"),
    "sealed": ("json", "application/json"),
}

PutObject = Callable[[str, bytes, str], None]
"""Writes an object: its key, its bytes, its media type. Raises `ClientError` and `BotoCoreError`."""


class AssumeRole(Protocol):
    """Assumes the role of a bucket."""

    def __call__(self, target: BucketTarget, session: str, external_id: str | None) -> PutObject:
        """Return the function that writes there. Raises `ClientError` and `BotoCoreError`."""


class Part(NamedTuple):
    """One file: its bytes, its number of rows, and the cursor of the next one, if any."""

    body: bytes
    rows: int
    cursor: str | None


class Place(NamedTuple):
    """The next file of a day in a bucket: its kind, its number from 1, and the cursor of its first row."""

    # A message of the version before names neither.
    address: str = ""
    day: str = ""
    kind: str = KINDS[0]
    number: int = 1
    cursor: str | None = None


class OpenRoleError(Exception):
    """The role can be assumed without the external id."""


class BucketOutcome(StrEnum):
    """The result of a message."""

    OFF = "off"  # The account has no bucket any more.
    DONE = "done"  # The days are complete.
    CONTINUED = "continued"  # Another message writes the other files.
    AGAIN = "again"  # AWS refused; another attempt follows.
    FAILED = "failed"  # AWS refused in every attempt.


@dataclass(frozen=True, slots=True)
class BucketExporter:
    """Writes the files of days. Every write can be repeated."""

    exports: ExportRepository
    focus: FocusFiles
    tasks: TaskRepository
    sealed: SealedLedger
    assume: AssumeRole
    once: OnceLog
    queue: Queue
    clock: Clock

    def write(
        self, account_id: str, day: str, place: Mapping[str, Any] | None = None, attempt: int = 1
    ) -> BucketOutcome:
        """Write files of the missing days up to `day`, from a place in the first of them on."""
        target = self.exports.read(account_id).bucket
        if target is None:
            return BucketOutcome.OFF
        written = self.exports.days(account_id, target)
        missing = days_after(written.get("day", ""), day, written.get("first", ""))
        if not missing:
            return BucketOutcome.DONE
        start = Place(target.address, missing[0])
        at = start if place is None else Place(**place)
        # A message that arrives twice can be of a day that is complete, and the bucket can have changed.
        if (at.address, at.day) != (start.address, start.day):
            at = start
        try:
            left = self._write_day(account_id, target, at)
        except (ClientError, BotoCoreError, OpenRoleError) as exc:
            again = {"account_id": account_id, "day": day, "attempt": attempt + 1, "place": at._asdict()}
            return self._failed(target, at.day, again, exc)
        if left is None:
            self.exports.note_day(account_id, target, at.day, self.clock.now_ms())
            if len(missing) == 1:
                return BucketOutcome.DONE
        following = {} if left is None else {"place": left._asdict()}
        self.queue.send({"account_id": account_id, "day": day, **following})
        return BucketOutcome.CONTINUED

    def _write_day(self, account_id: str, target: BucketTarget, at: Place) -> Place | None:
        """Write files of one day; return the place of the next one, or `None` if the day is complete."""
        put = self._role(account_id, target)
        until_ms = self.clock.now_ms() + WRITES_FOR_MS
        place: Place | None = at
        while place is not None:
            part = self._part(account_id, at.day, place)
            if part is not None:
                ending, media_type = _ENDINGS[place.kind]
                name = f"{target.prefix}{place.kind}/{at.day}/part-{place.number:04}.{ending}"
                put(name, part.body, media_type)
            place = next_place(place, None if part is None else part.cursor)
            if place is not None and self.clock.now_ms() > until_ms:
                return place
        listed = {"account": account_id, "day": at.day, "complete": True}
        put(f"{target.prefix}days/{at.day}.json", json.dumps(listed).encode(), "application/json")
        return None

    def _role(self, account_id: str, target: BucketTarget) -> PutObject:
        put = self.assume(target, account_id, external_id(account_id))
        try:
            self.assume(target, account_id, None)
        except ClientError as exc:
            if exc.response["Error"]["Code"] in DENIED:
                return put
            raise
        raise OpenRoleError("The role must require the external id.")

    def _part(self, account_id: str, day: str, place: Place) -> Part | None:
        after = None if place.cursor is None or place.kind == "sealed" else position_of(place.cursor)
        match place.kind:
            case "focus":
                page = self.focus.part(account_id, epoch_ms(day), after, MAX_ROWS)
                return Part(page.text.encode(), page.rows, page.cursor)
            case "requests":
                return self._requests(account_id, day, after)
            case _:
                sealed, cursor = self.sealed.day_part(account_id, day, place.cursor)
                body = json.dumps(sealed, ensure_ascii=False).encode()
                return None if sealed is None else Part(body, len(sealed["entries"]), cursor)

    def _requests(self, account_id: str, day: str, after: Position | None) -> Part:
        entries = self.focus.entries(account_id, epoch_ms(day), after)
        shown = list(islice((entry for entry in entries if entry.kind in SHOWN), MAX_ROWS))
        lines = [
            json.dumps(record_of(one), ensure_ascii=False) for one in found_of(shown, self.tasks.get_all)
        ]
        cursor = None
        if len(shown) == MAX_ROWS:
            cursor = cursor_after(shown[-1])
        return Part("\n".join([*lines, ""]).encode(), len(lines), cursor)

    def _failed(self, target: BucketTarget, day: str, again: dict[str, Any], exc: Exception) -> BucketOutcome:
        """Note that a day failed, on the page and once a day by mail, and send `again` later."""
        account_id, reason, now_ms = again["account_id"], reason_of(exc), self.clock.now_ms()
        logger.warning("deliver_webhook.bucket_failed", account_id=account_id, day=day)
        self.exports.note_failure(account_id, target, day, reason, now_ms)
        if again["attempt"] <= MAX_ATTEMPTS:
            self.queue.send(again, WAIT_S)
            return BucketOutcome.AGAIN
        emit({"BucketExportsFailed": 1})
        self.once.note(
            account_id, f"{Action.EXPORT_FAILING}#{utc_day(now_ms)}", Action.EXPORT_FAILING, "Bucket", reason
        )
        return BucketOutcome.FAILED


def next_place(place: Place, cursor: str | None) -> Place | None:
    """Return the place after a file; `None` after the last kind. Pure."""
    if cursor is not None and place.number < MAX_FILES:
        return place._replace(number=place.number + 1, cursor=cursor)
    following = KINDS[KINDS.index(place.kind) + 1 :]
    return Place(place.address, place.day, following[0]) if following else None


def days_after(done: str, last: str, failed: str = "") -> list[str]:
    """Return the days to write, the oldest first. Pure.

    These are the days after `done`. If no day is done, they begin with the first one that `failed`, or are
    only the last day.
    """
    end = date.fromisoformat(last)
    first = date.fromisoformat(done) + timedelta(days=1) if done else date.fromisoformat(failed or last)
    first = max(first, end - timedelta(MAX_DAYS))
    return [(first + timedelta(days=n)).isoformat() for n in range((end - first).days + 1)]


def reason_of(exc: Exception) -> str:
    """Return the reason of AWS for the owner of the bucket. Pure."""
    if isinstance(exc, ClientError):
        error = exc.response["Error"]
        return f"{exc.operation_name}: {error.get('Code', 'unknown')}: {error.get('Message', '')}"
    return str(exc)
