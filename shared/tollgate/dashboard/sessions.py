"""Sessions of the dashboard in DynamoDB: a cookie alone would be good until it expires, whoever signed out.

A session is a row with an end; a person's own row says before when all of theirs ended, and an account's row
before when all sessions in it did.
"""

import secrets
from dataclasses import dataclass

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb import Database
from tollgate.kit.writes import Write

# After this a person signs in again, however busy the session was.
LIFE_S = 7 * 24 * 3600
_ID_BYTES = 32


@dataclass(frozen=True, slots=True)
class SessionStore:
    """Begins sessions, ends them, and tells whether one is live.

    The cookie is signed besides; the row is there so that a session can be ended before its time.
    """

    db: Database
    table: str
    clock: Clock

    def begin(self, account_id: str, identity_id: str, *, is_operator: bool = False) -> str:
        """Return the id of a new session of a person in an account."""
        session_id = secrets.token_urlsafe(_ID_BYTES)
        role = {"is_operator": True} if is_operator else {}
        who = {"account_id": account_id, "identity_id": identity_id}
        self._put(session_id, {**who, "began_at_ms": self.clock.now_ms(), **role})
        return session_id

    def is_operator(self, session_id: str) -> bool:
        """Return whether a live session is an operator's: its row says so, never the cookie."""
        row = self.db.get(self.table, {"session_id": session_id})
        return row is not None and row.get("is_operator") is True

    def is_live(self, session_id: str, account_id: str, identity_id: str) -> bool:
        """Return whether a session of a person in an account has neither ended nor been ended."""
        ends = (_all_in(account_id), _all_of(identity_id))
        keys = [{"session_id": each} for each in (session_id, *ends)]
        found = {row["session_id"]: row for row in self.db.get_all(self.table, keys)}
        row = found.get(session_id)
        if row is None or (row.get("account_id"), row.get("identity_id")) != (account_id, identity_id):
            return False
        ended = [int(found[end]["ended_at_ms"]) for end in ends if end in found]
        return row["expires_at_s"] > self._now_s() and int(row["began_at_ms"]) > max(ended, default=0)

    def end(self, session_id: str) -> None:
        """End one session; a repeat changes nothing."""
        self._put(session_id, {})

    def end_all(self, identity_id: str) -> None:
        """End all sessions of a person that there are now, in all of their accounts."""
        self._put(_all_of(identity_id), {"ended_at_ms": self.clock.now_ms()})

    def end_all_in(self, account_id: str) -> None:
        """End all sessions in an account that there are now, whoever's they are."""
        self._put(_all_in(account_id), {"ended_at_ms": self.clock.now_ms()})

    def _put(self, session_id: str, fields: dict[str, object]) -> None:
        # A row that outlives every session it could be about may go (DynamoDB's TTL).
        item = {"session_id": session_id, "expires_at_s": self._now_s() + LIFE_S, **fields}
        self.db.write(Write(self.table, item=item))

    def _now_s(self) -> int:
        return self.clock.now_ms() // MS_PER_S


def _all_in(account_id: str) -> str:
    return f"account#{account_id}"


def _all_of(identity_id: str) -> str:
    return f"identity#{identity_id}"
