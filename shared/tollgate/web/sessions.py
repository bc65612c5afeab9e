"""Sessions of the dashboard in DynamoDB, so that a session can be ended before its cookie expires.

A session is a row with an expiry. A person's row has the time at which all earlier sessions of this person
were ended. An account's row has the same for all sessions in the account. A person's list has the browser and
the address of each sign-in; an entry counts only while the session itself is valid.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Remove, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write

# A person signs in again after this time, even if the session is in use.
LIFE_S = 7 * 24 * 3600
# An operator signs in again after this time, so that a person removed from the group loses access.
OPERATOR_MS = 12 * 3600 * MS_PER_S
# The time to scan a code and type the first number.
REGISTRATION_S = 600
_ID_BYTES = 32
# Sessions in a person's list, the newest. Together with their accounts they are read at once.
MAX_LISTED = 40
_HANDLE_CHARS = 16
_ENTRY = "s#"


@dataclass(frozen=True, slots=True)
class Place:
    """The browser, operating system and IP address that began a session; empty if unknown."""

    browser: str = ""
    system: str = ""
    address: str = ""


NOWHERE = Place()


@dataclass(frozen=True, slots=True)
class Listed:
    """A valid session in a person's list. `handle` names it in forms, because its id is a secret."""

    handle: str
    account_id: str
    began_at_ms: int
    place: Place


@dataclass(frozen=True, slots=True)
class SessionStore:
    """Starts, ends and checks sessions.

    The cookie is also signed. The row allows a session to be ended early.
    """

    db: Database
    table: str
    clock: Clock

    def begin(
        self,
        account_id: str,
        identity_id: str,
        noted: Write,
        *,
        operator_until_ms: int = 0,
        place: Place = NOWHERE,
    ) -> str:
        """Return the id of a new session of a person in an account; `noted` is written with it.

        The session is an operator's until `operator_until_ms`, in Unix milliseconds.
        """
        session_id = secrets.token_urlsafe(_ID_BYTES)
        listed = self._listing(identity_id, session_id, account_id, place)
        role = {"operator_until_ms": operator_until_ms} if operator_until_ms else {}
        who = {"account_id": account_id, "identity_id": identity_id}
        row = self._row(session_id, {**who, "began_at_ms": self.clock.now_ms(), **role})
        self.db.transact([row, listed, noted])
        return session_id

    def _listing(self, identity_id: str, session_id: str, account_id: str, place: Place) -> Write:
        """Return the write that adds a session to the person's list, and drops the oldest beyond it."""
        known = self._entries(identity_id)
        began = sorted(known, key=lambda each: int(known[each]["began_at_ms"]))
        entry = {"account_id": account_id, "began_at_ms": self.clock.now_ms(), **asdict(place)}
        update = (
            Set(_ENTRY + session_id, entry),
            Set("expires_at_s", self._now_s() + LIFE_S),
            *(Remove(_ENTRY + each) for each in began[: max(0, len(began) + 1 - MAX_LISTED)]),
        )
        return Write(self.table, key={"session_id": _list_of(identity_id)}, update=update)

    def _entries(self, identity_id: str) -> dict[str, Item]:
        row = self.db.get(self.table, {"session_id": _list_of(identity_id)}) or {}
        return {name.removeprefix(_ENTRY): row[name] for name in row if name.startswith(_ENTRY)}

    def listed(self, identity_id: str) -> list[Listed]:
        """Return the valid sessions of a person, the newest first."""
        entries = self._entries(identity_id)
        accounts = {str(each["account_id"]) for each in entries.values()}
        marks = [_all_of(identity_id), *map(_all_in, accounts)]
        keys = [{"session_id": each} for each in (*entries, *marks)]
        found = {row["session_id"]: row for row in self.db.get_all(self.table, keys)}
        valid = [
            Listed(
                handle_of(session_id),
                entry["account_id"],
                int(entry["began_at_ms"]),
                Place(*(entry.get(name, "") for name in Place.__dataclass_fields__)),
            )
            for session_id, entry in entries.items()
            if self._began(found, session_id, entry["account_id"], identity_id) is not None
        ]
        return sorted(valid, key=lambda each: -each.began_at_ms)

    def end_listed(self, identity_id: str, handle: str, noted: Sequence[Write] = ()) -> bool:
        """End one session of a person's list; return whether it is in the list. A repeat has no effect."""
        found = next((each for each in self._entries(identity_id) if handle_of(each) == handle), None)
        if found is None:
            return False
        self.db.transact([self._row(found, {}), *noted])
        return True

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
        return self._began(found, session_id, account_id, identity_id)

    def _began(
        self, found: Mapping[str, Item], session_id: str, account_id: str, identity_id: str
    ) -> int | None:
        ends = (_all_in(account_id), _all_of(identity_id))
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

    def keep_registration(self, session_id: str, token: str, secret: str) -> None:
        """Store the access token and the secret of an app that the person registers; for some minutes."""
        until_s = self._now_s() + REGISTRATION_S
        fields = {"token": token, "secret": secret, "expires_at_s": until_s}
        self._put(_registration_of(session_id), fields)

    def registration(self, session_id: str) -> tuple[str, str] | None:
        """Return the token and the secret of a registration that is still valid, or `None`."""
        row = self.db.get(self.table, {"session_id": _registration_of(session_id)}) or {}
        is_valid = "token" in row and row["expires_at_s"] > self._now_s()
        return (row["token"], row["secret"]) if is_valid else None

    def end_registration(self, session_id: str) -> None:
        """Forget a registration. Repeating it has no effect."""
        self._put(_registration_of(session_id), {})

    def _put(self, session_id: str, fields: dict[str, object]) -> None:
        self.db.write(self._row(session_id, fields))

    def _row(self, session_id: str, fields: dict[str, object]) -> Write:
        # DynamoDB deletes the row (TTL) when every session that it can affect has expired.
        item = {"session_id": session_id, "expires_at_s": self._now_s() + LIFE_S, **fields}
        return Write(self.table, item=item)

    def _now_s(self) -> int:
        return self.clock.now_ms() // MS_PER_S


def handle_of(session_id: str) -> str:
    """Return the name of a session in forms."""
    return sha256(session_id.encode()).hexdigest()[:_HANDLE_CHARS]


def _registration_of(session_id: str) -> str:
    return f"factor#{session_id}"


def _list_of(identity_id: str) -> str:
    return f"list#{identity_id}"


def _all_in(account_id: str) -> str:
    return f"account#{account_id}"


def _all_of(identity_id: str) -> str:
    return f"identity#{identity_id}"
