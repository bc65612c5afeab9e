"""The provider simulator, served on loopback."""

from contextlib import AbstractContextManager

from tests.support import serving
from tollgate.kit.clock import Clock


def running_simulator(
    payments_webhook: str | None = None, clock: Clock | None = None
) -> AbstractContextManager[str]:
    """Serve the simulator on a free port; yield its address."""
    # Half a second of CPU, which processes without a simulator save.
    from local.simulator.app import create_app  # noqa: PLC0415
    from local.simulator.server import make_server  # noqa: PLC0415

    app = create_app(clock, job_seconds=0, payments_webhook=payments_webhook)
    return serving.running(make_server(app))
