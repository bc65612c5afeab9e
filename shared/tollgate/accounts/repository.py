"""Accounts and API keys in DynamoDB. Balances change in `ledger/`, never here."""

from collections.abc import Iterator, Sequence

from tollgate.accounts.auth import use_write
from tollgate.accounts.errors import InvalidApiKeyError, KeyNotFoundError
from tollgate.accounts.models import Account, ApiKey
from tollgate.accounts.webhook_secrets import WebhookSecret
from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.dynamodb.database import Database, OneTable
from tollgate.kit.dynamodb.expressions import Add, Condition, Equals, Exists, Missing, Remove, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, TransactWrite, Write, count_one, put_new
from tollgate.kit.errors import ConcurrencyLimitedError, UserNotFoundError
from tollgate.ledger.errors import KeyLimitReachedError
from tollgate.ledger.wallet_repository import WalletRepository
from tollgate.ledger.wallets import DEFAULT, Limits, is_wallet, merged_rows

# Keys of one account, not counting revoked keys.
MAX_API_KEYS = 100
# Expiring keys of all accounts that are looked at for one day.
MAX_EXPIRING = 10_000


class AlreadyExistsError(Exception):
    """There is a row with this id already."""


class StaleSecretsError(Exception):
    """Another rotation of the account's webhook secrets came first; nothing was written."""


class AlreadyRevokedError(Exception):
    """The key was revoked before; nothing was written."""


class StaleKeyError(Exception):
    """The key was changed or rotated since it was read; nothing was written. Read it, and decide again."""


class AccountRepository:
    """Reads accounts, and creates empty ones."""

    def __init__(self, db: Database, table: str) -> None:
        self._db = db
        self._table = table
        self._wallets = WalletRepository(db, table)

    def get(self, account_id: str) -> Account | None:
        """Return the account, or `None`."""
        rows = self._wallets.rows(account_id)
        return Account.from_item(merged_rows(rows)) if rows else None

    def existing(self, account_id: str) -> Account:
        """Return the account. Raises `UserNotFoundError`."""
        account = self.get(account_id)
        if account is None:
            raise UserNotFoundError
        return account

    def add(self, account: Account) -> None:
        """Store a new account. Raises as `new` does, and `AlreadyExistsError`."""
        self._db.write(self.new(account))

    def new(self, account: Account, limits: Limits = DEFAULT) -> Write:
        """Return the write that stores a new account with these limits.

        Raises `ValueError` if it starts with money.
        """
        if account.balance_micro_usd:
            raise ValueError("an account starts empty: money comes from a ledger entry")
        limited = {"limits": limits.to_item()} if limits != DEFAULT else {}
        row = account.to_item() | limited
        return put_new(self._table, row, "account_id", lambda _: AlreadyExistsError(account.account_id))

    def replace_webhook_secrets(
        self,
        account_id: str,
        read: Sequence[WebhookSecret],
        new: Sequence[WebhookSecret],
        *others: TransactWrite,
    ) -> None:
        """Replace `read` by `new`, together with other writes: all, or nothing.

        Raises `StaleSecretsError` if the stored secrets are no longer `read`.
        """
        items = [secret.to_item() for secret in new]
        # No rotation since it was read: the newest secret is the same.
        newest_is_the_same = Equals(("webhook_secrets", 0, "secret"), read[0].text)
        # Accounts older than rotation have bare strings instead of maps.
        newest_is_that_string = Equals(("webhook_secrets", 0), read[0].text)
        replaced = Write(
            self._table,
            key={"account_id": account_id},
            update=(Set("webhook_secrets", items),),
            condition=newest_is_the_same | newest_is_that_string,
            refused=lambda _: StaleSecretsError(account_id),
        )
        self._db.transact([replaced, *others])

    def set_completes_answers(self, account_id: str, completes: bool, *others: TransactWrite) -> None:
        """Set whether text answers are completed after their client has disconnected.

        `others` are written in the same transaction. Raises `UserNotFoundError`.
        """
        is_there = Exists("account_id")
        chosen = Write(
            self._table,
            key={"account_id": account_id},
            update=(Set("completes_answers", completes),),
            condition=is_there,
            refused=lambda _: UserNotFoundError(),
        )
        self._db.transact([chosen, *others])

    def count_key(self, account_id: str) -> CountingWrite:
        """Return the write that counts one more listed key. Refused: `KeyLimitReachedError`."""
        return count_one(
            self._table,
            {"account_id": account_id},
            "api_keys",
            most=MAX_API_KEYS,
            # Accounts older than the count of keys have one key.
            start=1,
            refused=_key_refused,
        )

    def uncount_key(self, account_id: str) -> CountingWrite:
        """Return the write that counts one listed key less."""
        account_is_there = Exists("account_id")
        return CountingWrite(
            self._table,
            key={"account_id": account_id},
            update=(Add("api_keys", -1, start=1),),
            condition=account_is_there,
            refused=lambda _: UserNotFoundError(),
        )

    def all(self) -> Iterator[Account]:
        """Return every account; for audits only."""
        rows = (row for row in self._db.scan(self._table) if not is_wallet(row["account_id"]))
        return (Account.from_item(merged_rows(self._wallets.all_rows(row))) for row in rows)


