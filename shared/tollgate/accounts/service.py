"""Who is calling, and opening accounts."""

import secrets
from base64 import b64encode
from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol

from tollgate.accounts.keys import key_id_of, matches, new_key
from tollgate.accounts.models import ALL_SCOPES, Account, ApiKey, Scope
from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.errors import ForbiddenError, InvalidApiKeyError, UserNotFoundError
from tollgate.kit.ids import new_id
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.repository import LedgerRepository

KEY_CACHE_MS = 30 * MS_PER_S
"""A revoked key works at most this much longer (design §6)."""
MAX_CACHED_KEYS = 10_000
WEBHOOK_SECRET_BYTES = 32


class KeyStore(Protocol):
    """Where keys are read from."""

    def get(self, key_id: str) -> ApiKey | None:
        """Give the stored key, or `None`."""


class KeyCache:
    """Good keys, remembered for 30 s; it is bounded, and forgets the oldest first."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._keys: OrderedDict[str, tuple[ApiKey, int]] = OrderedDict()

    def get(self, key_id: str) -> ApiKey | None:
        """Give a key that was read less than 30 s ago."""
        cached = self._keys.get(key_id)
        return cached[0] if cached is not None and self._clock.now_ms() < cached[1] else None

    def put(self, key: ApiKey) -> None:
        """Remember a key that was just read."""
        self._keys[key.key_id] = (key, self._clock.now_ms() + KEY_CACHE_MS)
        self._keys.move_to_end(key.key_id)
        while len(self._keys) > MAX_CACHED_KEYS:
            self._keys.popitem(last=False)


def bearer_key(authorization: str | None) -> tuple[str, str]:
    """Give a key's text and id from `Authorization: Bearer …`; costs no read.

    Raises `InvalidApiKeyError` for what cannot be a key of ours.
    """
    scheme, _, text = (authorization or "").strip().partition(" ")
    text = text.strip()
    key_id = key_id_of(text)
    if scheme.lower() != "bearer" or key_id is None:
        raise InvalidApiKeyError
    return text, key_id


def accepted(text: str, key: ApiKey | None, scope: Scope, now_ms: int) -> ApiKey:
    """Give the stored key if `text` is it and it is good for `scope` now.

    Raises `InvalidApiKeyError` (unknown, expired, revoked, another secret) or `ForbiddenError`.
    """
    if key is None or not matches(text, key.digest) or not key.usable_at(now_ms):
        raise InvalidApiKeyError
    if scope not in key.scopes:
        raise ForbiddenError(scope)
    return key


class Authenticator:
    """Tells the account behind an `Authorization` header."""

    def __init__(self, keys: KeyStore, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._cache = KeyCache(clock)

    def authenticate(self, authorization: str | None, scope: Scope) -> ApiKey:
        """Give the key that the header names. Raises as `bearer_key` and `accepted` do."""
        text, key_id = bearer_key(authorization)
        key = self._cache.get(key_id)
        if key is None:
            key = self._keys.get(key_id)
            if key is not None:
                self._cache.put(key)
        return accepted(text, key, scope, self._clock.now_ms())


@dataclass(frozen=True, slots=True)
class OpenedAccount:
    """A new account with its first key, which is shown now and never again."""

    account_id: str
    api_key: str
    webhook_secret: str


class AccountService:
    """Opens accounts and shows them."""

    def __init__(
        self, accounts: AccountRepository, keys: ApiKeyRepository, ledger: LedgerRepository, clock: Clock
    ) -> None:
        self._accounts = accounts
        self._keys = keys
        self._ledger = ledger
        self._clock = clock

    def me(self, account_id: str) -> Account:
        """Give the account. Raises `UserNotFoundError`."""
        account = self._accounts.get(account_id)
        if account is None:
            raise UserNotFoundError
        return account

    def open(self, credit_micro_usd: int) -> OpenedAccount:
        """Open an account with a key of all scopes and `credit_micro_usd` on it."""
        now_ms = self._clock.now_ms()
        account_id = new_id("usr")
        webhook_secret = "whsec_" + b64encode(secrets.token_bytes(WEBHOOK_SECRET_BYTES)).decode()
        self._accounts.add(Account(account_id, 0, 0, now_ms, (webhook_secret,)))
        if credit_micro_usd:
            entry = Entry(account_id, new_id("credit"), EntryKind.CREDIT, credit_micro_usd, now_ms)
            self._ledger.credit(entry)
        key = new_key()
        self._keys.add(ApiKey(key.key_id, account_id, key.digest, ALL_SCOPES, now_ms))
        return OpenedAccount(account_id, key.text, webhook_secret)
