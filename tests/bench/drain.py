"""`make bench-drain TASKS=200`: how fast a full queue drains, and what a task takes of the workers.

The tasks are ordered first and then wait; the local pump hands their messages to the handlers that Lambda
runs, in threads of this process, against the simulator with jobs of `JOB_S`. Each answer of a provider, and
the first byte of each file, takes `ANSWER_S`. So few tasks of each account that none waits for a place among
its account's running ones (decision 0014).

Twice, one after the other: *before* is a worker for each step, as it was, and a result copied by another
worker than the one that found it; *now* is as it ships. Both have as many threads that poll. What is
measured are worker-seconds, from a message to its deletion: of the steps by themselves, of polls, and of
what a copy adds to the polls beside it. Longer jobs are counted from these: more polls, and a video is too
large for a quick copy.
"""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any
from unittest.mock import patch

from rich.console import Console
from rich.table import Table

from local.machine.clients import Clients, aws_environment
from local.machine.emulator import Emulator, free_port, wait_for
from local.machine.pump import MAX_LOCAL_CONCURRENCY, Function, Pump, Source
from local.machine.service import provider_secret
from local.machine.stack import Stack
from local.processes import start, stop
from local.template import ROOT, read_template
from local.template import named as named_in
from tests.bench import machine
from tests.support.overrides import overrides
from tests.support.samples import PAID_IMAGE
from tests.support.tasks import create_task
from tollgate.accounts.service import OpenedAccount
from tollgate.artifacts.store import CopyError
from tollgate.composition import api as api_parts
from tollgate.composition import dispatch_changes as dispatch_changes_parts
from tollgate.composition import record_usage as record_usage_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.aws import sdk
from tollgate.kit.aws.batches import MAX_AT_ONCE
from tollgate.kit.money import micro_usd_of_cents
from tollgate.kit.observability import logger
from tollgate.tasks.lifecycle import FIRST_POLL_S, MAX_POLL_S, MIN_POLL_S, POLL_SHARE
from tollgate.tasks.models import Task
from tollgate.tasks.step import StepRunner

TASKS = 200
JOB_S = 10
"""An image's."""
PER_ACCOUNT = 100
"""Tasks of one account; as many may run at once."""
MOST_WRITES = 16
"""Of an image of 10 s: create, claim, end, and one for each poll."""
MOST_OF_BEFORE = 1 / 3
ANSWER_S = 0.3
"""How long a provider takes to answer (INFERRED); the simulator answers at once."""
KINDS = {"image, 10 s": 10, "video, 60 s": 60, "video, 180 s": 180}
"""How long their jobs take."""
STEPS_AT_ONCE, POLLS_AT_ONCE = 100, 50
"""TaskConcurrency and PollConcurrency of the template."""
STEPPERS, POLLING_THREADS = 4, 10
"""So few here that the queues are full, and that threads seldom wait for the one core they share."""
BODY = {"model": PAID_IMAGE, "input": {"prompt": "a fox", "size": "1:1"}}
WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
POLL_S = 1.0
PATIENCE_S = 3_600.0
TICK = os.sysconf("SC_CLK_TCK")

_lock = Lock()


