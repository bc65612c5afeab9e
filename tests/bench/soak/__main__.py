"""`make soak SOAK_MINUTES=30`: traffic of every kind, and what the service holds on to meanwhile.

Memory, files and sockets are those of the processes that run the functions. The emulator keeps all data in
memory and the simulator its last 20,000 jobs, as a database does: theirs are shown and not judged.
"""

import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random, SystemRandom

import httpx
from rich.console import Console
from rich.table import Table

from tests.bench.soak import laws
from tests.bench.soak.gauges import Bound, Line, LogVolume, Sample, files_in, lines, process
from tests.bench.soak.traffic import TIMEOUT_S, Traffic, Visitor
from tests.support.http_server import http_server
from tests.support.outages import MortalService, Unkind, mortal_service
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.kit.money import micro_usd_of_cents

MINUTES = float(os.environ.get("SOAK_MINUTES") or "30")
SEED = int(os.environ.get("SOAK_SEED") or SystemRandom().randrange(10**6))
LOST = float(os.environ.get("SOAK_LOST") or "0.01")
"""The share of all answers that the service does not hear: of AWS, of providers, of receivers of webhooks."""
VISITORS = 6
PAUSE_S = 0.1
CREDIT_CENTS = 1_000_000
SAMPLE_S = 5.0
CALM_S = 240.0
"""How long after the last visit everything must be settled: a hold lives 3 minutes, a retried webhook 2."""
CALM_POLL_S = 2.0
SERVING, STANDING_IN = ("api", "worker"), ("simulator", "emulator")
"""Processes that are judged, and processes that are only shown."""
MEMORY, OPEN = Bound(share=0.05, more=10.0), Bound(share=0.0, more=10.0)
BOUNDS = {
    **{f"{name}: memory, MB": MEMORY for name in SERVING},
    **{f"{name}: {what}": OPEN for name in SERVING for what in ("files", "sockets")},
    "temporary files": Bound(share=0.0, more=2.0),
    "log, bytes a request": Bound(share=0.2, more=0.0),
}
MOST_LOG_BYTES = 3_000.0
"""Of a request, in all processes."""
SHOWN_FAILURES = 20

console = Console()


def main() -> int:
    """Run it; return 0 if everything is flat and the books agree."""
    console.print(f"SOAK_SEED={SEED}, {MINUTES:g} minutes, {LOST:.1%} of all answers lost")
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory()))
        temporary = folder / "tmp"
        temporary.mkdir()
        os.environ["TMPDIR"] = str(temporary)
        service = ends.enter_context(mortal_service(folder, Unkind(SEED, lost=LOST)))
        receiver = service.lossy(ends.enter_context(http_server(lambda _: 204)))
        accounts = [api_parts.api().accounts.open(micro_usd_of_cents(CREDIT_CENTS)) for _ in range(VISITORS)]
        visitors = [
            ends.enter_context(_visitor(service, account, receiver, n)) for n, account in enumerate(accounts)
        ]
        traffic = Traffic(visitors, round(MINUTES * 60 / PAUSE_S), PAUSE_S)
        gauges = Gauges(service, folder, temporary, traffic)
        samples = _measured(traffic, gauges)
        found = lines(samples, BOUNDS)
        _show(found, traffic)
        wrong = [
            f"{line.name} grew from {line.start:.1f} to {line.end:.1f}" for line in found if not line.is_flat
        ]
        wrong += _too_chatty(found) + traffic.failures[:SHOWN_FAILURES]
        # Nearly all lost answers are made good before a customer hears of them.
        if len(traffic.spoiled) > LOST * traffic.visits.total():
            wrong += [f"{len(traffic.spoiled)} visits were spoiled", *traffic.spoiled[:SHOWN_FAILURES]]
        settled = _wait_until(lambda: laws.are_settled(accounts))
        wrong += [] if settled else ["there are open tasks or holds"]
        wrong += laws.broken(accounts, CREDIT_CENTS)
        lost = service.losses.lost
    console.print(f"{lost.total():,} answers lost")
    for line in wrong:
        console.print(f"[red]{line}[/]", highlight=False)
    console.print("Not flat." if wrong else "Flat, and the books agree.")
    return 1 if wrong else 0


class Gauges:
    """Reads everything at once."""

    def __init__(self, service: MortalService, folder: Path, temporary: Path, traffic: Traffic) -> None:
        logs = folder / "logs"
        self._service, self._temporary, self._traffic = service, temporary, traffic
        self._log = LogVolume(lambda: sum((logs / f"{name}.log").stat().st_size for name in SERVING))

    def sample(self) -> Sample:
        """Return what there is now."""
        requests, values = self._traffic.requests, {}
        for name in SERVING + STANDING_IN:
            found = process(self._service.pids[name])
            values[f"{name}: memory, MB"] = found.rss_mb
            if name in SERVING:
                values |= {f"{name}: files": found.files, f"{name}: sockets": found.sockets}
        values["temporary files"] = files_in(self._temporary)
        values["log, bytes a request"] = self._log.since_last(requests)
        return Sample(requests, values)


@contextmanager
def _visitor(service: MortalService, account: OpenedAccount, webhook: str, number: int) -> Iterator[Visitor]:
    headers = {"authorization": f"Bearer {account.api_key}"}
    random = Random(f"{SEED} {number}")  # noqa: S311 - not a secret
    with httpx.Client(base_url=service.base_url, headers=headers, timeout=TIMEOUT_S) as client:
        yield Visitor(account, service.base_url, webhook, client, random)


def _measured(traffic: Traffic, gauges: Gauges) -> Sequence[Sample]:
    """Let the traffic come for the whole time; return what was measured every few seconds."""
    samples, end = [], time.monotonic() + MINUTES * 60
    traffic.begin()
    pause = threading.Event()
    while time.monotonic() < end:
        pause.wait(SAMPLE_S)
        samples.append(gauges.sample())
    traffic.end()
    return samples


def _show(measured: Sequence[Line], traffic: Traffic) -> None:
    table = Table(
        "", "start", "middle", "end", "per 1,000 requests", "", title=f"{traffic.requests:,} requests"
    )
    for line in measured:
        verdict = "" if line.bound is None else "flat" if line.is_flat else "[red]grows[/]"
        table.add_row(
            line.name,
            *(f"{value:,.1f}" for value in (line.start, line.middle, line.end)),
            f"{line.slope:+,.2f}",
            verdict,
        )
    console.print(table)
    console.print(", ".join(f"{name} {count}" for name, count in sorted(traffic.visits.items())))
    for name, found in (("failures", traffic.failures), ("spoiled visits", traffic.spoiled)):
        console.print(f"{len(found)} {name}: {dict(Counter(one.split(':')[0] for one in found))}")


def _too_chatty(found: Sequence[Line]) -> list[str]:
    (volume,) = (line for line in found if line.name.startswith("log"))
    return [f"{volume.end:.0f} bytes of log a request"] if volume.end > MOST_LOG_BYTES else []


def _wait_until(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + CALM_S
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(CALM_POLL_S)
    return True


if __name__ == "__main__":
    sys.exit(main())
