"""Who is calling: the rules, and the authenticator of `functions/api`. For text see `async_auth.py`.

A wrong key is refused without a read if possible: by its checksum, then by the cache of the last 30 s.
So in 30 s a flood of wrong keys reads an unknown id once, and the id of a real key a few times.
"""

from dataclasses import dataclass, replace
from typing import Protocol

from tollgate.accounts.errors import InvalidApiKeyError
from tollgate.accounts.keys import PREFIX, key_id_of
from tollgate.accounts.models import ApiKey
from tollgate.accounts.networks import contains
from tollgate.accounts.scopes import Scope
from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.expressions import AtMost, Exists, Missing, Set
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import ForbiddenError
from tollgate.kit.observability import logger

# A revoked key works at most this much longer (site/keys.md).
KEY_CACHE_MS = 30 * MS_PER_S
MAX_CACHED_KEYS = 10_000
# Of one key in 30 s: a secret that differs from the cached one may be new, or a guess.
MAX_READS = 3
# A key's last use is at most this old, and is written at most this often.
USE_RECORD_INTERVAL_MS = 5 * 60 * MS_PER_S


class UseAlreadyRecordedError(Exception):
    """A use of about now is noted already, or the key is gone."""


def use_write(table: str, key_id: str, now_ms: int) -> Write:
    """Return the write that notes a key's last use. Refused: `UseAlreadyRecordedError`."""
    # An update would create a row if there is none.
    key_is_there = Exists("key_id")
    # It was never used, or no use was noted for a while.
    never_used, noted_long_ago = (
        Missing("last_used_at_ms"),
        AtMost("last_used_at_ms", now_ms - USE_RECORD_INTERVAL_MS),
    )
    return Write(
        table,
        key={"key_id": key_id},
        update=(Set("last_used_at_ms", now_ms),),
        condition=key_is_there & (never_used | noted_long_ago),
        refused=lambda _: UseAlreadyRecordedError(key_id),
    )


def checked_id(text: str) -> str:
    """Return the id in a key's text; costs no read.

    Raises `InvalidApiKeyError` if it cannot be a key of this service.
    """
    key_id = key_id_of(text)
    if key_id is None:
        raise InvalidApiKeyError("" if text.startswith(PREFIX) else InvalidApiKeyError.NOT_OURS)
    return key_id


def accepted(text: str, key: ApiKey | None, scope: Scope, address: str | None, now_ms: int) -> ApiKey:
    """Return the stored key if `text` is its secret and it is valid for `scope`, from `address`, now.

    Raises `InvalidApiKeyError` (unknown, expired, revoked, another secret) or `ForbiddenError`.
    """
    # One error for all of it, so that guesses do not reveal whether the id, the secret or the date is wrong.
    if key is None or not key.opens_with(text, now_ms) or not key.usable_at(now_ms):
        raise InvalidApiKeyError
    # From here on the key is proven, so the errors may name the missing permission.
    if key.networks is not None and not contains(key.networks, address):
        message = f"This API key may not be used from the address {address}."
        raise ForbiddenError(message, "Ask an owner of the account to change its networks.")
    if scope not in key.scopes:
        message = f"This API key has no '{scope}' scope."
        raise ForbiddenError(message, "Use a key with this scope, or ask an owner of the account to add it.")
    return key


@dataclass(frozen=True, slots=True)
class _Known:
    key: ApiKey
    until_ms: int
    reads: int = 1


