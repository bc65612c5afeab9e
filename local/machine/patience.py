"""Ends connections of silent clients, for which uvicorn would wait forever.

Otherwise a half-open socket (a sleeping laptop, a scanner with half a request) would stay until the process
ends. Only the time for which the server waits for the client is limited, not the time for which the client
waits.
"""

import asyncio
import socket
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

SILENCE_S = 30.0
"""How long a client may pause within its request or the body, in seconds."""
PROBE_AFTER_S, PROBE_EVERY_S, PROBES = 60, 15, 4
"""When the system probes a quiet peer (tcp(7)). It finds peers that disappeared without closing."""


class PatientProtocol(HttpToolsProtocol):
    """uvicorn's protocol, with a limit on the silence of a client whose data is expected."""

    _silence: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make the system watch the peer, and start to wait for its request."""
        super().connection_made(transport)
        _watch(transport.get_extra_info("socket"))
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Process some bytes, and wait for more."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._silence is not None:
            self._silence.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
        self._silence = self.loop.call_later(SILENCE_S, self._end_if_pending)

    def _end_if_pending(self) -> None:
        """Close the connection if the client's request is incomplete. The server ends complete requests."""
        request: Any = self.cycle
        if request is None or request.more_body:
            self.transport.close()


def _watch(peer: socket.socket) -> None:
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (
        ("TCP_KEEPIDLE", PROBE_AFTER_S),
        ("TCP_KEEPINTVL", PROBE_EVERY_S),
        ("TCP_KEEPCNT", PROBES),
    ):
        # macOS has another name for the first option, and its default of two hours is acceptable there.
        if hasattr(socket, name):
            peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
