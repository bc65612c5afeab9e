"""Requests per minute: how many creates and text requests one account may make. Pure.

Requests of any kind are counted in `request_counts.py`.

Source: site/limits.md.

The account's row has one number, `request_rate`: the minute (since the epoch) times `BASE`, plus the requests
in it. The write that takes the money also counts the request, under its own condition, so a refused request
uses up nothing and every accepted request is counted. DynamoDB has no expression for "the larger of the two,
plus one", so there are two ways to count: `opens` starts a minute, the other way continues it. After a wrong
guess, the row in the refusal shows which way is right, and the process tries that one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.expressions import Add, Below, Between, Change, Condition, Missing, Set, Slot
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Counts, with_changes
from tollgate.ledger.errors import RateLimitedError
from tollgate.ledger.wallets import DEFAULT, Limits, row_ids

# More than the requests in any minute; a limit is lower.
BASE = 1_000_000
# A guess and its correction; one more try if the minute ends in between, one if another clock is ahead.
MAX_ATTEMPTS = 4
# Accounts whose minute a process caches, for its guess.
MAX_CACHED_ACCOUNTS = 10_000
# From this time in a minute on, every row of an account with wallets has been written in it.
ASSUME_OPEN_AFTER_MS = 1_000
MINUTE_S = 60
_MINUTE_MS = MINUTE_S * MS_PER_S


@dataclass(frozen=True, slots=True)
class RateWindow:
    """One request to count in `minute`, as the first request or as one more, if `limit` allows it."""

    minute: int
    opens: bool
    limit: int


class RateWindowMismatchError(Exception):
    """The minute is counted in the other way: try `window`."""

    def __init__(self, window: RateWindow) -> None:
        super().__init__(f"count with {window}")
        self.window = window


def count_request(write: Counts, window: RateWindow) -> Counts:
    """Return a write of the account's row that also counts a request, and is refused above the limit."""
    change, condition = counting(window_values(window), opens=window.opens)
    return with_changes(write, change, condition=condition)


def window_values(window: RateWindow) -> dict[str, int]:
    """Return the numbers in the row: before the minute, after its first request, and before its last."""
    floor = window.minute * BASE
    return {"floor": floor, "first": floor + 1, "last": floor + window.limit - 1}


def counting(values: Mapping[str, int | Slot], *, opens: bool) -> tuple[Change, Condition]:
    """Return the change and the condition that count a request, with `window_values` or their slots."""
    if opens:
        # No request of this account was counted yet, or the last one was in an earlier minute.
        no_request_yet, last_was_earlier = Missing("request_rate"), Below("request_rate", values["floor"])
        return Set("request_rate", values["first"]), no_request_yet | last_was_earlier
    # This minute is open, and fewer than `limit` requests were counted in it.
    has_room_in_minute = Between("request_rate", values["floor"], values["last"])
    return Add("request_rate", 1), has_room_in_minute


def rate_refused(account: Item, window: RateWindow) -> Exception | None:
    """Return the error if, by the row found, a write was refused for its `window`.

    That is `RateWindowMismatchError` or `RateLimitedError`; `None` if there is another reason.
    """
    minute, count = divmod(account.get("request_rate", 0), BASE)
    if minute > window.minute or (minute == window.minute and window.opens):
        # A process with a faster clock, or just another process, opened this minute.
        moved = replace(window, minute=minute, opens=False)
        return RateLimitedError(window.limit) if count >= window.limit else RateWindowMismatchError(moved)
    if minute < window.minute:
        return None if window.opens else RateWindowMismatchError(replace(window, opens=True))
    return RateLimitedError(window.limit) if count >= window.limit else None


def with_lower_remaining(headers: dict[str, str], left: int) -> dict[str, str]:
    """Return rate headers that promise no more than `left` requests."""
    remaining = min(int(headers["x-ratelimit-remaining"]), max(0, left))
    return {**headers, "x-ratelimit-remaining": str(remaining)}


class RateMeter:
    """The requests per minute that one process has seen for each row: the guess and the customer's headers.

    A row is an account's own or a wallet's, each with its share of the account's limit. Other processes count
    too, so the number left here is an upper bound; only the row is exact.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._seen: BoundedCache[int] = BoundedCache(MAX_CACHED_ACCOUNTS)

    def guess(self, row_id: str, now_ms: int, limits: Limits = DEFAULT) -> RateWindow:
        """Return the window that most likely counts a request now, in a row with these limits."""
        minute, into_ms = divmod(now_ms, _MINUTE_MS)
        known = self._seen.get(row_id, 0) // BASE
        # An account with wallets is busy: assume another process has already opened this minute in each row.
        is_open = known >= minute or (limits.wallets > 1 and into_ms > ASSUME_OPEN_AFTER_MS)
        # A cached minute that our clock has not reached was opened by a process with a faster
        # clock.
        return RateWindow(max(minute, known), not is_open, limits.requests_per_minute or self._limit)

    def counted(self, row_id: str, window: RateWindow) -> None:
        """Note a request that was counted."""
        minute, count = divmod(self._seen.get(row_id, 0), BASE)
        self._seen[row_id] = window.minute * BASE + (count if minute == window.minute else 0) + 1

    def refused(self, row_id: str, now_ms: int, limits: Limits = DEFAULT) -> None:
        """Note that the minute is used up."""
        # As if this process had counted them all: the next headers report 0 left.
        self._seen[row_id] = now_ms // _MINUTE_MS * BASE + (limits.requests_per_minute or self._limit)

    def headers(self, account_id: str, now_ms: int, limits: Limits = DEFAULT) -> dict[str, str]:
        """Return the `x-ratelimit-*` headers: the limit, the most that is left, seconds until it resets.

        `limits` apply to each of the account's rows.
        """
        limit = limits.wallets * (limits.requests_per_minute or self._limit)
        used = sum(self._used(row, now_ms) for row in row_ids(account_id, limits.wallets))
        return {
            "x-ratelimit-limit": str(limit),
            "x-ratelimit-remaining": str(max(0, limit - used)),
            "x-ratelimit-reset": str(MINUTE_S - now_ms // MS_PER_S % MINUTE_S),
        }

    def _used(self, row_id: str, now_ms: int) -> int:
        minute, count = divmod(self._seen.get(row_id, 0), BASE)
        return count if minute == now_ms // _MINUTE_MS else 0
