"""A server on loopback whose answers are a function."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

IDLE_TIMEOUT_S = 10.0
"""How long a client may keep a connection open without a word."""
MAX_PAUSE_S = 30.0
"""How long an answer may keep a client waiting; longer than any deadline that a test sets."""


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived; header names are lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """A well-formed answer; its `content-length` is right unless `headers` has another."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes as they go out, with a pause before each piece; then the connection is closed."""

    pieces: Iterable[bytes]
    pause_s: float = 0.0


HANG = Raw((b"",), MAX_PAUSE_S)
"""No answer, and no end of the connection, until the server stops."""

Answer = Callable[[Received], int | Reply | Raw]
"""What to answer with; a bare status comes with a `location`, and no body."""


@contextmanager
def http_server(answer: Answer) -> Iterator[str]:
    """Serve on a free loopback port; give the address."""
    stopping = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        timeout = IDLE_TIMEOUT_S

        def _handle(self) -> None:
            if self.headers.get("expect") == "100-continue":
                # An SDK waits for a second before it sends the body without this, and S3 says it at once.
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            given = answer(Received(self.command, self.path, headers, body))
            # A client that gave up closed its end; that is its good right.
            with suppress(ConnectionError):
                self._send(given)

        def _send(self, given: int | Reply | Raw) -> None:
            if isinstance(given, Raw):
                for piece in given.pieces:
                    if stopping.wait(min(given.pause_s, MAX_PAUSE_S)):
                        return
                    self.wfile.write(piece)
                return
            if isinstance(given, int):
                given = Reply(given, headers={"location": "http://127.0.0.1:1/elsewhere"})
            self.send_response(given.status)
            for name, value in {"content-length": str(len(given.body)), **given.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(given.body)

        do_GET = do_POST = do_PUT = do_DELETE = _handle

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook"
    finally:
        stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()
