"""All requests of an account in a minute, including requests that take no money. Pure.

Source: docs/decisions/0019-requests-per-minute.md.

Requests that take money are counted one by one, by the write that takes it (`rate.py`). All requests together
have a larger window, and most of them write nothing. So each process counts locally, and shares its count
after every hundredth part of the window: it adds its count to `all_requests` of the account's row, which
is the minute (since the epoch) times `BASE`, plus the requests in it. The write's condition is that the row
still has the number that this process read, so a repeat of the write changes nothing.
"""

from dataclasses import dataclass
from secrets import token_hex

from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.expressions import Below, Equals, Exists, Missing, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write
from tollgate.ledger.errors import RateLimitedError
from tollgate.ledger.rate import MAX_CACHED_ACCOUNTS, MINUTE_S
from tollgate.ledger.wallets import DEFAULT, Limits

ATTRIBUTE, MARK = "all_requests", "all_requests_mark"
# Allowed requests of any kind for each allowed request that takes money.
FACTOR = 10
# A process shares its count after this part of the window.
PARTS = 100
# More than the requests in any minute.
BASE = 100_000_000
_MINUTE_MS = MINUTE_S * MS_PER_S


class StaleCountError(Exception):
    """The row's number has changed. `found` is the new number, `mark` the mark of its writer."""

    def __init__(self, row: Item | None) -> None:
        super().__init__("another process told its count")
        known = row or {}
        self.found: int = known.get(ATTRIBUTE, 0)
        self.mark: str | None = known.get(MARK)


@dataclass(frozen=True, slots=True)
class Share:
    """A process's unshared count: `own` requests. The row gets `mark`, so a repeat is recognised."""

    write: Write
    own: int
    mark: str


class RequestMeter:
    """One process's view of each account's minute: the number in the row and its own count."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._told: BoundedCache[int] = BoundedCache(MAX_CACHED_ACCOUNTS)
        self._own: BoundedCache[int] = BoundedCache(MAX_CACHED_ACCOUNTS)

    def count(self, account_id: str, now_ms: int, limits: Limits = DEFAULT) -> None:
        """Count a request. Raises `RateLimitedError` if this process knows that the minute is used up."""
        if self.left(account_id, now_ms, limits) <= 0:
            raise RateLimitedError(self._most(limits))
        self._own[account_id] = self._at(self._own, account_id, now_ms) + 1

    def left(self, account_id: str, now_ms: int, limits: Limits = DEFAULT) -> int:
        """Return how many requests are left in this minute at most: other processes count as well."""
        counts = self._at(self._told, account_id, now_ms) + self._at(self._own, account_id, now_ms)
        return self._most(limits) + 2 * _floor(now_ms) - counts

    def take(self, table: str, account_id: str, now_ms: int, limits: Limits = DEFAULT) -> Share | None:
        """Return the count to share if it is large enough; from then on it counts as shared."""
        floor = _floor(now_ms)
        own = self._at(self._own, account_id, now_ms) - floor
        if own < max(1, self._most(limits) // PARTS):
            return None
        told = self._at(self._told, account_id, now_ms)
        total, mark = told + own, token_hex(4)
        self._told[account_id], self._own[account_id] = total, floor
        nobody_told_yet = Missing(ATTRIBUTE) | Below(ATTRIBUTE, floor)
        as_known = nobody_told_yet if told == floor else Equals(ATTRIBUTE, told)
        write = Write(
            table,
            key={"account_id": account_id},
            update=(Set(ATTRIBUTE, total), Set(MARK, mark)),
            # An update would create a row if there is none.
            condition=Exists("account_id") & as_known,
            refused=StaleCountError,
        )
        return Share(write, own, mark)

    def moved(self, account_id: str, share: Share, moved: StaleCountError, now_ms: int) -> None:
        """Note that a share was refused, and the number in the row: it is sent again with the next one.

        A row with the share's mark has this very share; only the answer to its write was lost.
        """
        self._told[account_id] = max(moved.found, _floor(now_ms))
        if moved.mark != share.mark:
            self._own[account_id] = self._at(self._own, account_id, now_ms) + share.own

    def _most(self, limits: Limits) -> int:
        return FACTOR * limits.wallets * (limits.requests_per_minute or self._limit)

    @staticmethod
    def _at(counts: BoundedCache[int], account_id: str, now_ms: int) -> int:
        """Return a number of this minute; 0 if it is of an earlier minute."""
        return max(counts.get(account_id, 0), _floor(now_ms))


def _floor(now_ms: int) -> int:
    return now_ms // _MINUTE_MS * BASE