@dataclass
class Meter:
    """What was done: seconds of the queues' workers, and calls to DynamoDB."""

    steps_s: float = 0.0
    """Of the task queue's workers."""
    polls_s: float = 0.0
    """Of invocations that only polled."""
    polls: int = 0
    mixed_s: float = 0.0
    """Of invocations that also copied."""
    mixed: int = 0
    """Messages of those."""
    mixed_invocations: int = 0
    invocations: int = 0
    """All of the workers that poll."""
    copied: set[str] = field(default_factory=set)
    """The tasks whose files a poll's worker copied."""
    calls: Counter[str] = field(default_factory=Counter)

    @property
    def poll_s(self) -> float:
        """Return what one poll takes of a worker."""
        return self.polls_s / self.polls

    @property
    def batch(self) -> float:
        """Return how many polls a worker takes at once."""
        return (self.polls + self.mixed) / self.invocations

    def copy_s(self, polls: int) -> float:
        """Return what the copy of a task that was polled so often adds to the polls beside it.

        All of a batch wait for the copies in it, however many: here there are more of them than where all
        come in time, as polls are late.
        """
        if not self.mixed_invocations:
            return 0.0
        added_s = (self.mixed_s - self.mixed * self.poll_s) / self.mixed_invocations
        has_copy: float = 1 - (1 - 1 / polls) ** self.batch
        return added_s * has_copy * polls / self.batch

    @property
    def writes(self) -> int:
        """Return the number of calls that write."""
        return sum(count for call, count in self.calls.items() if call in WRITES)

    def note(self, model: Any, **_: Any) -> None:
        """Count a call; botocore tells of each, once whatever its tries."""
        with _lock:
            self.calls[model.name] += 1

    def handled(self, queue: str, messages: Sequence[dict[str, Any]], took_s: float) -> None:
        """Count an invocation."""
        with _lock:
            if queue == "TaskQueue":
                self.steps_s += took_s
            elif queue == "PollQueue":
                self.invocations += 1
                if self.copied.isdisjoint(json.loads(each["Body"])["task_id"] for each in messages):
                    self.polls_s += took_s
                    self.polls += len(messages)
                else:
                    self.mixed_s += took_s
                    self.mixed += len(messages)
                    self.mixed_invocations += 1


