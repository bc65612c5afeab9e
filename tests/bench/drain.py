"""`make bench-drain TASKS=10000`: how fast a full queue drains, and how many writes a task costs.

The tasks are ordered first and then wait; the local pump hands their messages to the handlers that Lambda
runs, on 16 threads of this process, against the simulator with jobs of 2 s. So few tasks of each account that
none waits for a place among its account's running ones (decision 0014).

*As the workers allow* is the time that they worked, handler and taking the message off the queue, spread
evenly over all of them, and one job. What is slower than that was lost between the steps, with workers idle.

The second table is what AWS's workers could do at these times of a worker, each answer of a provider taking
`ANSWER_S`: with a worker for each poll, as it was, and with one for ten.
"""

import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any
from unittest.mock import patch

from rich.console import Console
from rich.table import Table

from local.clients import Clients, aws_environment
from local.emulator import Emulator, free_port, wait_for
from local.processes import start, stop
from local.pump import MAX_LOCAL_CONCURRENCY, Function, Pump
from local.service import PROVIDERS, provider_secret
from local.stack import Stack
from local.template import ROOT, read_template
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import dispatch_changes as dispatch_changes_parts
from tollgate.composition import record_usage as record_usage_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit import aws
from tollgate.kit.money import micro_usd_of_cents
from tollgate.kit.observability import logger
from tollgate.tasks.lifecycle import FIRST_POLL_S, MAX_POLL_S, MIN_POLL_S, POLL_SHARE
from tollgate.tasks.step import StepRunner

TASKS = 1_000
JOB_S = 2
PER_ACCOUNT = 100
"""Tasks of one account; as many may run at once."""
MOST_WRITES = 6
ANSWER_S = 0.3
"""How long a provider takes to answer (INFERRED); the simulator answers at once."""
KINDS = {"image, 10 s": 10, "video, 60 s": 60, "video, 180 s": 180}
"""How long their jobs take."""
STEPS_AT_ONCE, POLLS_AT_ONCE = 100, 50
"""TaskConcurrency and PollConcurrency of the template."""
POLLERS = 1
"""So few here that polls wait for one, as where a stack is at its ceiling: then it takes ten at once."""
BODY = {"model": PAID_IMAGE, "input": {"prompt": "a fox", "size": "1:1"}}
WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
RUN_TASK = "RunTaskFunction"
POLL_S = 1.0
PATIENCE_S = 3_600.0
TICK = os.sysconf("SC_CLK_TCK")

_running: ContextVar[str] = ContextVar("running", default="this script")
_lock = Lock()
_invoke = Function.invoke


@dataclass
class Meter:
    """What was done, by function: seconds of the queues' workers, and calls to DynamoDB."""

    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """By queue."""
    messages: Counter[str] = field(default_factory=Counter)
    invocations: int = 0
    """Of the worker that polls."""
    polls_s: list[float] = field(default_factory=list)
    """Of each poll by itself."""
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)

    def writes(self, function: str) -> int:
        """Return the number of calls that write."""
        return sum(count for (name, call), count in self.calls.items() if name == function and call in WRITES)

    def note(self, model: Any, **_: Any) -> None:
        """Count a call; botocore tells of each, once whatever its tries."""
        with _lock:
            self.calls[_running.get(), model.name] += 1


class MeteredPump(Pump):
    """The local pump, with a meter on its workers."""

    def __init__(self, stack: Stack, clients: Clients, meter: Meter) -> None:
        super().__init__(stack, clients)
        self._meter = meter

    def _handle_messages(self, function: Function, queue: str, messages: Sequence[dict[str, Any]]) -> None:
        started = time.perf_counter()
        super()._handle_messages(function, queue, messages)
        with _lock:
            self._meter.seconds[queue] += time.perf_counter() - started
            self._meter.messages[queue] += len(messages)
            self._meter.invocations += queue == "PollQueue"


