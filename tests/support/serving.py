"""An ASGI app, served on loopback by a thread of this process."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

START_TIMEOUT_S = 60.0
PAUSE_S = 0.01


@contextmanager
def running(server: uvicorn.Server, run: Callable[[], Any] | None = None) -> Iterator[str]:
    """Run a server that is bound to a free port, by `run` where it is not its own; yield its address."""
    thread = threading.Thread(target=run or server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + START_TIMEOUT_S
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(PAUSE_S)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(START_TIMEOUT_S)


def server_of(app: Any, **settings: Any) -> uvicorn.Server:
    """Return a server for an app on a free port, with uvicorn's settings as given."""
    return uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", **settings))