class ApiKeyRepository(OneTable):
    """Reads and writes API keys."""

    def get(self, key_id: str) -> ApiKey | None:
        """Return the stored key, or `None`."""
        return self._find({"key_id": key_id}, ApiKey.from_item)

    def listed(self, account_id: str) -> list[ApiKey]:
        """Return an account's listed keys, the newest first; a very new key may be missing."""
        rows = self._db.query(
            self._table,
            Equals("account_id", account_id),
            index="AccountIndex",
            limit=MAX_API_KEYS,
            newest_first=True,
        )
        return [ApiKey.from_item(row) for row in rows]

    def members(self, account_id: str) -> dict[str, str]:
        """Return the identity id of the member who created each key, for the keys of which it is known."""
        return {key.key_id: key.made_by for key in self.listed(account_id) if key.made_by is not None}

    def expiring_on(self, day: str) -> list[ApiKey]:
        """Return the keys that expire on a UTC day (`2026-11-22`) and were not revoked."""
        rows = self._db.query(self._table, Equals("expiry_day", day), index="ExpiryIndex", limit=MAX_EXPIRING)
        found = [self.get(row["key_id"]) for row in rows]
        return [key for key in found if key is not None and key.revoked_at_ms is None and key.listed]

    def add(self, key: ApiKey, *others: TransactWrite) -> None:
        """Store a new key together with other writes: all, or nothing.

        Raises `AlreadyExistsError`, or the error of the first of the others that is refused.
        """
        put = put_new(self._table, key.to_item(), "key_id", lambda _: AlreadyExistsError(key.key_id))
        self._transact([*others, put])

    def still(self, caller: ApiKey) -> Write:
        """Return a write for a transaction that is to succeed only while a caller's key is as it was read.

        Refused: `InvalidApiKeyError` for a revoked key, `ConcurrencyLimitedError` for a changed key.
        """
        # It changes nothing. A condition check would need another IAM permission, for the same price.
        return Write(
            self._table,
            key={"key_id": caller.key_id},
            update=(Set("account_id", caller.acts_from or caller.account_id),),
            condition=Missing("revoked_at_ms") & _nobody_changed(caller),
            refused=_caller_refused,
        )

    def outdate(self, read: ApiKey) -> Write:
        """Return a write that ends all changes decided with this key as read. Refused: `StaleKeyError`."""
        return Write(
            self._table,
            key={"key_id": read.key_id},
            update=(Set("seq", read.seq + 1),),
            condition=_is_as_judged(read),
            refused=lambda _: StaleKeyError(read.key_id),
        )

    def change(self, read: ApiKey, changed: ApiKey, *others: TransactWrite) -> None:
        """Write the differences between a listed key as it was read and `changed`, with other writes.

        Raises `KeyNotFoundError` when it was revoked meanwhile, `StaleKeyError` when it was changed or
        rotated.
        """
        before, after = read.to_item(), changed.to_item()
        sets = {name: value for name, value in after.items() if before.get(name) != value}
        gone = [name for name in before if name not in after]
        # Nothing to write, so no new `seq` that would make other changes start again.
        if not sets and not gone:
            return
        sets["seq"] = read.seq + 1
        write = Write(
            self._table,
            key={"key_id": read.key_id},
            update=(*(Set(name, value) for name, value in sets.items()), *map(Remove, gone)),
            condition=_is_as_judged(read),
            refused=_change_refused,
        )
        if others:
            self._transact([write, *others])
        else:
            self._db.write(write)

    def revoke(self, key: ApiKey, now_ms: int, *others: TransactWrite) -> None:
        """Revoke a listed key, as it was read, together with other writes.

        Raises `AlreadyRevokedError`, or `StaleKeyError` when it was changed or rotated meanwhile.
        """
        revoke = Write(
            self._table,
            key={"key_id": key.key_id},
            # Without `listed_at` it leaves the index of listed keys, and every later change is refused.
            update=(
                Set("revoked_at_ms", now_ms),
                Set("seq", key.seq + 1),
                Remove("listed_at"),
                Remove("expiry_day"),
            ),
            condition=_is_as_judged(key),
            refused=_revoke_refused,
        )
        self._transact([revoke, *others])

    def revoke_run(self, key_id: str, now_ms: int, *others: TransactWrite) -> None:
        """Revoke the key of a run token together with other writes. Raises `AlreadyRevokedError`."""
        is_there, was_not_revoked = Exists("run"), Missing("revoked_at_ms")
        revoke = Write(
            self._table,
            key={"key_id": key_id},
            update=(Set("revoked_at_ms", now_ms),),
            condition=is_there & was_not_revoked,
            refused=lambda _: AlreadyRevokedError(),
        )
        self._transact([revoke, *others])

    def revoke_internal(self, key_id: str, account_id: str, expires_at_ms: int, now_ms: int) -> None:
        """Revoke an internal key, whether it exists or not: it can be neither used nor created any more."""
        ended = ApiKey(key_id, account_id, "", frozenset(), now_ms, expires_at_ms, revoked_at_ms=now_ms)
        row = {name: value for name, value in ended.to_item().items() if name != "key_id"}
        sets = tuple(Set(name, value) for name, value in row.items())
        self._db.write(Write(self._table, key={"key_id": key_id}, update=sets))

    def record_use(self, key_id: str, now_ms: int) -> None:
        """Note a key's last use. Raises `UseAlreadyRecordedError`."""
        self._db.write(use_write(self._table, key_id, now_ms))

    def _transact(self, writes: Sequence[TransactWrite]) -> None:
        try:
            self._db.transact(writes)
        except WriteConflictError as exc:
            raise ConcurrencyLimitedError("Too many requests of this account at the same time.") from exc


