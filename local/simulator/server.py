"""Serves the simulator with uvicorn."""

import uvicorn
from fastapi import FastAPI

from local.simulator.transport import ClosableProtocol

SHUTDOWN_S = 1
"""How long a stopping server waits for pending responses. A hanging response would delay it for an hour."""


def make_server(app: FastAPI, host: str = "127.0.0.1", port: int = 0) -> uvicorn.Server:
    """Return a server for `app` that is not started. Port 0 selects a free port."""
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=ClosableProtocol,
        log_level="warning",
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    return uvicorn.Server(config)
