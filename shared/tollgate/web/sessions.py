"""Sessions of the dashboard in DynamoDB, so that a session can be ended before its cookie expires.

A session is a row with an expiry. A person's row has the time at which all earlier sessions of this person
were ended. An account's row has the same for all sessions in the account.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.writes import Write

# A person signs in again after this time, even if the session is in use.
LIFE_S = 7 * 24 * 3600
# An operator signs in again after this time, so that a person removed from the group loses access.
OPERATOR_MS = 12 * 3600 * MS_PER_S
_ID_BYTES = 32


@dataclass(frozen=True, slots=True)
class SessionStore:
    """Starts, ends and checks sessions.

    The cookie is also signed. The row allows a session to be ended early.
    """

    db: Database
    table: str
    clock: Clock

    def begin(self, account_id: str, identity_id: str, noted: Write, *, operator_until_ms: int = 0) -> str:
        """Return the id of a new session of a person in an account; `noted` is written with it.

        The session is an operator's until `operator_until_ms`, in Unix milliseconds.
        """
        session_id = secrets.token_urlsafe(_ID_BYTES)
        role = {"operator_until_ms": operator_until_ms} if operator_until_ms else {}
        who = {"account_id": account_id, "identity_id": identity_id}
        row = self._row(session_id, {**who, "began_at_ms": self.clock.now_ms(), **role})
        self.db.transact([row, noted])
        return session_id

    def is_operator(self, session_id: str) -> bool:
        """Return whether a live session is an operator's now, according to its row."""
        return self.clock.now_ms() < self.operator_until_ms(session_id)

    def operator_until_ms(self, session_id: str) -> int:
        """Return the time until which a session is an operator's, in Unix milliseconds; 0 if it never was."""
        row = self.db.get(self.table, {"session_id": session_id}) or {}
        return int(row.get("operator_until_ms", 0))

    def began_at_ms(self, session_id: str, account_id: str, identity_id: str) -> int | None:
        """Return when a session of a person in an account began (Unix ms); `None` if it is not valid."""
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
        """End one session. Repeating it has no effect."""
        self._put(session_id, {})

    def end_all(self, identity_id: str, noted: Sequence[Write] = ()) -> None:
        """End all current sessions of a person, in all accounts, together with other writes."""
        ended = self._row(_all_of(identity_id), {"ended_at_ms": self.clock.now_ms()})
        self.db.transact([ended, *noted])

    def end_all_in(self, account_id: str) -> None:
        """End all current sessions in an account, of all people."""
        self._put(_all_in(account_id), {"ended_at_ms": self.clock.now_ms()})

    def _put(self, session_id: str, fields: dict[str, object]) -> None:
        self.db.write(self._row(session_id, fields))

    def _row(self, session_id: str, fields: dict[str, object]) -> Write:
        # DynamoDB deletes the row (TTL) when every session that it can affect has expired.
        item = {"session_id": session_id, "expires_at_s": self._now_s() + LIFE_S, **fields}
        return Write(self.table, item=item)

    def _now_s(self) -> int:
        return self.clock.now_ms() // MS_PER_S


def _all_in(account_id: str) -> str:
    return f"account#{account_id}"


def _all_of(identity_id: str) -> str:
    return f"identity#{identity_id}"
