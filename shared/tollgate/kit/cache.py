"""Values that a process caches between requests: with an expiry, or the newest entries of many. Pure.

Not `cachetools`: its `TTLCache` restarts an entry's time whenever the entry is set, and a key's must not
restart.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from tollgate.kit.clock import Clock

Value = TypeVar("Value")

# The pause after a value could not be read again.
REPEAT_MS = 10_000


class CachedValue(Generic[Value]):
    """A value that is read when it is first needed, and again `for_ms` after it was.

    A read that raises is not remembered: the next one reads again. With `report`, which receives the error,
    an earlier value stays in use meanwhile, and the next read is after `REPEAT_MS`.
    """

    def __init__(
        self,
        read: Callable[[], Value],
        for_ms: int,
        clock: Clock,
        report: Callable[[Exception], None] | None = None,
    ) -> None:
        self._read = read
        self._for_ms = for_ms
        self._clock = clock
        self._report = report
        self._known: tuple[int, Value] | None = None

    def get(self) -> Value:
        """Return the value, which is older than `for_ms` only after a failed read. Raises its errors."""
        now_ms, known = self._clock.now_ms(), self._known
        if known is not None and now_ms - known[0] < self._for_ms:
            return known[1]
        try:
            self._known = (now_ms, self._read())
        except Exception as exc:
            if known is None or self._report is None:
                raise
            self._report(exc)
            self._known = (now_ms - self._for_ms + REPEAT_MS, known[1])
        return self._known[1]


class BoundedCache(OrderedDict[str, Value]):
    """A dict of at most `most` entries, which drops the oldest first."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: str, value: Value) -> None:
        """Set an entry, which is the newest now."""
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
