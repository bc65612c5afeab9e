"""Wakes the worker after each request, so that an idle service polls rarely and a busy one does not wait.

The API sends an empty datagram to the worker's socket after each request. A datagram can be lost; then the
worker reads its streams at the next slow poll. Something may be written a little after a datagram, too, so
the next polls follow soon, and each later than the one before.
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
FAST_POLL_S = 0.2
SLOW_POLL_S = 5.0
_CHANGES_NOTHING = ("GET", "HEAD", "OPTIONS")


class Waker:
    """Decides how long the worker waits between two polls of a stream."""

    def __init__(self) -> None:
        self._path = os.environ.get(VARIABLE)
        self._woken = threading.Condition()
        self._woken_at = 0.0
        if self._path:
            threading.Thread(target=self._listen, args=(Path(self._path),), daemon=True).start()

    def wake(self) -> None:
        """End every pause that is longer than `FAST_POLL_S`, and shorten the next pauses."""
        with self._woken:
            self._woken_at = time.monotonic()
            self._woken.notify_all()

    def pause(self, stopping: threading.Event) -> None:
        """Wait until the next poll is due, or until the worker stops.

        A pause is as long as the time since the last wake-up. So polls become rare soon, but a record that is
        written some time after a wake-up is found after at most as much time again.
        """
        last = self._woken_at
        pause_s = min(time.monotonic() - last, SLOW_POLL_S) if self._path else 0.0
        # Also if many wake-ups follow each other.
        if stopping.wait(FAST_POLL_S) or pause_s <= FAST_POLL_S:
            return
        with self._woken:
            self._woken.wait_for(
                lambda: stopping.is_set() or self._woken_at != last, timeout=pause_s - FAST_POLL_S
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
