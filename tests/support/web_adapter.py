"""What the Lambda Web Adapter does to a function: it starts it, waits until it is ready, forwards, ends it.

Its rules are on https://awslabs.github.io/aws-lambda-web-adapter/: configuration/readiness-check.html (a GET
every 10 ms until a status of 100 to 499), features/request-context.html (the gateway's context in a header)
and features/graceful-shutdown.html (SIGTERM, then SIGKILL).
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from local.template import ROOT

READINESS_POLL_S = 0.01
READY = range(100, 500)
START_TIMEOUT_S = 60.0
SHUTDOWN_S = 2.0
"""Lambda's whole shutdown phase with an external extension, which the adapter is; then it kills."""

EVENT: dict[str, Any] = json.loads((ROOT / "events/text.json").read_text())


class NeverReadyError(Exception):
    """The app never gave a status that counts as ready: on Lambda every invocation would time out."""


class AdaptedFunction:
    """A function's process behind the adapter. `url` is where the adapter would forward to."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: str, log: Path) -> None:
        self.process = process
        self.log = log
        self.url = f"http://127.0.0.1:{port}"

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that the adapter adds to each request."""
        return {"x-amzn-request-context": json.dumps(EVENT["requestContext"])}

    def shut_down(self) -> int:
        """End the process as Lambda does; give its exit code.

        uvicorn ends by the signal itself once it has shut down. Raises `TimeoutExpired` where Lambda would
        kill it.
        """
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(SHUTDOWN_S)


@contextmanager
def adapted(program: Path, variables: Mapping[str, str], log: Path) -> Iterator[AdaptedFunction]:
    """Start `program` with a function's variables, wait until it is ready, and end it in any case.

    Raises `NeverReadyError`.
    """
    with log.open("wb") as output:
        process = subprocess.Popen([str(program)], env=_environment(variables), stdout=output, stderr=output)
    try:
        function = AdaptedFunction(process, variables["AWS_LWA_PORT"], log)
        _wait_until_ready(function, variables["AWS_LWA_READINESS_CHECK_PATH"])
        yield function
    finally:
        process.kill()
        process.wait()


def _wait_until_ready(function: AdaptedFunction, path: str) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        try:
            status = httpx.get(function.url + path).status_code
        except httpx.TransportError:
            status = None
        if status in READY:
            return
        # A status outside the range is asked again by the adapter, for ever; an app does not mend itself.
        if status is not None or function.process.poll() is not None:
            break
        time.sleep(READINESS_POLL_S)
    raise NeverReadyError(f"{path} is not ready; its log:\n{function.log.read_text()}")


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return what a process has on Lambda: the function's variables, and where its code and layers are."""
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.defpath}",
        # /opt/python of the layers.
        "PYTHONPATH": str(ROOT / "shared"),
        "LAMBDA_TASK_ROOT": str(ROOT / "functions"),
        "LAMBDA_RUNTIME_DIR": "/var/runtime",
        **variables,
    }
