"""An HTTP server's patience with a peer that says nothing: uvicorn waits for one for ever.

A half-open socket (a laptop that slept, a scanner that sends half a request) would be kept until the process
ends. What a client may wait for, it may: only the time in which we wait for the client is bounded.
"""

import asyncio
import socket
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

SILENCE_S = 30.0
"""How long a client may leave its request, or the body of it, unfinished without a byte."""
PROBE_AFTER_S, PROBE_EVERY_S, PROBES = 60, 15, 4
"""When the system asks a quiet peer whether it is there (tcp(7)): it finds those that went without a word."""


class PatientProtocol(HttpToolsProtocol):
    """uvicorn's protocol, with a bound on the silence of a client that is to speak."""

    _silence: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Have the system watch the peer, and begin to wait for its request."""
        super().connection_made(transport)
        _watch(transport.get_extra_info("socket"))
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take some bytes, and wait for the next."""
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
        """Close the connection if the client has to go on; a request that is whole is ours to end."""
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
        # macOS calls the first one otherwise, and its own two hours do there.
        if hasattr(socket, name):
            peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
