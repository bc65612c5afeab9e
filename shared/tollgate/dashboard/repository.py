"""Identities in DynamoDB: which account a person who signs in has."""

from tollgate.accounts.models import Account
from tollgate.accounts.repository import AccountRepository
from tollgate.kit.dynamodb import Database
from tollgate.kit.expressions import Missing
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
