"""A file server on loopback that counts what it sends, and can misbehave in every way that we know of."""

import contextlib
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CHUNK_BYTES = 32 * 1024
POLL_S = 0.01
_RANGE = re.compile(r"bytes=(\d+)-(\d+)")


class Connection(BaseHTTPRequestHandler):
    """One connection to the server; `send` counts."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        """Let the path's own answer speak."""
        self.server.shown.requests.append((self.path, self.headers.get("range")))
        # A reader that has seen enough hangs up.
        with contextlib.suppress(ConnectionError):
            self.server.shown.answers[self.path](self)

    def head(self, status: int, headers: Mapping[str, str | int]) -> None:
        """Send status and headers."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()

    def send(self, body: bytes) -> None:
        """Send some of the body."""
        self.wfile.write(body)
        self.server.shown.sent_bytes += len(body)

    def wanted(self, size: int) -> tuple[int, int] | None:
        """Return the range that is asked for, first byte and the one behind its last."""
        found = _RANGE.fullmatch(self.headers.get("range", ""))
        return None if found is None else (int(found[1]), min(int(found[2]) + 1, size))

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


Answer = Callable[[Connection], None]


@dataclass
class MediaServer:
    """A running server: what its paths answer, and what it was asked and has sent."""

    url: str
    stopping: threading.Event = field(default_factory=threading.Event)
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    sent_bytes: int = 0

    def add(self, path: str, answer: Answer) -> str:
        """Answer a path; give its URL."""
        self.answers[path] = answer
        return self.url + path


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    shown: MediaServer

    def handle_error(self, request: object, client_address: object) -> None:
        """Be as little surprised by a reader that hangs up as `do_GET` is."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # passed on as it came


@contextmanager
def media_server() -> Iterator[MediaServer]:
    """Serve on a free loopback port."""
    server = _Server(("127.0.0.1", 0), Connection)
    server.shown = MediaServer(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True)
    thread.start()
    try:
        yield server.shown
    finally:
        server.shown.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(frozen=True, slots=True)
class Sparse:
    """A file of `size` bytes of which some parts (by offset) are not zeros."""

    size: int
    parts: Mapping[int, bytes]

    def cut(self, start: int, end: int) -> bytes:
        """Return the bytes from `start` to before `end`."""
        found = bytearray(end - start)
        for offset, part in self.parts.items():
            first, last = max(start, offset), min(end, offset + len(part))
            if first < last:
                found[first - start : last - start] = part[first - offset : last - offset]
        return bytes(found)


def sparse(data: bytes) -> Sparse:
    """Return plain bytes as a file."""
    return Sparse(len(data), {0: data})


def ranged(file: Sparse) -> Answer:
    """Serve as most servers do: a part where one is asked for."""

    def answer(connection: Connection) -> None:
        wanted = connection.wanted(file.size)
        if wanted is None or wanted[0] >= file.size:
            connection.head(416, {"content-range": f"bytes */{file.size}", "content-length": 0})
            return
        start, end = wanted
        connection.head(
            206,
            {"content-range": f"bytes {start}-{end - 1}/{file.size}", "content-length": end - start},
        )
        connection.send(file.cut(start, end))

    return answer


def whole(file: Sparse, declared_bytes: int | None = None) -> Answer:
    """Serve the whole file, whatever part is asked for; `declared_bytes` is a Content-Length that lies."""

    def answer(connection: Connection) -> None:
        declared = file.size if declared_bytes is None else declared_bytes
        connection.head(200, {"content-length": declared, "connection": "close"})
        for start in range(0, file.size, CHUNK_BYTES):
            connection.send(file.cut(start, min(start + CHUNK_BYTES, file.size)))
        connection.close_connection = True

    return answer


def until_closed(file: Sparse) -> Answer:
    """Serve the whole file without a Content-Length; the end of the connection is its end."""

    def answer(connection: Connection) -> None:
        connection.head(200, {"connection": "close"})
        for start in range(0, file.size, CHUNK_BYTES):
            connection.send(file.cut(start, min(start + CHUNK_BYTES, file.size)))
        connection.close_connection = True

    return answer


def endless(status: int, headers: Mapping[str, str | int]) -> Answer:
    """Send zeros until the reader hangs up."""

    def answer(connection: Connection) -> None:
        connection.head(status, {**headers, "connection": "close"})
        while not connection.server.shown.stopping.is_set():
            connection.send(bytes(CHUNK_BYTES))

    return answer


def drip(file: Sparse, pause_s: float) -> Answer:
    """Send one byte every `pause_s` seconds."""

    def answer(connection: Connection) -> None:
        connection.head(200, {"content-length": file.size})
        for offset in range(file.size):
            connection.send(file.cut(offset, offset + 1))
            if connection.server.shown.stopping.wait(pause_s):
                return

    return answer


def fixed(status: int, headers: Mapping[str, str | int] | None = None, body: bytes = b"") -> Answer:
    """Return always the same answer."""

    def answer(connection: Connection) -> None:
        connection.head(status, {"content-length": len(body), **(headers or {})})
        connection.send(body)

    return answer


def silent(connection: Connection) -> None:
    """Take the request and never answer."""
    connection.server.shown.stopping.wait()


def hang_up(connection: Connection) -> None:
    """Close the connection without an answer."""
    connection.close_connection = True