def _is_as_judged(read: ApiKey) -> Condition:
    """Return the condition that a key was not revoked, changed or rotated since it was read.

    The permission check used the key that was read, so a key that gained rights meanwhile must not match. Its
    last use does not count, because no decision depends on it.
    """
    is_listed = Exists("listed_at")
    return is_listed & _nobody_changed(read)


def _nobody_changed(read: ApiKey) -> Condition:
    # A key has no number before its first change.
    return Equals("seq", read.seq) if read.seq else Missing("seq")


def _caller_refused(caller: Item | None) -> Exception:
    if caller is None or "revoked_at_ms" in caller:
        return InvalidApiKeyError()
    return ConcurrencyLimitedError("This API key was changed at the same time.")


def _key_refused(account: Item | None) -> Exception:
    if account is None:
        return UserNotFoundError()
    return KeyLimitReachedError(f"This account has {MAX_API_KEYS} API keys, the most allowed.")


def _change_refused(key: Item | None) -> Exception:
    if key is None or "listed_at" not in key:
        return KeyNotFoundError()
    return StaleKeyError(key["key_id"])


def _revoke_refused(key: Item | None) -> Exception:
    if key is None or "listed_at" not in key:
        return AlreadyRevokedError()
    return StaleKeyError(key["key_id"])