def named(function: Function, event: dict[str, Any]) -> Any:
    """Invoke a function, and say which one runs."""
    _running.set(function.name)
    return _invoke(function, event)


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def service(ends: ExitStack, folder: Path) -> tuple[Stack, dict[str, int]]:
    """Start the emulator with the template's resources, and the simulator; give all processes."""
    emulator = Emulator(folder / "emulator.log")
    ends.callback(emulator.stop)
    port, log = free_port(), folder / "simulator.log"
    command = [sys.executable, "-m", "local.simulator", "--port", str(port), "--job-seconds", str(JOB_S)]
    simulator = start("simulator", command, {name: os.environ[name] for name in ("PATH", "PYTHONPATH")}, log)
    ends.callback(stop, simulator)
    wait_for(f"http://127.0.0.1:{port}/healthz", simulator, "simulator", log)
    overrides = {
        "STORAGE_URL": "https://files.test",
        "AWS_ENDPOINT_URL": emulator.endpoint,
        "PROBE_FUNCTION": "none",
        "DRAW_FUNCTION": "none",
        # Nobody listens there; polls alone carry the tasks.
        "CALLBACK_BASE_URL": "http://127.0.0.1:9",
        "LIVE_PROVIDERS": ",".join(PROVIDERS),
    }
    clients = Clients.at(emulator.endpoint)
    parameters = {"Stage": "local", "LogLevel": "ERROR", "PollConcurrency": str(POLLERS)}
    stack = Stack(read_template(), clients, parameters, overrides)
    stack.create({"ProviderSecret": provider_secret({}, f"http://127.0.0.1:{port}")})
    os.environ.update(
        {
            **aws_environment(emulator.endpoint),
            **stack.environment(),
            "POWERTOOLS_METRICS_DISABLED": "true",
        }
    )
    logger.setLevel("ERROR")
    return stack, {"emulator": emulator.process.pid, "simulator": simulator.pid, "workers": os.getpid()}


