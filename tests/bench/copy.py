"""`make bench-copy`: the memory of a worker that copies a result of 2 GB into storage.

`ArtifactStore` as it ships, with its own S3 client and its guarded HTTP client, in this process alone; what
it reads from and writes to is another one (`far_end.py`), which keeps nothing. Sizes grow, so that the most
memory used so far is that of the file just copied.
"""

import os
import resource
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from local.machine.clients import aws_environment
from local.machine.emulator import free_port, wait_for
from local.processes import start, stop
from local.template import ROOT
from tests.bench import machine
from tollgate.artifacts.store import PART_BYTES, ArtifactStore
from tollgate.kit.aws import sdk
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.http.outbound import Outbound
from tollgate.providers.runtime.outcomes import ResultFile

MIB = 1024 * 1024
SIZES = (1, 64, 512, 2048)
"""In MiB. The first one is not copied in parts; it only gets everything going."""


def most_mib() -> float:
    """Return the most memory that this process ever had, in MiB (Linux counts it in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Copy and print."""
    os.chdir(ROOT)
    with ExitStack() as ends, TemporaryDirectory() as folder:
        port, log = free_port(), Path(folder) / "far_end.log"
        url = f"http://127.0.0.1:{port}"
        os.environ.update(aws_environment(url))
        passed_on = {name: os.environ[name] for name in ("PATH", "PYTHONPATH")}
        command = [sys.executable, "-m", "tests.bench.far_end", str(port)]
        far_end = start("far end", command, passed_on, log)
        ends.callback(stop, far_end)
        wait_for(f"{url}/healthz", far_end, "far end", log)
        outbound = Outbound(AddressGuard(allow_loopback=True))
        store = ArtifactStore(sdk.s3(), "bench", "https://files.test", outbound)
        table = Table("MiB copied", "s", "MiB/s", "most memory so far, MiB")
        table.add_row("before", "", "", f"{most_mib():.0f}")
        for size in SIZES:
            started = time.perf_counter()
            (stored,) = store.copy([ResultFile(f"{url}/result/{size * MIB}")], "task_bench")
            took_s = time.perf_counter() - started
            assert stored.size_bytes == size * MIB
            table.add_row(str(size), f"{took_s:.1f}", f"{size / took_s:.0f}", f"{most_mib():.0f}")
    Console().print(table)
    Console().print(f"A part has {PART_BYTES // MIB} MiB.")
    machine.show()


if __name__ == "__main__":
    main()
