"""The mails that were sent, and the progress of the calendar: rows in the idempotency table.

mail#<event>              who has the mail of an event, and the lease of the worker that sends it
mails#<account>#<what>#<period>   how many events of an account were mailed in a UTC day or an hour
calendar                  the time up to which keys were checked, and the last account with its statement
"""

from dataclasses import dataclass
from hashlib import sha256

from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.expressions import Add, Equals, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, Write, put_new
from tollgate.kit.ids import new_id

# Longer than the function can run: after this time the worker is dead.
LEASE_MS = 160 * MS_PER_S
# Longer than a message exists: 4 days in its queue, 14 days among the dead letters, and one day of margin.
RETENTION_MS = 19 * MS_PER_DAY


class MailInProgressError(Exception):
    """Another worker is sending this event now; its message will come again."""


@dataclass(frozen=True, slots=True)
class ReminderProgress:
    """The progress: keys up to `keys_ms`, statements of `month` up to the account `after`."""

    keys_ms: int | None = None
    month: str = ""
    after: str | None = None
    is_done: bool = True


class NoticeRepository(OneTable):
    """Reads and writes these rows."""

    def claim(self, event_id: str, now_ms: int) -> frozenset[str] | None:
        """Claim an event for `LEASE_MS`; return who has its mail already, or `None` if all have it.

        Raises `MailInProgressError`.
        """
        key = {"idempotency_id": f"mail#{event_id}"}
        # A unique worker id: two workers that begin in the same millisecond must not write the same row.
        worker = new_id("worker")
        row = self._db.get(self._table, key)
        if row is None:
            item = {
                **key,
                "until_ms": now_ms + LEASE_MS,
                "worker": worker,
                "sent": {},
                "done": False,
                "expires_at_s": (now_ms + RETENTION_MS) // MS_PER_S,
            }
            self._db.write(put_new(self._table, item, "idempotency_id", _elsewhere))
            return frozenset()
        if row["done"]:
            return None
        if row["until_ms"] > now_ms:
            raise MailInProgressError(event_id)
        nobody_took_it_since = Equals("until_ms", row["until_ms"])
        self._db.write(
            Write(
                self._table,
                key=key,
                update=(Set("until_ms", now_ms + LEASE_MS), Set("worker", worker)),
                condition=nobody_took_it_since,
                refused=_elsewhere,
            )
        )
        return frozenset(row["sent"])

    def mark_sent(self, event_id: str, reader: str) -> None:
        """Note that a reader has the mail of an event."""
        self._update(f"mail#{event_id}", Set(("sent", reader), True))

    def finish(self, event_id: str, *, is_done: bool) -> None:
        """Release an event: all readers have its mail, or its message may come again immediately."""
        self._update(f"mail#{event_id}", Set("done", is_done), Set("until_ms", 0))

    def count(self, account_id: str, what: str, period: str, now_ms: int) -> int:
        """Count one more event of an account in a period, a UTC day or hour; return its number.

        Two events at the same moment may get the same number. That is exact enough for a limit.
        """
        row_id = f"mails#{account_id}#{what}#{period}"
        row = self._db.get(self._table, {"idempotency_id": row_id})
        expires_at_s = (now_ms + 2 * MS_PER_DAY) // MS_PER_S
        counted = CountingWrite(
            self._table,
            key={"idempotency_id": row_id},
            update=(Add("count", 1, start=0), Set("expires_at_s", expires_at_s)),
        )
        # A transaction of one write, for its token: if the response is lost, the event is not counted twice.
        self._db.transact([counted])
        return 1 if row is None else int(row["count"]) + 1

    def progress(self) -> ReminderProgress:
        """Return the progress of the calendar."""
        row = self._db.get(self._table, {"idempotency_id": "calendar"})
        if row is None:
            return ReminderProgress()
        return ReminderProgress(row["keys_ms"], row["month"], row.get("after"), row["is_done"])

    def save_progress(self, calendar: ReminderProgress) -> None:
        """Save the progress of the calendar. The row never expires."""
        row: Item = {name: getattr(calendar, name) for name in ReminderProgress.__slots__}
        item = {
            "idempotency_id": "calendar",
            **{name: each for name, each in row.items() if each is not None},
        }
        self._db.write(Write(self._table, item=item))

    def _update(self, row_id: str, *changes: Set) -> None:
        self._db.write(Write(self._table, key={"idempotency_id": row_id}, update=changes))


def reader_of(identity_id: str) -> str:
    """Return the id of a person in a row: a hash, because an identity on one machine is a mail address."""
    return sha256(identity_id.encode()).hexdigest()[:16]


def _elsewhere(row: Item | None) -> Exception:
    return MailInProgressError("" if row is None else row["idempotency_id"])
