"""Attempts at one response: one after the other, or in parallel if one is silent.

A complete response that takes a minute looks like a provider that hangs. So a silent route continues when the
next route is called: the first response wins, and the other attempts are cancelled
(docs/decisions/0027-a-silent-route-is-overtaken.md).
"""

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from tollgate.text.wire.faults import Fault


class Closable(Protocol):
    """An answer that may be held open at its provider."""

    def close(self) -> None:
        """Read no more of it."""


AnswerT = TypeVar("AnswerT", bound=Closable)


@dataclass(slots=True)
class Race(Generic[AnswerT]):
    """Attempts that run, named, in the order in which they began; `failures` are of those that failed."""

    failures: list[Fault] = field(default_factory=list)
    _running: "dict[asyncio.Task[AnswerT | Fault], str]" = field(default_factory=dict)

    async def __aenter__(self) -> Self:
        """Return the race; at its end nothing of it runs any more."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Cancel every attempt that is still under way, and close unused responses."""
        for task in self._running:
            task.cancel()
        for left in await asyncio.gather(*self._running, return_exceptions=True):
            if not isinstance(left, BaseException | Fault):
                left.close()

    def start(self, name: str, attempt: "Coroutine[Any, Any, AnswerT | Fault]") -> None:
        """Begin an attempt."""
        self._running[asyncio.ensure_future(attempt)] = name

    async def first(self, within_s: float | None = None) -> tuple[AnswerT, list[str]] | None:
        """Return the first response, and the earlier attempts that are still silent.

        `None` if `within_s` has passed or all attempts have failed. Raises the exceptions of the attempts.
        """
        until = None if within_s is None else time.monotonic() + within_s
        while self._running:
            left_s = None if until is None else max(0.0, until - time.monotonic())
            done, _ = await asyncio.wait(self._running, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                return None
            task = next(one for one in self._running if one in done)
            earlier = list(self._running.values())[: list(self._running).index(task)]
            del self._running[task]
            outcome = await task
            if not isinstance(outcome, Fault):
                return outcome, earlier
            self.failures.append(outcome)
        return None
