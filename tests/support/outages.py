"""The whole local service, whose worker is killed over and over while the customers go on.

An outage is what its name says: the worker is killed (SIGKILL, in the midst of whatever it does), minutes
pass while nothing of ours runs, the sweeper looks, and a new worker starts. Time jumps only then, or while a
worker has nothing to do: so no lease is cut short that a living process counts on, and it is as if we had
waited.
"""

import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from unittest.mock import patch

from local import files
from local import service as local_service
from local.emulator import free_port
from local.files import Service, read_service
from local.kept import STATE_TIMEOUT_S, Kept
from local.processes import stop
from local.pump import LONG_POLL_S
from local.service import LocalService
from local.template import ROOT
from tests.support.physics import Physics, physics_before
from tests.support.shifted import ShiftedClock
from tollgate.composition import parts
from tollgate.composition import sweep as sweep_parts
from tollgate.kit.clock import MS_PER_S

DEAD_POLL_MARGIN_S = 0.2
ON_THE_CLOCK = ("worker", "api")
"""The parts that tell the time by the clock of `composition`."""


class MortalService(LocalService):
    """The local service in this process's name; its worker can be killed, and time moved."""

    def __init__(
        self, ahead: Path, unrest: tuple[int, float] | None = None, kept: Kept | None = None
    ) -> None:
        """Make a service. With `unrest`, a seed and a share of throttles, its database has physics.

        With a place for what is `kept`, the emulator can be stopped and started.
        """
        super().__init__(free_port(), kept)
        self._unrest = unrest
        self._database: tuple[str, Physics] | None = None
        ahead.write_text("0")
        self._ahead = ahead
        self.clock = ShiftedClock(ahead)
        self._worker: tuple[Mapping[str, str], list[str]] | None = None
        self.outages = 0

    @cached_property
    def found(self) -> Service:
        """Return how to reach it, once it is started."""
        return read_service()

    @property
    def pids(self) -> Mapping[str, int]:
        """The processes of its parts, by name."""
        return {name: process.pid for name, process in self._processes.items()}

    def outage(self, away_s: int) -> None:
        """Kill the worker, let `away_s` seconds pass without one, and start another."""
        worker = self._processes["worker"]
        worker.kill()
        worker.wait()
        # The emulator still answers the dead worker's last poll, and what it gives it is gone for minutes.
        time.sleep(LONG_POLL_S + DEAD_POLL_MARGIN_S)
        self.pass_time(away_s)
        assert self._worker is not None
        self._start_part("worker", *self._worker)
        self.outages += 1

    def stop_emulator(self) -> None:
        """Stop the emulator cleanly, as all of AWS that is there: it writes its state. Others run on."""
        stop(self._processes["emulator"], STATE_TIMEOUT_S)

    def start_emulator(self) -> None:
        """Start the emulator again where it was, with what it had."""
        self._start_emulator()

    def pass_time(self, by_s: int) -> None:
        """Let `by_s` seconds pass at once, and the sweeper look."""
        self.clock.advance(by_s * MS_PER_S)
        sweep_parts.sweeper().sweep()

    def _start_part(
        self, name: str, environment: Mapping[str, str], arguments: list[str]
    ) -> "subprocess.Popen[bytes]":
        if name == "worker":
            self._worker = environment, arguments
        if name in ON_THE_CLOCK and self._unrest is not None:
            environment = {**environment, "AWS_ENDPOINT_URL_DYNAMODB": self._proxy(environment)}
        return super()._start_part(name, environment, arguments)

    def _proxy(self, environment: Mapping[str, str]) -> str:
        """Return the address of the database with physics, which starts with the first part that needs it."""
        if self._database is None:
            assert self._unrest is not None
            before = physics_before(environment["AWS_ENDPOINT_URL"], *self._unrest)
            self._database = self._ends.enter_context(before)
        return self._database[0]

    @property
    def refused(self) -> Mapping[str, int]:
        """How often the database refused something by its physics, by why."""
        return {} if self._database is None else self._database[1].refused

    def _program(self, name: str) -> list[str]:
        program = super()._program(name)
        return ["tests.support.shifted", str(self._ahead), *program] if name in ON_THE_CLOCK else program


@contextmanager
def mortal_service(
    folder: Path, unrest: tuple[int, float] | None = None, kept: Kept | None = None
) -> Iterator[MortalService]:
    """Run the service with its files in `folder`; `composition` is on it, and on its clock."""
    service = MortalService(folder / "ahead", unrest, kept)
    settings = {
        # Nothing else: a developer's own provider keys would be used.
        **{name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ},
        "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("functions", "shared", "")),
        "TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS": "1",
        # The customers create as fast as they can.
        "REQUESTS_PER_MINUTE": "999999",
    }
    with (
        patch.dict(os.environ, settings, clear=True),
        patch.object(files, "SERVICE", folder / "service.json"),
        patch.object(files, "ENVIRONMENT", folder / "environment.json"),
        patch.object(local_service, "LOGS", folder / "logs"),
        patch.object(parts, "SystemClock", lambda: service.clock),
    ):
        service.start()
        try:
            yield service
        finally:
            service.stop()
            parts.forget()
