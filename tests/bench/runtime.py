"""A function in Lambda's own runtime, without Docker.

That is the runtime interface emulator that comes with the SAM CLI, and AWS's interface client for Python.
"""

import json
import re
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from local.deploy.build import architecture
from local.machine.emulator import free_port
from local.template import ROOT

CLIENT = ROOT / ".local" / "ric"
ROUNDS = 3
WARM_CALLS = 20
START_TIMEOUT_S = 20.0
CALL_TIMEOUT_S = 30.0
INIT = re.compile(r"INIT REPORT\(durationMs: ([\d.]+)")
INVOKE = "/2015-03-31/functions/function/invocations"


def emulator() -> Path:
    """Return Lambda's runtime interface emulator. Raises `FileNotFoundError`."""
    name = f"aws-lambda-rie-{architecture()}"
    for found in (ROOT / ".local" / "sam").glob(f"lib/python*/site-packages/samcli/local/rapid/{name}"):
        return found
    raise FileNotFoundError(name)


@dataclass(frozen=True, slots=True)
class Started:
    """Milliseconds of a start: its init as the runtime reports it, its first call, a later one's median."""

    init: float
    first: float
    warm: float


@dataclass(slots=True)
class _Output:
    """What a process prints, read as it comes: a full pipe would stop it."""

    process: "subprocess.Popen[str]"
    lines: list[str] = field(default_factory=list)

    def read(self) -> None:
        """Read to the end."""
        assert self.process.stdout is not None
        self.lines.extend(self.process.stdout)


def in_runtime(command: list[str], handler: str, environment: dict[str, str], event: Path) -> Started:
    """The medians of some starts of `handler` by `command`, a Python; each gets the event of a file."""
    runs = [_start(command, handler, environment, event.read_bytes()) for _ in range(ROUNDS)]
    return Started(
        *(statistics.median(getattr(run, name) for run in runs) for name in ("init", "first", "warm"))
    )


def _start(command: list[str], handler: str, environment: dict[str, str], event: bytes) -> Started:
    port = free_port()
    url = f"http://127.0.0.1:{port}{INVOKE}"
    addresses = ["--runtime-api-address", f"127.0.0.1:{free_port()}"]
    addresses += ["--runtime-interface-emulator-address", f"127.0.0.1:{port}"]
    process = subprocess.Popen(
        [str(emulator()), "--log-level", "info", *addresses, *command, "-m", "awslambdaric", handler],
        env={**environment, "AWS_LAMBDA_FUNCTION_NAME": "fn", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    output = _Output(process)
    reader = threading.Thread(target=output.read)
    reader.start()
    try:
        with httpx.Client(timeout=CALL_TIMEOUT_S) as http:
            first = _first_call(http, url, event)
            warm = statistics.median(_call(http, url, event) for _ in range(WARM_CALLS))
    finally:
        process.terminate()
        process.wait(CALL_TIMEOUT_S)
        reader.join()
    found = INIT.search("".join(output.lines))
    assert found is not None, output.lines
    return Started(float(found[1]), first - float(found[1]), warm)


def _first_call(http: httpx.Client, url: str, event: bytes) -> float:
    """Call as soon as the emulator listens; it starts the function for it, so init is in this time."""
    end = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            return _call(http, url, event)
        except httpx.ConnectError:
            assert time.monotonic() < end, "the runtime does not start"
            time.sleep(0.02)


def _call(http: httpx.Client, url: str, event: bytes) -> float:
    started = time.perf_counter()
    answer = http.post(url, content=event)
    took = (time.perf_counter() - started) * 1_000
    said = answer.json()
    assert not (isinstance(said, dict) and "errorType" in said), json.dumps(said)[:500]
    return took
