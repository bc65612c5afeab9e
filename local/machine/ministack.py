"""Runs MiniStack on uvicorn: a request takes half the CPU that it takes on MiniStack's own server.

`local/machine/emulator.py` starts this file as a script, with MiniStack's settings in the environment. A read
of a stream waits for a record, like a receive from a queue. Otherwise the worker would read again and again.
"""

import asyncio
import os
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import uvicorn

(PACKAGES,) = Path(__file__).parents[2].glob(".local/ministack/lib/python3*/site-packages")
"""MiniStack and its dependencies."""
KEEP_ALIVE_S = 75
"""For how long an unused connection stays open: as MiniStack's own server has it."""
GRACE_S = 1
"""For how long it answers pending requests when it is stopped. A poll of a queue can wait for 20 s."""
READ_S = 3.0
"""For how long a read of a stream waits for a record."""
NOTHING = b'"Records": []'
"""Part of a response without records."""


class WaitingReads:
    """Reads of streams, which end when a record is written. It takes MiniStack's modules."""

    def __init__(self, streams: Any, dynamodb: Any) -> None:
        self._read, streams.handle_request = streams.handle_request, self.handle_request
        # What MiniStack sets when a record is written
        self._wake, dynamodb.esm_wake = dynamodb.esm_wake, self
        self._written = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def set(self) -> None:
        """Note, in any thread, that a record was written."""
        self._wake.set()
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._look_again)

    def _look_again(self) -> None:
        # Ends the waits that there are, and none that comes later
        self._written.set()
        self._written.clear()

    async def handle_request(self, *request: Any) -> Any:
        """Handle a request as MiniStack does. A response without records comes after `READ_S`."""
        self._loop = asyncio.get_running_loop()
        end = time.monotonic() + READ_S
        while NOTHING in (answer := await self._read(*request))[2] and (left_s := end - time.monotonic()) > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._written.wait(), left_s)
        return answer


def main() -> None:
    """Serve until the process is ended. MiniStack then writes its state, if it keeps one."""
    # At the end: of packages that both environments have, ours are built for this Python.
    sys.path.append(str(PACKAGES))
    WaitingReads(*(import_module(f"ministack.services.{name}") for name in ("dynamodb_streams", "dynamodb")))
    uvicorn.run(
        "ministack.app:app",
        host=os.environ["BIND_HOST"],
        port=int(os.environ["GATEWAY_PORT"]),
        log_level=os.environ["LOG_LEVEL"].lower(),
        access_log=False,
        # MiniStack adds them itself.
        server_header=False,
        date_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
    )


if __name__ == "__main__":
    main()
