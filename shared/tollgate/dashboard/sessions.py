"""Sessions of the dashboard in DynamoDB: a cookie alone would be good until it expires, whoever signed out.

A session is a row with an end; a person's own row says before when all of theirs ended, and an account's row
before when all sessions in it did.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb import Database
from tollgate.kit.writes import Write

# After this a person signs in again, however busy the session was.
LIFE_S = 7 * 24 * 3600
# An operator signs in again after this: who is taken out of their group keeps the desk no longer.
OPERATOR_MS = 12 * 3600 * MS_PER_S
_ID_BYTES = 32


@dataclass(frozen=True, slots=True)
class SessionStore:
    """Begins sessions, ends them, and tells whether one is live.

    The cookie is signed besides; the row is there so that a session can be ended before its time.
    """

    db: Database
    table: str
    clock: Clock

    def begin(self, account_id: str, identity_id: str, noted: Write, *, operator_until_ms: int = 0) -> str:
        """Return the id of a new session of a person in an account; `noted` is written with it.

        It is an operator's until then.
        """
        session_id = secrets.token_urlsafe(_ID_BYTES)
        role = {"operator_until_ms": operator_until_ms} if operator_until_ms else {}
        who = {"account_id": account_id, "identity_id": identity_id}
        row = self._row(session_id, {**who, "began_at_ms": self.clock.now_ms(), **role})
        self.db.transact([row, noted])
        return session_id

    def is_operator(self, session_id: str) -> bool:
        """Return whether a live session is an operator's now: its row says so, never the cookie."""
        return self.clock.now_ms() < self.operator_until_ms(session_id)

    def operator_until_ms(self, session_id: str) -> int:
        """Return until when a session is an operator's; 0 for one that never was."""
        row = self.db.get(self.table, {"session_id": session_id}) or {}
        # Rows from before the desk had a time of its own.
        before = int(row["began_at_ms"]) + OPERATOR_MS if row.get("is_operator") is True else 0
        return int(row.get("operator_until_ms", before))

    def began_at_ms(self, session_id: str, account_id: str, identity_id: str) -> int | None:
        """Return when a session of a person in an account began; `None` where it ended, or was ended."""
        ends = (_all_in(account_id), _all_of(identity_id))
        keys = [{"session_id": each} for each in (session_id, *ends)]
        found = {row["session_id"]: row for row in self.db.get_all(self.table, keys)}
        row = found.get(session_id)
        if row is None or (row.get("account_id"), row.get("identity_id")) != (account_id, identity_id):
            return None
        ended = [int(found[end]["ended_at_ms"]) for end in ends if end in found]
        began_at_ms = int(row["began_at_ms"])
        is_live = row["expires_at_s"] > self._now_s() and began_at_ms > max(ended, default=0)
        return began_at_ms if is_live else None

    def end(self, session_id: str) -> None:
        """End one session; a repeat changes nothing."""
        self._put(session_id, {})

    def end_all(self, identity_id: str, noted: Sequence[Write] = ()) -> None:
        """End all sessions of a person that there are now, in all of their accounts, with other writes."""
        ended = self._row(_all_of(identity_id), {"ended_at_ms": self.clock.now_ms()})
        self.db.transact([ended, *noted])

    def end_all_in(self, account_id: str) -> None:
        """End all sessions in an account that there are now, whoever's they are."""
        self._put(_all_in(account_id), {"ended_at_ms": self.clock.now_ms()})

    def _put(self, session_id: str, fields: dict[str, object]) -> None:
        self.db.write(self._row(session_id, fields))

    def _row(self, session_id: str, fields: dict[str, object]) -> Write:
        # A row that outlives every session it could be about may go (DynamoDB's TTL).
        item = {"session_id": session_id, "expires_at_s": self._now_s() + LIFE_S, **fields}
        return Write(self.table, item=item)

    def _now_s(self) -> int:
        return self.clock.now_ms() // MS_PER_S


def _all_in(account_id: str) -> str:
    return f"account#{account_id}"


def _all_of(identity_id: str) -> str:
    return f"identity#{identity_id}"