class MeteredPump(Pump):
    """The local pump with few workers, and a meter on them; `one_each` is a worker for each poll."""

    def __init__(self, stack: Stack, clients: Clients, meter: Meter, *, one_each: bool) -> None:
        super().__init__(stack, clients)
        self._meter = meter
        self._at_once = 1 if one_each else MAX_AT_ONCE

    def _run_queue(self, mapping: Source, function: Function) -> None:
        changed = {"TaskQueue": (1, STEPPERS), "PollQueue": (self._at_once, POLLING_THREADS // self._at_once)}
        if found := changed.get(named_in(mapping["EventSourceArn"])):
            size, workers = found
            mapping = {**mapping, "BatchSize": size, "ScalingConfig": {"MaximumConcurrency": workers}}
        super()._run_queue(mapping, function)

    def _handle_messages(self, function: Function, queue: str, messages: Sequence[dict[str, Any]]) -> None:
        started = time.perf_counter()
        super()._handle_messages(function, queue, messages)
        self._meter.handled(queue, messages, time.perf_counter() - started)


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
    variables = overrides(
        AWS_ENDPOINT_URL=emulator.endpoint,
        # Nobody listens there; polls alone carry the tasks.
        CALLBACK_BASE_URL="http://127.0.0.1:9",
        DASHBOARD_URL="http://127.0.0.1:9/dashboard",
    )
    clients = Clients.at(emulator.endpoint)
    parameters = {"Stage": "local", "LogLevel": "ERROR"}
    stack = Stack(read_template(), clients, parameters, variables)
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
        list(pool.map(lambda n: create_task(accounts[n // PER_ACCOUNT].account_id, BODY), range(tasks)))
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


def slow_answers(meter: Meter, *, one_each: bool) -> ExitStack:
    """Have each answer of a provider take `ANSWER_S`, and note who copies; `one_each`: nobody quickly."""
    submit, ask, copy = StepRunner._submit, StepRunner._poll, StepRunner._copy

    def slow_submit(*args: Any) -> Any:
        time.sleep(ANSWER_S)
        return submit(*args)

    def slow_ask(*args: Any) -> Any:
        time.sleep(ANSWER_S)
        return ask(*args)

    def slow_copy(runner: StepRunner, task: Task, result: Any, *, is_quick: bool = False) -> Any:
        if is_quick and one_each:
            raise CopyError("as it was", retryable=True)
        time.sleep(ANSWER_S)
        if is_quick:
            with _lock:
                meter.copied.add(task.task_id)
        return copy(runner, task, result, is_quick=is_quick)

    ends = ExitStack()
    for name, slow in (("_submit", slow_submit), ("_poll", slow_ask), ("_copy", slow_copy)):
        ends.enter_context(patch.object(StepRunner, name, slow))
    return ends


def polls_of(job_s: int) -> int:
    """Return how often a job is polled until it is done, without the spread."""
    after_s, polls = FIRST_POLL_S, 1
    while after_s < job_s:
        after_s += max(MIN_POLL_S, min(MAX_POLL_S, after_s // POLL_SHARE))
        polls += 1
    return polls


@dataclass(frozen=True)
class Run:
    """A drain: what it measured, and its seconds."""

    meter: Meter
    took_s: float
    cpu_s: dict[str, float]


def run(stack: Stack, pids: dict[str, int], tasks: int, *, one_each: bool) -> Run:
    """Order the tasks, and drain them."""
    meter = Meter()
    with slow_answers(meter, one_each=one_each):
        accounts = order(tasks)
        events = sdk.dynamodb().meta.events
        events.register("before-call.dynamodb", meter.note)
        before = {name: cpu_s(pid) for name, pid in pids.items()}
        clients = Clients.at(os.environ["AWS_ENDPOINT_URL"])
        took_s = drain(MeteredPump(stack, clients, meter, one_each=one_each), accounts)
        events.unregister("before-call.dynamodb", meter.note)
    return Run(meter, took_s, {name: cpu_s(pid) - before[name] for name, pid in pids.items()})


def ceilings(before: Meter, now: Meter, tasks: int) -> Table:
    """Return what a stack's workers can do in a second."""
    alone_s = before.steps_s / tasks
    table = Table(
        f"polls by {now.batch:.1f}", "polls", "before, worker-s", "now", "of before", "tasks/s", "now"
    )
    for kind, job_s in KINDS.items():
        polls = polls_of(job_s)
        # An image's copy holds up the polls beside it; a video's does until it is known as large, and is then
        # made as it was.
        steps_s = now.steps_s / tasks if job_s == JOB_S else alone_s
        polls_s = now.copy_s(polls) + polls * now.poll_s
        before_s, now_s = alone_s + polls * before.poll_s, steps_s + polls_s
        # Before, one kind of worker did all of it.
        now_rate = min(STEPS_AT_ONCE / steps_s, POLLS_AT_ONCE / polls_s)
        table.add_row(
            kind,
            str(polls),
            f"{before_s:.2f}",
            f"{now_s:.2f}",
            f"{now_s / before_s:.0%}",
            f"{STEPS_AT_ONCE / before_s:.0f}",
            f"{now_rate:.0f}",
        )
    copy_s = now.copy_s(polls_of(JOB_S))
    table.caption = (
        f"before: steps {alone_s:.2f}, a poll {before.poll_s:.3f}; now: steps {now.steps_s / tasks:.2f}, "
        f"a poll {now.poll_s:.3f}, what an image's copy adds {copy_s:.2f}; at most {MOST_OF_BEFORE:.0%}"
    )
    return table


def drained(found: Run, tasks: int, name: str) -> Table:
    """Return how a drain went."""
    meter = found.meter
    table = Table(f"{name}: {tasks} tasks, jobs of {JOB_S} s", "", "target")
    table.add_row("tasks/s, measured", f"{tasks / found.took_s:.1f}", "")
    table.add_row("polls for each task", f"{(meter.polls + meter.mixed) / tasks:.1f}", "")
    table.add_row("writes for each task", f"{meter.writes / tasks:.2f}", f"at most {MOST_WRITES}")
    for process, seconds in found.cpu_s.items():
        table.add_row(f"CPU of the {process}, cores", f"{seconds / found.took_s:.2f}", "")
    return table


def main() -> None:
    """Drain twice, and print."""
    os.chdir(ROOT)
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    with ExitStack() as ends, TemporaryDirectory() as folder:
        stack, pids = service(ends, Path(folder))
        for part in (
            dispatch_changes_parts.dispatcher,
            run_task_parts.step_runner,
            record_usage_parts.usage_recorder,
        ):
            part()  # before any thread runs, as the local worker does
        before = run(stack, pids, tasks, one_each=True)
        now = run(stack, pids, tasks, one_each=False)
    for name, found in (("before", before), ("now", now)):
        Console().print(drained(found, tasks, name))
    Console().print(ceilings(before.meter, now.meter, tasks))
    for call, count in sorted(now.meter.calls.items()):
        Console().print(f"{call}: {count / tasks:.2f} for each task")
    machine.show()


if __name__ == "__main__":
    main()
