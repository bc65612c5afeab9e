"""Writes that are never cut short: if their caller is cancelled, they still complete."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

# At shutdown. Lambda gives a process about 0.3 s, other places more.
MAX_WAIT_S = 5.0

Written = TypeVar("Written")


class Finishing:
    """The writes under way in one process."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def run(self, write: Coroutine[Any, Any, Written]) -> Written:
        """Return the result of `write`. The write continues if its caller is cancelled."""
        task = asyncio.ensure_future(write)
        # The loop itself holds tasks weakly.
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def wait(self) -> None:
        """Wait for all that is under way, `MAX_WAIT_S` at most."""
        if self._running:
            await asyncio.wait(self._running, timeout=MAX_WAIT_S)
