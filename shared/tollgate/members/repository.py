"""Identities and teams in DynamoDB.

IdentitiesTable: a person's accounts, and the address by which operators find an account.

<identity>        the accounts of a person, the first one first, and their last proven address
account#<id>      the address of the person who opened the account
email#<address>   the account of an address
invited#<hash>    the accounts that have invited an address, with the ends of the invitations. It is a hint,
                  because the row of the team decides. It outlives its invitations, so it has no address.

MembersTable: a row for each account's team.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from tollgate.accounts.models import Account
from tollgate.accounts.repository import AccountRepository
from tollgate.kit.dynamodb.core import MAX_KEYS
from tollgate.kit.dynamodb.database import Database, VersionedRepository
from tollgate.kit.dynamodb.expressions import Condition, Equals, Exists, Missing, Remove, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write, put_new
from tollgate.kit.errors import UserNotFoundError
from tollgate.members.preferences import DEFAULTS, Preferences
from tollgate.members.team import Team, TeamError, founded

# Accounts of one person.
MAX_ACCOUNTS = 20


class AlreadyKnownError(Exception):
    """Another first sign-in of the same person was faster; `account_id` is the account it created."""

    def __init__(self, account_id: str) -> None:
        super().__init__(f"this identity has {account_id}")
        self.account_id = account_id


class StaleIdentityError(Exception):
    """The person's accounts have changed since they were read; nothing was written."""


class StaleTeamError(Exception):
    """Another process wrote the team since it was read; nothing was written. Read it, and decide again."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as stored: their accounts, and the address that their last sign-in proved."""

    identity_id: str
    accounts: tuple[str, ...] = ()
    email: str | None = None
    preferences: Preferences = DEFAULTS

    @classmethod
    def from_item(cls, item: Item) -> "Identity":
        """Return the identity that a row holds; a row older than memberships has one account."""
        first = (item["account_id"],) if "account_id" in item else ()
        accounts = tuple(item.get("accounts", first))
        return cls(item["identity_id"], accounts, item.get("email"), Preferences.from_item(item))


