"""Identities in DynamoDB: which account a person who signs in has, and by which address operators find it.

<identity>        the account of a person, and the address they proved last
account#<id>      the address of an account: its person's
email#<address>   the account of an address
"""

from collections.abc import Sequence

from tollgate.accounts.models import Account
from tollgate.accounts.repository import AccountRepository
from tollgate.kit.dynamodb import MAX_KEYS, Database
from tollgate.kit.expressions import Missing, Set
from tollgate.kit.rows import Item
from tollgate.kit.writes import Write


class AlreadyKnownError(Exception):
    """Another first sign-in of the same person was quicker; `account_id` is what it made."""

    def __init__(self, account_id: str) -> None:
        super().__init__(f"this identity has {account_id}")
        self.account_id = account_id


class IdentityRepository:
    """Reads identities, and makes each together with its account."""

    def __init__(self, db: Database, table: str, accounts: AccountRepository) -> None:
        self._db = db
        self._table = table
        self._accounts = accounts

    def account_id(self, identity_id: str) -> str | None:
        """Return the account of an identity, or `None` for one that never signed in."""
        row = self._db.get(self._table, {"identity_id": identity_id})
        return None if row is None else str(row["account_id"])

    def note_email(self, identity_id: str, account_id: str, email: str) -> None:
        """Keep the address of an account's person, for operators; a repeat costs one read."""
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

    def emails(self, account_ids: Sequence[str]) -> dict[str, str]:
        """Return the addresses of accounts, of those that are known."""
        found: dict[str, str] = {}
        for start in range(0, len(account_ids), MAX_KEYS):
            keys = [{"identity_id": f"account#{each}"} for each in account_ids[start : start + MAX_KEYS]]
            rows = self._db.get_all(self._table, keys)
            found |= {row["identity_id"].removeprefix("account#"): row["email"] for row in rows}
        return found

    def account_of_email(self, email: str) -> str | None:
        """Return the account of an address, or `None`."""
        row = self._db.get(self._table, {"identity_id": f"email#{email}"})
        return None if row is None else str(row["account_id"])

    def make(self, identity_id: str, account: Account) -> None:
        """Store an identity and its new account: both or neither. Raises `AlreadyKnownError`."""
        # Two first sign-ins at once must end in one account.
        never_signed_in = Missing("identity_id")
        identity = Write(
            self._table,
            item={
                "identity_id": identity_id,
                "account_id": account.account_id,
                "created_at_ms": account.created_at_ms,
            },
            condition=never_signed_in,
            refused=_known,
        )
        self._db.transact([identity, self._accounts.new(account)])


def _known(row: Item | None) -> Exception:
    if row is None:
        return AssertionError("an identity was refused but is not there")
    return AlreadyKnownError(row["account_id"])