def order(tasks: int) -> list[OpenedAccount]:
    """Order the tasks; give the accounts."""
    accounts: list[OpenedAccount] = []
    for _ in range(-(-tasks // PER_ACCOUNT)):
        accounts.append(api_parts.api().accounts.open(micro_usd_of_cents(PER_ACCOUNT)))
    with ThreadPoolExecutor(MAX_LOCAL_CONCURRENCY) as pool:
        create = api_parts.api().tasks.create
        list(pool.map(lambda n: create(accounts[n // PER_ACCOUNT].account_id, BODY, None), range(tasks)))
    return accounts


def is_open(account: OpenedAccount) -> bool:
    """Return whether a task of the account has not ended."""
    return api_parts.api().accounts.me(account.account_id).open_tasks > 0


def drain(pump: Pump, accounts: list[OpenedAccount]) -> float:
    """Run the pump until no task is open; give the seconds."""
    started = time.perf_counter()
    pump.start()
    try:
        left = list(accounts)
        while left:
            assert time.perf_counter() - started < PATIENCE_S, "the queue does not drain"
            time.sleep(POLL_S)
            left = [account for account in left if is_open(account)]
        return time.perf_counter() - started
    finally:
        pump.stop()


def slow_answers(meter: Meter) -> ExitStack:
    """Have each answer of a provider take `ANSWER_S`, and note how long a poll takes by itself."""
    submit, ask, poll = StepRunner._submit, StepRunner._poll, StepRunner.poll

    def slow_submit(*args: Any) -> Any:
        time.sleep(ANSWER_S)
        return submit(*args)

    def slow_ask(*args: Any) -> Any:
        time.sleep(ANSWER_S)
        return ask(*args)

    def noted_poll(*args: Any) -> Any:
        started = time.perf_counter()
        try:
            return poll(*args)
        finally:
            with _lock:
                meter.polls_s.append(time.perf_counter() - started)

    ends = ExitStack()
    for name, slow in (("_submit", slow_submit), ("_poll", slow_ask), ("poll", noted_poll)):
        ends.enter_context(patch.object(StepRunner, name, slow))
    return ends


def polls_of(job_s: int) -> int:
    """Return how often a job is polled until it is done, without the spread."""
    after_s, polls = FIRST_POLL_S, 1
    while after_s < job_s:
        after_s += max(MIN_POLL_S, min(MAX_POLL_S, after_s // POLL_SHARE))
        polls += 1
    return polls


def ceilings(meter: Meter, tasks: int) -> Table:
    """Return what a stack's workers can do in a second."""
    step_s = meter.seconds["TaskQueue"] / tasks
    alone_s = sum(meter.polls_s) / len(meter.polls_s)
    batched_s = meter.seconds["PollQueue"] / meter.messages["PollQueue"]
    size = meter.messages["PollQueue"] / meter.invocations
    table = Table(
        f"polls by {size:.1f}", "polls", "worker-s, one each", "worker-s", "tasks/s, one each", "tasks/s"
    )
    for kind, job_s in KINDS.items():
        polls = polls_of(job_s)
        before_s, now_s = step_s + polls * alone_s, step_s + polls * batched_s
        now = min(STEPS_AT_ONCE / step_s, POLLS_AT_ONCE / (polls * batched_s))
        table.add_row(
            kind,
            str(polls),
            f"{before_s:.2f}",
            f"{now_s:.2f}",
            f"{STEPS_AT_ONCE / before_s:.0f}",
            f"{now:.0f}",
        )
    return table


def main() -> None:
    """Order, drain, and print."""
    os.chdir(ROOT)
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    meter = Meter()
    with (
        ExitStack() as ends,
        TemporaryDirectory() as folder,
        patch.object(Function, "invoke", named),
        slow_answers(meter),
    ):
        stack, pids = service(ends, Path(folder))
        accounts = order(tasks)
        for part in (
            dispatch_changes_parts.dispatcher,
            run_task_parts.step_runner,
            record_usage_parts.usage_recorder,
        ):
            part()  # before any thread runs, as the local worker does
        aws.dynamodb().meta.events.register("before-call.dynamodb", meter.note)
        before = {name: cpu_s(pid) for name, pid in pids.items()}
        took_s = drain(MeteredPump(stack, Clients.at(os.environ["AWS_ENDPOINT_URL"]), meter), accounts)
        used_s = {name: cpu_s(pid) - before[name] for name, pid in pids.items()}
    worked_s = meter.seconds["TaskQueue"] + meter.seconds["PollQueue"]
    expected_s = worked_s / MAX_LOCAL_CONCURRENCY + JOB_S
    table = Table(f"{tasks} tasks, jobs of {JOB_S} s, {MAX_LOCAL_CONCURRENCY} workers", "", "target")
    table.add_row("tasks/s, as the workers allow", f"{tasks / expected_s:.1f}", "")
    table.add_row("tasks/s, measured", f"{tasks / took_s:.1f}", f"at least {0.8 * tasks / expected_s:.1f}")
    table.add_row("ms of a worker for each task", f"{1e3 * worked_s / tasks:.0f}", "")
    table.add_row("writes for each task: run_task", f"{meter.writes(RUN_TASK) / tasks:.2f}", "")
    others = sum(meter.writes(name) for name in {name for name, _ in meter.calls} - {RUN_TASK})
    table.add_row("writes for each task: others", f"{others / tasks:.2f}", "")
    total = (meter.writes(RUN_TASK) + others) / tasks
    table.add_row("writes for each task", f"{total:.2f}", f"at most {MOST_WRITES}")
    for name, seconds in used_s.items():
        table.add_row(f"CPU of the {name}, cores", f"{seconds / took_s:.2f}", "")
    Console().print(table)
    Console().print(ceilings(meter, tasks))
    for (name, call), count in sorted(meter.calls.items()):
        Console().print(f"{name} {call}: {count / tasks:.3f} for each task")


if __name__ == "__main__":
    main()