class IdentityRepository:
    """Reads identities, and creates each together with its account."""

    def __init__(self, db: Database, table: str, accounts: AccountRepository) -> None:
        self._db = db
        self._table = table
        self._accounts = accounts

    def get(self, identity_id: str) -> Identity:
        """Return a person; a person who never signed in has no accounts."""
        row = self._db.get(self._table, {"identity_id": identity_id})
        return Identity(identity_id) if row is None else Identity.from_item(row)

    def account_id(self, identity_id: str) -> str | None:
        """Return the first account of an identity, or `None` if it has none."""
        return next(iter(self.get(identity_id).accounts), None)

    def note_email(self, identity_id: str, account_id: str, email: str) -> None:
        """Store the address of an account's person, for operators; a repeat costs one read."""
        row = self._db.get(self._table, {"identity_id": identity_id})
        if row is None or row.get("email") == email:
            return
        self._db.transact(
            [
                Write(self._table, key={"identity_id": identity_id}, update=(Set("email", email),)),
                Write(self._table, item={"identity_id": f"account#{account_id}", "email": email}),
                Write(self._table, item={"identity_id": f"email#{email}", "account_id": account_id}),
            ]
        )

    def prefer(self, identity_id: str, preferences: Preferences) -> None:
        """Store a person's settings. Raises `UserNotFoundError` for a person who never signed in."""
        self._db.write(
            Write(
                self._table,
                key={"identity_id": identity_id},
                update=(Set("preferences", preferences.to_item()),),
                condition=Exists("identity_id"),
                refused=lambda _: UserNotFoundError(),
            )
        )

    def names(self, identity_ids: Sequence[str]) -> dict[str, str]:
        """Return the names that people gave themselves, without people who gave none."""
        rows = self._rows_of(identity_ids)
        found = {row["identity_id"]: Preferences.from_item(row).name for row in rows}
        return {identity_id: name for identity_id, name in found.items() if name}

    def emails(self, account_ids: Sequence[str]) -> dict[str, str]:
        """Return the known addresses of accounts."""
        found = self._addresses([f"account#{each}" for each in account_ids])
        return {name.removeprefix("account#"): email for name, email in found.items()}

    def addresses(self, identity_ids: Sequence[str]) -> dict[str, str]:
        """Return the addresses that people have proven, without people who proved none."""
        return self._addresses(identity_ids)

    def _addresses(self, row_ids: Sequence[str]) -> dict[str, str]:
        return {row["identity_id"]: row["email"] for row in self._rows_of(row_ids) if "email" in row}

    def _rows_of(self, row_ids: Sequence[str]) -> Iterator[Item]:
        for start in range(0, len(row_ids), MAX_KEYS):
            keys = [{"identity_id": each} for each in row_ids[start : start + MAX_KEYS]]
            yield from self._db.get_all(self._table, keys)

    def note_invitation(self, email: str, account_id: str, expires_at_ms: int) -> None:
        """Note that an account has invited an address. A repeat changes nothing."""
        update = (Set(account_id, expires_at_ms),)
        self._db.write(Write(self._table, key=_invited(email), update=update))

    def invited_to(self, email: str, now_ms: int) -> list[str]:
        """Return the accounts that may have an open invitation of an address, at most `MAX_ACCOUNTS`."""
        row = self._db.get(self._table, _invited(email)) or {}
        ends = {name: end for name, end in row.items() if name != "identity_id" and end > now_ms}
        return sorted(ends, key=lambda name: -ends[name])[:MAX_ACCOUNTS]

    def forget_invitation(self, email: str, account_id: str) -> None:
        """Remove the note of an invitation. A repeat changes nothing."""
        row = self._db.get(self._table, _invited(email)) or {}
        if account_id in row:
            self._db.write(Write(self._table, key=_invited(email), update=(Remove(account_id),)))

    def account_of_email(self, email: str) -> str | None:
        """Return the account of an address, or `None`."""
        row = self._db.get(self._table, {"identity_id": f"email#{email}"})
        return None if row is None else str(row["account_id"])

    def make(self, identity_id: str, account: Account, *others: Write) -> None:
        """Store an identity and its new account, with other writes. Raises `AlreadyKnownError`."""
        # Two concurrent first sign-ins must create one account.
        person = {
            "identity_id": identity_id,
            "account_id": account.account_id,
            "accounts": [account.account_id],
            "created_at_ms": account.created_at_ms,
        }
        # Test for account_id, not the key: a person who left every account still has a row.
        identity = put_new(self._table, person, "account_id", _known)
        self._db.transact([identity, self._accounts.new(account), *others])

    def forget(self, identity_id: str, account_id: str, pseudonym: str) -> None:
        """Remove a closed account from a person, and their address from it; a repeat changes nothing.

        A person without another account is then like a person who never signed in.
        """
        read = self.get(identity_id)
        if account_id in read.accounts:
            self._db.write(self.left(read, account_id))
            read = self.get(identity_id)
        if read.email is not None and self.account_of_email(read.email) == account_id:
            self._db.delete(self._table, {"identity_id": f"email#{read.email}"})
        self._db.write(Write(self._table, item={"identity_id": f"account#{account_id}", "email": pseudonym}))
        if not read.accounts:
            self._db.delete(self._table, {"identity_id": identity_id})

    def joined(self, read: Identity, account_id: str) -> Write:
        """Return the write that adds an account to a person. Refused: `StaleIdentityError`.

        Raises `TeamError` for a person with too many accounts.
        """
        if len(read.accounts) >= MAX_ACCOUNTS:
            raise TeamError(
                f"You are a member of {MAX_ACCOUNTS} accounts, the most allowed. Leave one first."
            )
        return self._accounts_of(read, (*read.accounts, account_id))

    def left(self, read: Identity, account_id: str) -> Write:
        """Return the write that removes an account from a person. Refused: `StaleIdentityError`.

        A late copy of it does not create a row for a person who was erased since.
        """
        left = tuple(one for one in read.accounts if one != account_id)
        return self._accounts_of(read, left, Exists("identity_id"))

    def _accounts_of(
        self, read: Identity, accounts: tuple[str, ...], condition: Condition | None = None
    ) -> Write:
        are_as_read = Equals("accounts", list(read.accounts))
        # A row older than memberships has the one account of its person.
        is_older = Missing("accounts")
        known = are_as_read | is_older
        first = Set("account_id", accounts[0]) if accounts else Remove("account_id")
        return Write(
            self._table,
            key={"identity_id": read.identity_id},
            update=(Set("accounts", list(accounts)), first),
            condition=known if condition is None else known & condition,
            refused=lambda _: StaleIdentityError(read.identity_id),
        )


class TeamRepository(VersionedRepository[Team]):
    """Reads teams, and writes each only if it is still as it was read."""

    stale_error = StaleTeamError

    def get(self, account_id: str) -> Team:
        """Return the account's team; it is empty if no person ever signed in to the account."""
        row = self._db.get(self._table, {"account_id": account_id})
        return Team(account_id) if row is None else Team.from_item(row)

    def account_ids(self, after: str | None = None) -> Iterator[str]:
        """Return the ids of all accounts with people, in no order, or only the ids after `after`."""
        start = None if after is None else {"account_id": after}
        return (row["account_id"] for row in self._db.scan(self._table, after=start, fields=("account_id",)))

    def delete(self, account_id: str) -> None:
        """Delete the team of a closed account; a repeat changes nothing."""
        self._db.delete(self._table, {"account_id": account_id})

    def new_team(self, account_id: str, identity_id: str, now_ms: int) -> Write:
        """Return the write that founds an account's team with a person as its owner."""
        team = founded(account_id, identity_id, now_ms)
        return self._put(team, replace(team, seq=1))


def _invited(email: str) -> Item:
    return {"identity_id": f"invited#{sha256(email.encode()).hexdigest()}"}


def _known(row: Item | None) -> Exception:
    if row is None:
        return AssertionError("an identity was refused but is not there")
    return AlreadyKnownError(row["account_id"])
