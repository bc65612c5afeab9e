"""`make bench-coldstart`: the CPU of cold starts, from what `sam build` made, into docs/performance.md.

Each start is a process of the runtime's Python with the built folders alone on its path, read-only as on
Lambda, that imports the handler and calls it with its sample event on the emulator (`cold_process.py`): CPU,
not time, as other work on the machine adds less to it. Then time, in Lambda's own runtime (`runtime.py`).
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from local.deploy.build import architecture, build, folder_of
from local.machine.clients import Clients, aws_environment
from local.machine.emulator import Emulator
from local.machine.stack import Stack
from local.template import ROOT, Template, read_template
from tests.bench import machine
from tests.bench.runtime import CLIENT, in_runtime
from tests.bench.tables import filled, table
from tests.support.overrides import overrides

BUILD = folder_of(architecture())
DOCUMENT = ROOT / "docs" / "performance.md"
CHILD = ROOT / "tests" / "bench" / "cold_process.py"
ROUNDS = 5
TIMEOUT_S = 60
TARGETS_MS = {"api": 300, "text": 350, "dashboard": None, "probe_media": None, "draw_thumbnail": None}
"""Init, by function; the functions behind queues, streams and schedules have 250.

Source: docs/architecture.md#measures.
"""
OTHER_TARGET_MS = 250
OWN_LAYERS = {
    "MediaLayer": {"probe_media", "draw_thumbnail"},
    "ExtraLayer": {"admin", "api", "close_accounts", "dashboard", "refill_balance", "serve_mcp"},
}
LEFT_OUT = {"VisitServiceFunction"}
"""It visits the service at its public address, and there is none here."""
REFERENCE = "boto3"
"""Imported alone, to compare machines by."""
TARGETS_TIMES = {"api": 2.5, "dashboard": 2.5, "text": 2.0, "run_task": 1.8}
"""Init at most, in multiples of the reference's, without SnapStart."""


def environment(template: Template, endpoint: str) -> dict[str, str]:
    """Make the template's resources in the emulator; give the environment of all functions."""
    variables = overrides(AWS_ENDPOINT_URL=endpoint)
    stack = Stack(template, Clients.at(endpoint), {"Stage": "local", "LogLevel": "ERROR"}, variables)
    stack.create({})
    return {**aws_environment(endpoint), **stack.environment()}


def folders(stem: str) -> list[Path]:
    """Return the built folders that a function has on its path."""
    own = [layer for layer, stems in OWN_LAYERS.items() if stem in stems]
    layers = ["DependenciesLayer", "SharedLayer", *own]
    return [BUILD / "ApiFunction", *(BUILD / layer / "python" for layer in layers)]


def alone(python: str) -> list[str]:
    """Return the command of a Python that sees as little as on Lambda."""
    # -B: a function's folders are read-only there. -P: those of this repository are not on the path
    return [python, "-B", "-P"]


def with_path(known: dict[str, str], stem: str, *more: Path) -> dict[str, str]:
    """Return the environment of a function with the folders that it has on its path, and `more`."""
    path = os.pathsep.join(map(str, [*folders(stem), *more]))
    return {**known, "PYTHONPATH": path, "PATH": os.environ["PATH"]}


def event_of(stem: str) -> Path:
    """Return the file of a function's sample event."""
    return ROOT / f"events/{stem}.json"


def started(python: str, known: dict[str, str], modules: str, handler: str, stem: str) -> dict[str, float]:
    """Return the medians of so many starts."""
    command = [*alone(python), str(CHILD), modules, handler, str(event_of(stem))]
    runs = []
    for _ in range(ROUNDS):
        run = subprocess.run(
            command,
            env=with_path(known, stem),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        if run.returncode != 0:
            raise SystemExit(f"{stem}: {run.stderr}")
        runs.append(json.loads(run.stdout.splitlines()[-1]))
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def rows(template: Template, python: str, known: dict[str, str]) -> list[list[Any]]:
    """Return the table's rows, one for each function."""
    reference = started(python, known, REFERENCE, "", "api")
    found = [[f"`import {REFERENCE}`", *_cells(reference), *[""] * 6]]
    for name, function in template.functions().items():
        if name in LEFT_OUT:
            continue
        stem = str(function["Handler"]).partition(".")[0].partition("/")[0]
        # A server behind the web adapter; its twin for emulators answers an event
        is_adapted = "/" in function["Handler"]
        modules = f"uvicorn,{stem}.app" if is_adapted else f"{stem}.app"
        handler = f"{stem}.run.sh" if is_adapted else f"{stem}.app.handler"
        start = started(python, known, modules, handler, stem)
        # Once more beside each function: other work on the machine comes and goes.
        beside = started(python, known, REFERENCE, "", "api")
        target, at_most = TARGETS_MS.get(stem, OTHER_TARGET_MS), TARGETS_TIMES.get(stem)
        cells = [
            *_cells(start),
            f"{start['init'] / beside['init']:.2f}",
            "" if at_most is None else str(at_most),
        ]
        real = in_runtime(alone(python), handler, with_path(known, stem, CLIENT), event_of(stem))
        times = [f"{real.init:.0f}", f"{real.first:.0f}", f"{real.warm:.1f}"]
        found.append([f"`{stem}`", *cells, "" if target is None else f"at most {target}", *times])
    return found


def sizes() -> str:
    """Return the table of what is uploaded and loaded."""
    parts = {"functions/, one copy for each": "ApiFunction", "layer of all": "DependenciesLayer"}
    parts |= {"second layer of six functions (Stripe, Authlib, MCP)": "ExtraLayer"}
    parts |= {"layer of Tollgate": "SharedLayer", "layer of probe_media and draw_thumbnail": "MediaLayer"}
    return table(["Package", "MB unpacked"], [[name, _mb(BUILD / folder)] for name, folder in parts.items()])


def _cells(measured: dict[str, float]) -> list[str]:
    return [f"{measured[name]:.0f}" if name in measured else "" for name in ("init", "first", "warm")]


def _mb(folder: Path) -> str:
    return f"{sum(file.stat().st_size for file in folder.rglob('*') if file.is_file()) / 1e6:.1f}"


def main(python: str) -> None:
    """Build for this machine's processor, measure, and write the tables."""
    template = read_template()
    build(architecture())
    with TemporaryDirectory() as folder:
        emulator = Emulator(Path(folder) / "emulator.log")
        try:
            made = rows(template, python, environment(template, emulator.endpoint))
        finally:
            emulator.stop()
    head = ["Function", "Init", "First call", "Warm call", f"Init, times `import {REFERENCE}`", "at most"]
    head += ["Target of init"]
    head += ["Runtime: init", "Runtime: first call", "Runtime: warm call"]
    tables = {"coldstart": table(head, made), "packages": sizes()}
    DOCUMENT.write_text(filled(DOCUMENT.read_text(), tables))
    machine.show()


if __name__ == "__main__":
    main(sys.argv[1])
