"""The provider simulator, served on loopback."""

from contextlib import AbstractContextManager

from local.simulator.app import create_app
from local.simulator.server import make_server
from tests.support import serving
from tollgate.kit.clock import Clock


def running_simulator(
    job_seconds: float = 0.0, payments_webhook: str | None = None, clock: Clock | None = None
) -> AbstractContextManager[str]:
    """Serve the simulator on a free port; yield its address."""
    app = create_app(clock, job_seconds=job_seconds, payments_webhook=payments_webhook)
    return serving.running(make_server(app))
