"""The provider simulator, served on loopback."""

from contextlib import AbstractContextManager

from local.simulator.app import create_app
from local.simulator.server import make_server
from tests.support import serving


def running_simulator(job_seconds: float = 0.0) -> AbstractContextManager[str]:
    """Serve the simulator on a free port; yield its address."""
    return serving.running(make_server(create_app(job_seconds=job_seconds)))
