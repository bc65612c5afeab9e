"""The local Lambda API, served on loopback."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from local.lambda_api import create_lambda_api
from local.template import Template

START_TIMEOUT_S = 10.0


@contextmanager
def running_lambda_api(template: Template) -> Iterator[str]:
    """Serve the functions of a template on a free port; give the address for `AWS_ENDPOINT_URL_LAMBDA`."""
    app = create_lambda_api(template)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + START_TIMEOUT_S
    while not server.started:
        assert time.monotonic() < deadline, "the Lambda API did not start"
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(START_TIMEOUT_S)
