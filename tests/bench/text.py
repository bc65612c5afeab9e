"""`make bench-text`: the text function beside a bare FastAPI + httpx proxy and LiteLLM's proxy, in one run.

All stand in front of the same upstream. Ours checks the key, holds, records and settles on the emulator; the
bare one does nothing, LiteLLM has no keys and no database. One row is ours with two
budgets and three tags. Both are also measured on a database that answers at once (`instant_database.py`),
because the emulator takes longer for the transactions of budgets. CPU is that of the serving process, from
/proc, so the emulator and this load tool do not count. Three interleaved rounds; medians.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp
from rich.console import Console
from rich.table import Table

from local.machine.clients import Clients, aws_environment
from local.machine.emulator import Emulator, free_port, wait_for
from local.machine.stack import Stack
from local.processes import start, stop
from local.template import ROOT, read_template
from tests.bench import machine
from tests.bench.instant_database import INSTANT
from tests.support.overrides import overrides
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.kit.money import micro_usd_of_cents

ROUNDS = 3
REQUESTS = 600
STREAMS = 60
CHUNKS = 200
OPEN_STREAMS = 256
CONCURRENCY = 8
ACCOUNTS = 4
BUDGETS = ("account", "user")
LABELS = {"x-tollgate-tags": "user=alice,team=search,feature=chat,stage=live"}
LITELLM = ROOT / ".local" / "litellm" / "bin" / "litellm"
LITELLM_START_S = 300.0
TICK = os.sysconf("SC_CLK_TCK")


class AnswerError(Exception):
    """A server answered with an error."""


@dataclass
class Server:
    """A server under test, and what it measured."""

    name: str
    url: str
    pid: int
    keys: Iterator[str]
    path: str = "/api/v1/chat/completions"
    is_peer: bool = True
    only_cpu: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    results: dict[str, dict[int, float]] = field(default_factory=dict)
    """The figures by their names, and of each the value of each round."""
    failures: list[str] = field(default_factory=list)
    """The first failure of each round that it did not carry; ours must carry all."""

    def shown(self, name: str) -> str:
        """Return the median of a figure, or that there is none."""
        found = self.results.get(name)
        return f"{statistics.median(found.values()):.2f}" if found else "-" if self.only_cpu else "failed"

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK


def body(*, stream: bool, chunks: int = 50, paced: bool = False) -> bytes:
    """Return a chat request; `paced` asks the upstream for a chunk every 20 ms."""
    fields = {
        "model": "gpt-5.4-mini",
        "messages": [{"role": "user", "content": "hello"}],
        "stream": stream,
        "max_tokens": chunks,
        "temperature": 1 if paced else 0,
    }
    return json.dumps(fields).encode()


async def ask(session: aiohttp.ClientSession, server: Server, request: bytes) -> tuple[float, int]:
    """Send one request; give the time to its first byte in ms, and its bytes."""
    headers = {
        "authorization": f"Bearer {next(server.keys)}",
        "content-type": "application/json",
        **server.headers,
    }
    started = time.perf_counter()
    async with session.post(server.url + server.path, data=request, headers=headers) as answer:
        first = await answer.content.readany()
        first_ms = (time.perf_counter() - started) * 1e3
        rest = await answer.content.read()
        if answer.status != HTTPStatus.OK:
            raise AnswerError(f"{server.name}: {answer.status} {first[:200]!r}")
        return first_ms, len(first) + len(rest)


async def many(count: int, concurrency: int, call: Callable[[], Awaitable[object]]) -> None:
    """Make `count` calls, so many at once."""

    async def worker() -> None:
        for _ in range(count // concurrency):
            await call()

    # All of them end before the next figure is taken, also if one fails.
    ended = await asyncio.gather(*(worker() for _ in range(concurrency)), return_exceptions=True)
    for failed in filter(None, ended):
        raise failed


async def measure(session: aiohttp.ClientSession, server: Server, number: int) -> None:
    """Take all figures of one round. A peer that fails under load is a result, and not the end of the run."""

    def note(name: str, value: float) -> None:
        server.results.setdefault(name, {})[number] = value

    try:
        await take_figures(session, server, note)
    except (AnswerError, aiohttp.ClientError, TimeoutError) as exc:
        if not server.is_peer:
            raise
        server.failures.append(repr(exc))


async def take_figures(
    session: aiohttp.ClientSession, server: Server, note: Callable[[str, float], None]
) -> None:
    """Take the figures of one round, the hardest one last."""
    whole, short = body(stream=False), body(stream=True, chunks=1)
    before = server.cpu_s()
    await many(REQUESTS, CONCURRENCY, lambda: ask(session, server, whole))
    note("CPU-s per 1000 requests", (server.cpu_s() - before) * 1000 / REQUESTS)
    if server.only_cpu:
        return
    paced = body(stream=True, chunks=CHUNKS, paced=True)
    before = server.cpu_s()
    await many(STREAMS, STREAMS, lambda: ask(session, server, short))
    opening = server.cpu_s() - before
    before = server.cpu_s()
    await many(STREAMS, STREAMS, lambda: ask(session, server, paced))
    chunks_us = (server.cpu_s() - before - opening) / (STREAMS * CHUNKS) * 1e6
    note("CPU µs per chunk", chunks_us)
    firsts = [(await ask(session, server, short))[0] for _ in range(50)]
    note("ms to the first byte, alone", statistics.median(firsts))
    started = time.perf_counter()
    await many(OPEN_STREAMS, OPEN_STREAMS, lambda: ask(session, server, body(stream=True, paced=True)))
    note(f"s for {OPEN_STREAMS} streams of 1 s at once", time.perf_counter() - started)


async def run(servers: list[Server], instant: str) -> None:
    """Warm all up, then measure them in turn. `instant` is the address that makes the database instant."""
    # The servers close idle connections after 5 s.
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=2)
    async with aiohttp.ClientSession(connector=connector) as session:
        for server in servers:
            await many(100, CONCURRENCY, partial(ask, session, server, body(stream=False)))
        # All keys and budgets are known now.
        async with session.get(instant) as answer:
            answer.raise_for_status()
        for number in range(ROUNDS):
            for server in servers:
                await measure(session, server, number)


def _keys(budgets: Sequence[str]) -> Iterator[str]:
    """Return keys of new accounts with a budget of each scope. Each may have 100 requests at once."""
    api, found = api_parts.api(), []
    for _ in range(ACCOUNTS):
        account = api.accounts.open(micro_usd_of_cents(100_000))
        for scope in budgets:
            budget = {"name": scope, "scope": scope, "limitCents": 100_000, "per": "month"}
            api.budgets.create(account.account_id, budget, None)
        found.append(account.api_key)
    return cycle(found)


def litellm_command(port: int, upstream_url: str, folder: Path) -> list[str]:
    """Return what starts LiteLLM's proxy, as its own documentation has it, for the one model."""
    called = {"model": "openai/gpt-5.4-mini", "api_base": upstream_url, "api_key": "bench"}
    config = folder / "litellm.json"
    # JSON is YAML.
    config.write_text(json.dumps({"model_list": [{"model_name": "gpt-5.4-mini", "litellm_params": called}]}))
    return [str(LITELLM), "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]


def serve(ends: ExitStack, folder: Path) -> tuple[list[Server], str]:
    """Start the emulator, the upstream and the servers; return also the address for `run`."""
    emulator = Emulator(folder / "emulator.log")
    ends.callback(emulator.stop)
    ports = {name: free_port() for name in ("upstream", "bare", "litellm", "text", "database", "quick")}
    upstream_url = f"http://127.0.0.1:{ports['upstream']}"
    variables = overrides(AWS_ENDPOINT_URL=emulator.endpoint)
    clients = Clients.at(emulator.endpoint)
    stack = Stack(read_template(), clients, {"Stage": "local", "LogLevel": "INFO"}, variables)
    stack.create({"ProviderSecret": json.dumps({"openai": {"key": "bench", "baseUrl": upstream_url}})})
    environment = {
        **{name: os.environ[name] for name in ("PATH", "PYTHONPATH")},
        **aws_environment(emulator.endpoint),
        **stack.environment(),
        # All requests are one customer's.
        "REQUESTS_PER_MINUTE": "999999",
    }
    os.environ.update(environment)
    parts.forget()
    keys, limited = _keys(()), _keys(BUDGETS)

    def python(name: str, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
        known = {**environment, **more}
        process = start(name, [sys.executable, "-m", *arguments], known, folder / f"{name}.log")
        ends.callback(stop, process)
        port = ports[name]
        wait_for(f"http://127.0.0.1:{port}/healthz", process, name, folder / f"{name}.log")
        return process

    python("upstream", "tests.bench.upstream", str(ports["upstream"]))
    bare = python("bare", "tests.bench.bare_proxy", str(ports["bare"]), upstream_url)
    options = [
        "--log-level",
        "warning",
        "--no-access-log",
        "--no-proxy-headers",
    ]
    text = python("text", "uvicorn", "text.app:app", "--port", str(ports["text"]), *options)
    database = f"http://127.0.0.1:{ports['database']}"
    python("database", "tests.bench.instant_database", str(ports["database"]), emulator.endpoint)
    app = ("uvicorn", "text.app:app", "--port", str(ports["quick"]), *options)
    quick = python("quick", *app, AWS_ENDPOINT_URL=database)
    url, quick_url = (f"http://127.0.0.1:{ports[name]}" for name in ("text", "quick"))
    alone = partial(Server, is_peer=False, only_cpu=True)
    servers = [
        Server("text", url, text.pid, keys, is_peer=False),
        Server("text, 2 budgets, 3 tags", url, text.pid, limited, is_peer=False, headers=LABELS),
        alone("text, instant database", quick_url, quick.pid, keys),
        alone("the same, 2 budgets, 3 tags", quick_url, quick.pid, limited, headers=LABELS),
        Server("bare proxy", f"http://127.0.0.1:{ports['bare']}", bare.pid, keys),
    ]
    if LITELLM.exists():
        pid = start_litellm(ends, folder, ports["litellm"], upstream_url)
        url = f"http://127.0.0.1:{ports['litellm']}"
        servers.append(Server("LiteLLM", url, pid, keys, "/v1/chat/completions"))
    return servers, database + INSTANT


def start_litellm(ends: ExitStack, folder: Path, port: int, upstream_url: str) -> int:
    """Start LiteLLM's proxy, and return its process."""
    command = litellm_command(port, upstream_url, folder)
    # Nothing of ours on its path, and its list of prices is the one that it came with.
    its_own = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        # Without keys it starts only where it is told that this is meant.
        "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
    }
    litellm = start("litellm", command, its_own, folder / "litellm.log")
    ends.callback(stop, litellm)
    alive = f"http://127.0.0.1:{port}/health/liveliness"
    wait_for(alive, litellm, "litellm", folder / "litellm.log", LITELLM_START_S)
    return litellm.pid


def _ratio(name: str, one: Server, other: Server) -> str:
    """Return the median ratio of a figure of two servers."""
    # Rounds are compared with each other: what else the machine did then, it did to both.
    theirs = other.results.get(name, {})
    ratios = [mine / theirs[number] for number, mine in one.results.get(name, {}).items() if number in theirs]
    return f"{statistics.median(ratios):.2f}" if ratios else "-"


def main() -> None:
    """Measure and print."""
    os.chdir(ROOT)
    with ExitStack() as ends, TemporaryDirectory() as folder:
        servers, instant = serve(ends, Path(folder))
        asyncio.run(run(servers, instant))
    ours, limited, quick, quick_limited, bare = servers[:5]
    compared = ("text / bare proxy", "with budgets / text", "the same, instant database")
    table = Table("figure (median of 3 rounds)", *(server.name for server in servers), *compared)
    for name in ours.results:
        ratios = (_ratio(name, ours, bare), _ratio(name, limited, ours), _ratio(name, quick_limited, quick))
        table.add_row(name, *(server.shown(name) for server in servers), *ratios)
    Console().print(table)
    for server in servers:
        if server.failures:
            failed = f"{len(server.failures)} of {ROUNDS} rounds"
            Console().print(f"{server.name} failed in {failed}, at first with {server.failures[0]}")
    machine.show()


if __name__ == "__main__":
    main()
