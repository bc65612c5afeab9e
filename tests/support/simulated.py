"""A loop whose time passes at once: when nobody has anything to do, the next timer is due.

Threads may wait for it as well (`Threads`): while one of them works, time stands still. So a simulation of
minutes takes as long as its code, and gives the same on a busy machine.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

LOOK_S = 0.02
T = TypeVar("T")


class SimulatedLoop(asyncio.SelectorEventLoop):
    """`time()` is simulated, from 0 on; so is everything that goes by it (`asyncio.sleep`, `call_later`)."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.at_work = 0
        """Threads that do something, and so time must not pass."""
        super().__init__(_Selector(self))

    def time(self) -> float:
        """Return the time, in seconds."""
        return self.now_s


class _Selector(selectors.DefaultSelector):
    def __init__(self, loop: SimulatedLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready; let time pass instead of waiting for it."""
        while not (found := super().select(0)) and timeout != 0:
            if self._loop.at_work:
                super().select(LOOK_S)
                continue
            assert timeout is not None, "everybody waits for somebody else"
            self._loop.now_s += max(timeout, 0.0)
            break
        return found


class Threads:
    """For code that blocks: a thread of it waits for the loop, and the loop for the thread."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop

    async def run(self, work: Callable[[], Any]) -> Any:
        """Carry out `work` in a thread; return what it does."""
        self._loop.at_work += 1
        done = self._loop.run_in_executor(None, work)
        try:
            return await done
        finally:
            self._loop.at_work -= 1

    def wait(self, what: Coroutine[Any, Any, T]) -> T:
        """Wait in a thread for something that the loop does; give what it is."""
        return asyncio.run_coroutine_threadsafe(self._awaited(what), self._loop).result()

    def sleep(self, delay_s: float) -> None:
        """Sleep in a thread."""
        self.wait(asyncio.sleep(delay_s))

    async def _awaited(self, what: Coroutine[Any, Any, T]) -> T:
        self._loop.at_work -= 1
        try:
            return await what
        finally:
            self._loop.at_work += 1
