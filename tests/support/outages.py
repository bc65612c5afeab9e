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
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast
from unittest.mock import patch

from local.machine import files
from local.machine import service as local_service
from local.machine.emulator import free_port
from local.machine.files import LAMBDA_PATH, Service, read_service
from local.machine.kept import STATE_TIMEOUT_S, Kept
from local.machine.pump import LONG_POLL_S
from local.machine.service import FIRST_ACCOUNT_CENTS, LocalService
from local.machine.stack import Stack
from local.processes import stop
from local.template import ROOT
from tests.support.losses import Losses
from tests.support.lossy_proxy import lossy_before
from tests.support.physics import Physics, physics_before
from tests.support.shifted import ShiftedClock, ShiftedProcess
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.composition import sweep as sweep_parts
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.money import micro_usd_of_cents

DEAD_POLL_MARGIN_S = 0.2
ON_THE_CLOCK = ("local.machine.worker", "local.machine.api")
"""The parts that tell the time by the clock of `composition`, and whose requests meet an unkind world."""
HANGING_SHARE = 0.05
"""Of the lost answers of AWS, those that a client waits for until its own patience is over."""


@dataclass(frozen=True, slots=True)
class Unkind:
    """What a world does to the service's requests, drawn from a seed.

    `unrest` is the share that the database throttles, besides what its physics refuse; without it there are
    none. `lost` is the share of answers that get lost: of AWS, of functions that are invoked, of providers.
    """

    seed: int
    unrest: float | None = None
    lost: float = 0.0


class MortalService(LocalService):
    """The local service in this process's name; its worker can be killed, and time moved."""

    def __init__(self, ahead: Path, unkind: Unkind | None = None, kept: Kept | None = None) -> None:
        """Make a service, in a world that is as kind as it is told to be.

        With a place for what is `kept`, the emulator can be stopped and started.
        """
        super().__init__(free_port(), kept)
        self._unkind = unkind or Unkind(0)
        self.losses = Losses(self._unkind.lost, self._unkind.seed)
        self._physics: Physics | None = None
        self._aws: dict[str, str] | None = None
        ahead.write_text("0")
        self._ahead = ahead
        self.clock = ShiftedClock(ahead)
        self._started: dict[str, tuple[Mapping[str, str], list[str]]] = {}
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
        self._start_part("worker", *self._started["worker"])
        self.outages += 1

    def kill_api(self) -> None:
        """Kill the process of the API and of text, in the midst of its requests, and start another."""
        api = self._processes["api"]
        api.kill()
        api.wait()
        self._start_part("api", *self._started["api"])

    def stop_emulator(self) -> None:
        """Stop the emulator cleanly, as all of AWS that is there: it writes its state. Others run on."""
        stop(self._processes["emulator"], STATE_TIMEOUT_S)

    def start_emulator(self) -> None:
        """Start the emulator again where it was, with what it had."""
        self._start_emulator()

    def pass_time(self, by_s: int) -> None:
        """Let `by_s` seconds pass at once, and the sweeper look."""
        self.clock.advance_ms(by_s * MS_PER_S)
        sweep_parts.sweeper().sweep()

    def _start_part(
        self, name: str, environment: Mapping[str, str], arguments: list[str]
    ) -> "subprocess.Popen[bytes]":
        self._started[name] = environment, arguments
        if name != "simulator":
            environment = {**environment, **self._unkind_aws(environment)}
        return super()._start_part(name, environment, arguments)

    def _first_account(self, _: Service | None) -> tuple[str, str]:
        # By this process, whose requests to AWS meet a kind world.
        opened = api_parts.api().accounts.open(micro_usd_of_cents(FIRST_ACCOUNT_CENTS))
        return opened.api_key, opened.webhook_secret

    def _make_stack(self, endpoint: str, simulator_url: str) -> Stack:
        return super()._make_stack(endpoint, self.lossy(simulator_url))

    def _unkind_aws(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the variables that lead to AWS by way of what loses and refuses; it is started once."""
        if self._aws is None:
            emulator, database = environment["AWS_ENDPOINT_URL"], None
            if self._unkind.unrest is not None:
                before = physics_before(emulator, self._unkind.seed, self._unkind.unrest)
                database, self._physics = self._ends.enter_context(before)
            aws = self.lossy(emulator, database, HANGING_SHARE)
            own_files = f"{environment['TOLLGATE_LOCAL_STORAGE_URLS']} {aws}"
            invoked = self.lossy(self.base_url) + LAMBDA_PATH
            self._aws = {
                "AWS_ENDPOINT_URL": aws,
                "AWS_ENDPOINT_URL_LAMBDA": invoked,
                "TOLLGATE_LOCAL_STORAGE_URLS": own_files,
            }
        return self._aws

    def lossy(self, upstream: str, database: str | None = None, hanging: float = 0.0) -> str:
        """Return an address before `upstream` whose answers get lost, or `upstream` in a kind world."""
        if not self._unkind.lost and database is None:
            return upstream
        before = lossy_before(upstream, self.losses, hanging, database)
        return self._ends.enter_context(before).url

    @property
    def refused(self) -> Mapping[str, int]:
        """How often the database refused something by its physics, by why."""
        return {} if self._physics is None else self._physics.refused

    def _process(
        self, module: str, arguments: list[str], environment: Mapping[str, str], log: Path
    ) -> "subprocess.Popen[bytes]":
        if module not in ON_THE_CLOCK:
            return super()._process(module, arguments, environment, log)
        forked = ShiftedProcess(self._ahead, module, arguments, environment, log)
        return cast("subprocess.Popen[bytes]", forked)


@contextmanager
def mortal_service(
    folder: Path, unkind: Unkind | None = None, kept: Kept | None = None
) -> Iterator[MortalService]:
    """Run the service with its files in `folder`; `composition` is on it, and on its clock."""
    service = MortalService(folder / "ahead", unkind, kept)
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
        parts.forget()
        service.start()
        try:
            yield service
        finally:
            service.stop()
            parts.forget()