class KeyCache:
    """A cache of reads of keys for 30 s: existing keys and missing ids.

    Both parts are bounded and drop the oldest first; they are separate, so guesses do not evict good keys.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._keys: BoundedCache[_Known] = BoundedCache(MAX_CACHED_KEYS)
        # When each id may be read again.
        self._missing: BoundedCache[int] = BoundedCache(MAX_CACHED_KEYS)

    def get(self, key_id: str, text: str) -> ApiKey | None:
        """Return the cached key of this id; `None` if it must be read.

        Raises `InvalidApiKeyError` for an id that does not exist.
        """
        # Each guessed id costs one read in 30 s.
        if self._clock.now_ms() < self._missing.get(key_id, 0):
            raise InvalidApiKeyError
        known = self._fresh(key_id)
        if known is None:
            return None
        # A secret that does not match may be new, after a rotation.
        settled = known.key.opens_with(text, self._clock.now_ms()) or known.reads >= MAX_READS
        return known.key if settled else None

    def known(self, key_id: str) -> ApiKey | None:
        """Return the cached key of this id, whatever the secret; `None` if it must be read."""
        found = self._fresh(key_id)
        return None if found is None else found.key

    def put(self, key_id: str, key: ApiKey | None) -> None:
        """Cache the result of a read."""
        until_ms = self._clock.now_ms() + KEY_CACHE_MS
        if key is None:
            self._missing[key_id] = until_ms
            return
        known = self._fresh(key_id)
        # Keep the time of the first read, so that the count of reads ends with it.
        self._keys[key_id] = (
            _Known(key, until_ms) if known is None else replace(known, key=key, reads=known.reads + 1)
        )

    def use_is_due(self, key: ApiKey) -> bool:
        """Return whether this use of a key is due to be noted, and treat it as noted from now on."""
        now_ms = self._clock.now_ms()
        if key.last_used_at_ms is not None and now_ms - key.last_used_at_ms < USE_RECORD_INTERVAL_MS:
            return False
        known = self._keys.get(key.key_id)
        # Set before the write: of several concurrent requests in this process, one writes.
        if known is not None:
            self._keys[key.key_id] = replace(known, key=replace(key, last_used_at_ms=now_ms))
        return True

    def _fresh(self, key_id: str) -> _Known | None:
        known = self._keys.get(key_id)
        return known if known is not None and self._clock.now_ms() < known.until_ms else None


class KeyStore(Protocol):
    """Stores keys and their last use."""

    def get(self, key_id: str) -> ApiKey | None:
        """Return the stored key, or `None`."""

    def record_use(self, key_id: str, now_ms: int) -> None:
        """Note a key's last use. Raises `UseAlreadyRecordedError`."""


class Authenticator:
    """Finds the account of an API key."""

    def __init__(self, keys: KeyStore, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._cache = KeyCache(clock)

    def authenticate(self, text: str, scope: Scope, address: str | None) -> ApiKey:
        """Return the key with this text, if it is valid for `scope` from `address`.

        Raises as `checked_id` and `accepted` do.
        """
        key_id = checked_id(text)
        key = self._cache.get(key_id, text) or self._read(key_id)
        good = accepted(text, self._within(key), scope, address, self._clock.now_ms())
        if key is not None and self._cache.use_is_due(key):
            self._record_use(key)
        return good

    def authenticate_now(self, text: str, scope: Scope, address: str | None) -> ApiKey:
        """As `authenticate`, but with the key as it is stored now: for routes that change keys and secrets.

        The cache is checked first, so a flood of wrong keys costs no reads here either.
        """
        self.authenticate(text, scope, address)
        return accepted(text, self._keys.get(checked_id(text)), scope, address, self._clock.now_ms())

    def current_now(self, key_id: str) -> ApiKey | None:
        """Read and return the key that created a workflow.

        `None` if it can no longer be used for media. A step is rare, so it reads its key each time.
        """
        key = self._keys.get(key_id)
        if key is not None and key.run is not None:
            key = key.within(self._keys.get(key.run.key_id), self._clock.now_ms())
        is_usable = key is not None and key.usable_at(self._clock.now_ms()) and Scope.MEDIA in key.scopes
        return key if is_usable else None

    def _within(self, key: ApiKey | None) -> ApiKey | None:
        """Return a key with its current permissions. A run token has the permissions of another key."""
        if key is None or key.run is None:
            return key
        creator_id = key.run.key_id
        creator = self._cache.known(creator_id) or self._read(creator_id)
        return key.within(creator, self._clock.now_ms())

    def _read(self, key_id: str) -> ApiKey | None:
        key = self._keys.get(key_id)
        self._cache.put(key_id, key)
        return key

    def _record_use(self, key: ApiKey) -> None:
        try:
            self._keys.record_use(key.key_id, self._clock.now_ms())
        except UseAlreadyRecordedError:
            return  # by another process
        except Exception:  # noqa: BLE001 - the boundary: no request fails because noting its use fails
            logger.exception("keys.use_not_noted", key_id=key.key_id)
