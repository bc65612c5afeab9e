"""Accounts and API keys in DynamoDB. Balances change in `ledger/`, never here."""

from collections.abc import Iterator

from tollgate.accounts.models import Account, ApiKey
from tollgate.kit.dynamodb import Database
from tollgate.kit.writes import Write


class AlreadyExistsError(Exception):
    """A row with this id is there already."""


class AccountRepository:
    """Reads accounts, and makes new ones with nothing on them."""

    def __init__(self, db: Database, table: str) -> None:
        self._db = db
        self._table = table

    def get(self, account_id: str) -> Account | None:
        """Give the account, or `None`."""
        row = self._db.get(self._table, {"account_id": account_id})
        return None if row is None else Account.from_item(row)

    def add(self, account: Account) -> None:
        """Store a new account. Raises `AlreadyExistsError`; `ValueError` for one that starts with money."""
        if account.balance_micro_usd:
            raise ValueError("an account starts empty: money comes from a ledger entry")
        self._db.write(
            Write(
                self._table,
                item=account.to_item(),
                condition="attribute_not_exists(account_id)",
                refused=lambda _: AlreadyExistsError(account.account_id),
            )
        )

    def all(self) -> Iterator[Account]:
        """Give every account; for audits only."""
        return (Account.from_item(row) for row in self._db.scan(self._table))


class ApiKeyRepository:
    """Reads and adds API keys."""

    def __init__(self, db: Database, table: str) -> None:
        self._db = db
        self._table = table

    def get(self, key_id: str) -> ApiKey | None:
        """Give the stored key, or `None`."""
        row = self._db.get(self._table, {"key_id": key_id})
        return None if row is None else ApiKey.from_item(row)

    def add(self, key: ApiKey) -> None:
        """Store a new key. Raises `AlreadyExistsError`."""
        self._db.write(
            Write(
                self._table,
                item=key.to_item(),
                condition="attribute_not_exists(key_id)",
                refused=lambda _: AlreadyExistsError(key.key_id),
            )
        )
