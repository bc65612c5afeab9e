"""The provider simulator, served on loopback."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from local.simulator.app import create_app
from local.simulator.server import make_server

START_TIMEOUT_S = 10.0


@contextmanager
def running_simulator(job_seconds: float = 0.0) -> Iterator[str]:
    """Serve the simulator on a free port; give its address."""
    server = make_server(create_app(job_seconds=job_seconds))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + START_TIMEOUT_S
    while not server.started:
        assert time.monotonic() < deadline, "the simulator did not start"
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(START_TIMEOUT_S)
