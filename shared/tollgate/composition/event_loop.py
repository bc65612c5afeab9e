"""The event loop of a thread, for functions that run text code without a server."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from tollgate.composition import text as text_parts

Result = TypeVar("Result")

_threads = threading.local()


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of a coroutine, run in the loop of this thread.

    A connection belongs to its loop, so the loop stays.
    """
    if not hasattr(_threads, "runner"):
        _threads.runner = asyncio.Runner()
    result: Result = _threads.runner.run(work)
    return result


def close() -> None:
    """Close the connections and the loop of this thread."""
    run(text_parts.close())
    _threads.runner.close()
    del _threads.runner
