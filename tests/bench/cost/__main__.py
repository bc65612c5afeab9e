"""`make cost`: runs each part on the emulator, counts what it asks of AWS, and writes docs/cost.md."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from local.machine.clients import Clients, aws_environment
from local.machine.emulator import Emulator, free_port, wait_for
from local.machine.service import provider_secret
from local.machine.stack import Stack
from local.processes import start, stop
from local.template import ROOT, Template, read_template
from tests.bench.cost import idle
from tests.bench.cost.bill import duration_s, requests, total
from tests.bench.cost.meter import Meter
from tests.bench.cost.parts import Bench, Part, metered_clients
from tests.bench.cost.prices import PRICES
from tests.bench.tables import filled, table
from tests.support.http_server import http_server
from tests.support.overrides import overrides
from tollgate.composition import api as api_parts
from tollgate.kit.money import micro_usd_of_cents

DOCUMENT = ROOT / "docs" / "cost.md"


@contextmanager
def benched(template: Template, folder: Path) -> Iterator[Bench]:
    """Start the emulator and the simulator; give what measures on them. It changes our variables."""
    with ExitStack() as ends:
        emulator = Emulator(folder / "emulator.log")
        ends.callback(emulator.stop)
        port = free_port()
        process = start(
            "simulator",
            [sys.executable, "-m", "local.simulator", "--port", str(port)],
            {name: os.environ[name] for name in ("PATH", "PYTHONPATH")},
            folder / "simulator.log",
        )
        ends.callback(stop, process)
        url = f"http://127.0.0.1:{port}"
        wait_for(f"{url}/healthz", process, "simulator", folder / "simulator.log")
        clients = Clients.at(emulator.endpoint)
        variables = overrides(AWS_ENDPOINT_URL=emulator.endpoint)
        stack = Stack(template, clients, {"Stage": "local", "LogLevel": "INFO"}, variables)
        stack.create({"ProviderSecret": provider_secret({}, url)})
        # Every variable of a developer's own shell that names AWS must not be used.
        os.environ.update(aws_environment(emulator.endpoint) | stack.environment())
        os.environ |= {"TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS": "1", "TOLLGATE_ALLOW_LOOPBACK_MEDIA": "1"}
        tables = template.of_type("AWS::DynamoDB::Table")
        meter = Meter(clients, {stack.refs[name]: table for name, table in tables.items()})
        metered_clients(meter)
        account = api_parts.api().accounts.open(micro_usd_of_cents(100_000))
        receiver = ends.enter_context(http_server(lambda _: 204))
        yield Bench(stack, meter, account, receiver)


def memory_of(template: Template) -> dict[str, int]:
    """Return the MB of each function."""
    return {name: int(made["MemorySize"]) for name, made in template.functions().items()}


def costs(parts: dict[str, Part], memory: dict[str, int]) -> str:
    """Return the table of what a million of each request cost."""
    bills = {name: total(counts, parts, memory) for name, counts in requests().items()}
    services = list(next(iter(bills.values())))
    rows = [
        [name, *(f"{found[service]:.2f}" for service in services), f"**{sum(found.values()):.2f}**"]
        for name, found in bills.items()
    ]
    return table(["A million of", *services, "USD"], rows)


def counts(parts: dict[str, Part], memory: dict[str, int]) -> str:
    """Return the table of what one invocation of each part takes."""
    rows = []
    for name, part in parts.items():
        calls = ", ".join(f"{count:g} {call}" for call, count in sorted(part.calls.items()))
        mb = memory[part.function]
        cells = [name, f"`{part.function}`", calls, f"{part.write_units:.1f}", f"{part.read_units:.1f}"]
        took = [
            f"{part.cpu_s * 1000:.1f}",
            f"{duration_s(name, part, mb) * 1000:.0f}",
            f"{part.log_bytes:.0f}",
        ]
        rows.append([*cells, *took])
    head = ["Part", "Function", "Calls", "Write units", "Read units", "CPU ms", "Billed ms", "Log bytes"]
    return table(head, rows)


def prices() -> str:
    """Return the table of prices."""
    return table(
        ["USD", "For one", "Found"],
        [[f"{price.usd:f}", price.unit, price.source] for price in PRICES.values()],
    )


def idle_bills(template: Template) -> str:
    """Return the table of what dev and prod cost in a month without traffic."""
    bills = {name: idle.bill(idle.Stack(template, idle.deployed(name))) for name in ("default", "prod")}
    rows = [
        [dev.what, dev.how, f"{dev.usd:.2f}", prod.how, f"{prod.usd:.2f}"]
        for dev, prod in zip(*bills.values(), strict=True)
    ]
    sums = [f"**{idle.total_usd(lines):.2f}**" for lines in bills.values()]
    head = ["In a month without traffic", "dev", "USD", "prod", "USD"]
    return table(head, [*rows, ["**all**", "", sums[0], "", sums[1]]])


def quick(path: Path) -> None:
    """Measure only a chat and the timers, and write what they take into a file: for a test."""
    with TemporaryDirectory() as folder, benched(read_template(), Path(folder)) as bench:
        parts = {**bench.text_parts(), **bench.timer_parts()}
    path.write_text(json.dumps({name: asdict(part) for name, part in parts.items()}))


def main() -> None:
    """Measure, and write the tables between their marks in the document."""
    template = read_template()
    memory = memory_of(template)
    with TemporaryDirectory() as folder, benched(template, Path(folder)) as bench:
        parts = bench.parts()
    tables = {
        "costs": costs(parts, memory),
        "counts": counts(parts, memory),
        "idle": idle_bills(template),
        "prices": prices(),
    }
    DOCUMENT.write_text(filled(DOCUMENT.read_text(), tables))


if __name__ == "__main__":
    quick(Path(sys.argv[1])) if len(sys.argv) > 1 else main()
