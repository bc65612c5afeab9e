"""Requests per minute: how many creates and text requests one account may make. Pure.

Source: docs/contract.md#limits.

The account's row has one number, `request_rate`: the minute (since the epoch) times `BASE`, plus the requests
in it. The write that takes the money counts the request too, under a condition of its own, so a refused
request uses up nothing and none slips through. DynamoDB cannot say "the larger of the two, plus one", so
there are two ways to count: `opens` starts a minute, the other one goes on in it. Whoever guessed wrong is
told by the row that was found, and tries the other way.
"""

from dataclasses import dataclass, replace

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import RateLimitedError
from tollgate.kit.expressions import Add, Below, Between, Missing, Set
from tollgate.kit.remembered import Newest
from tollgate.kit.rows import Item
from tollgate.kit.writes import Write

# More than any minute has requests; a limit is less.
BASE = 1_000_000
# A minute that ends in between costs one more, a clock that is ahead of ours another.
MAX_ATTEMPTS = 4
# Accounts whose minute a process remembers, to guess right.
MAX_REMEMBERED = 10_000
MINUTE_S = 60
_MINUTE_MS = MINUTE_S * MS_PER_S


@dataclass(frozen=True, slots=True)
class RateWindow:
    """One request to be counted in `minute`, as the first one or as one more, where `limit` are allowed."""

    minute: int
    opens: bool
    limit: int


class RateWindowMovedError(Exception):
    """The minute is counted in the other way: try `window`."""

    def __init__(self, window: RateWindow) -> None:
        super().__init__(f"count with {window}")
        self.window = window


def count_request(write: Write, window: RateWindow) -> Write:
    """Return a write of the account's row that also counts a request, and is refused above the limit."""
    floor = window.minute * BASE
    if window.opens:
        # Nobody of this account made a request yet, or the last one was in a minute before this one.
        no_request_yet, last_was_earlier = Missing("request_rate"), Below("request_rate", floor)
        return write.also(Set("request_rate", floor + 1), condition=no_request_yet | last_was_earlier)
    # Somebody opened this very minute, and fewer than `limit` were counted in it.
    has_room_in_minute = Between("request_rate", floor, floor + window.limit - 1)
    return write.also(Add("request_rate", 1), condition=has_room_in_minute)


def rate_refused(account: Item, window: RateWindow) -> Exception | None:
    """Return whether, by the row found, a write was refused for its `window`.

    Then it is `RateWindowMovedError`, or `RateLimitedError`; `None` where something else is the reason.
    """
    minute, count = divmod(account.get("request_rate", 0), BASE)
    if minute > window.minute or (minute == window.minute and window.opens):
        # A clock ahead of ours, or another process, opened this minute.
        moved = replace(window, minute=minute, opens=False)
        return RateLimitedError(window.limit) if count >= window.limit else RateWindowMovedError(moved)
    if minute < window.minute:
        return None if window.opens else RateWindowMovedError(replace(window, opens=True))
    return RateLimitedError(window.limit) if count >= window.limit else None


class RateMeter:
    """What one process knows of the minute of each account: how to count, and what to tell the customer.

    Others count as well, so what is left is at most what this says; exact is only the row.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._seen: Newest[int] = Newest(MAX_REMEMBERED)

    def guess(self, account_id: str, now_ms: int) -> RateWindow:
        """Return how a request of now is most likely to be counted."""
        minute = now_ms // _MINUTE_MS
        known = self._seen.get(account_id, 0) // BASE
        # A minute that we know of and that our clock has not reached was opened by a process with a faster
        # clock.
        return RateWindow(max(minute, known), known < minute, self._limit)

    def counted(self, account_id: str, window: RateWindow) -> None:
        """Note a request that was counted."""
        minute, count = divmod(self._seen.get(account_id, 0), BASE)
        self._seen[account_id] = window.minute * BASE + (count if minute == window.minute else 0) + 1

    def refused(self, account_id: str, now_ms: int) -> None:
        """Note that the minute is used up."""
        # As if we had counted them all: the headers of what follows say that nothing is left.
        self._seen[account_id] = now_ms // _MINUTE_MS * BASE + self._limit

    def headers(self, account_id: str, now_ms: int) -> dict[str, str]:
        """Return the `x-ratelimit-*` headers: the limit, what is left at most, seconds until it is whole."""
        minute, count = divmod(self._seen.get(account_id, 0), BASE)
        used = count if minute == now_ms // _MINUTE_MS else 0
        return {
            "x-ratelimit-limit": str(self._limit),
            "x-ratelimit-remaining": str(max(0, self._limit - used)),
            "x-ratelimit-reset": str(MINUTE_S - now_ms // MS_PER_S % MINUTE_S),
        }
