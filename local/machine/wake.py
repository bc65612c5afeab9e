"""Wakes the worker after each request, so that an idle service polls rarely and a busy one does not wait.

The API sends an empty datagram to the worker's socket after each request. A datagram can be lost; then the
worker reads its streams at the next slow poll.
"""

import os
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

VARIABLE = "TOLLGATE_WAKE_SOCKET"
"""The path of the worker's Unix socket. Without it the worker always polls fast."""
FAST_POLL_S = 0.1
SLOW_POLL_S = 5.0
BUSY_S = 1.0
"""The time for which a wake-up is followed by fast polls. Work that takes longer wakes the worker again."""
_CHANGES_NOTHING = ("GET", "HEAD", "OPTIONS")


class Waker:
    """Decides how long the worker waits between two polls of a stream."""

    def __init__(self) -> None:
        self._path = os.environ.get(VARIABLE)
        self._woken = threading.Condition()
        self._busy_until = 0.0
        if self._path:
            threading.Thread(target=self._listen, args=(Path(self._path),), daemon=True).start()

    def wake(self) -> None:
        """Poll fast for the next `BUSY_S` seconds."""
        with self._woken:
            self._busy_until = time.monotonic() + BUSY_S
            self._woken.notify_all()

    def pause(self, stopping: threading.Event) -> None:
        """Wait until the next poll is due, or until the worker stops."""
        if not self._path or time.monotonic() < self._busy_until:
            stopping.wait(FAST_POLL_S)
            return
        with self._woken:
            self._woken.wait_for(
                lambda: stopping.is_set() or time.monotonic() < self._busy_until, timeout=SLOW_POLL_S
            )

    def _listen(self, path: Path) -> None:
        # An earlier worker of this service leaves its socket behind if it is killed.
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
            listener.bind(str(path))
            while True:
                listener.recv(1)
                self.wake()


class WakesWorker:
    """ASGI middleware: wakes the worker at the end of each request that may have written something."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._path = os.environ.get(VARIABLE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, then wake the worker."""
        try:
            await self._app(scope, receive, send)
        finally:
            if self._path and scope["type"] == "http" and scope["method"] not in _CHANGES_NOTHING:
                # No worker is listening, or it has unread wake-ups already.
                with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                    sender.setblocking(False)
                    sender.sendto(b"", self._path)
