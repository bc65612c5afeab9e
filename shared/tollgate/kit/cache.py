"""Values that a process caches between requests: with an expiry, or the newest entries of many. Pure.

Not `cachetools`: its `TTLCache` restarts an entry's time whenever the entry is set, and a key's must not
restart.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from tollgate.kit.clock import Clock

Value = TypeVar("Value")


class CachedValue(Generic[Value]):
    """A value that is read when it is first needed, and again `for_ms` after it was.

    A read that raises is not remembered: the next one reads again.
    """

    def __init__(self, read: Callable[[], Value], for_ms: int, clock: Clock) -> None:
        self._read = read
        self._for_ms = for_ms
        self._clock = clock
        self._known: tuple[int, Value] | None = None

    def get(self) -> Value:
        """Return the value, at most `for_ms` old. Raises the errors of the read."""
        now_ms = self._clock.now_ms()
        if self._known is None or now_ms - self._known[0] >= self._for_ms:
            self._known = (now_ms, self._read())
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
