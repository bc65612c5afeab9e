"""A worker that dies between any two effects loses nothing: the sweeper finds the rest.

Every effect of a task's life (a write, a transaction, a message, a call to a provider, a copy) is counted.
Just before each, which is just after the one before it, the process dies once. It also dies after the effect
of a create, because then the customer hears nothing. Then messages that are still there are handled, the
sweeper runs as time passes, and the books must be as if nothing had happened.
"""

import base64
import io
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from PIL import Image

from tests.conftest import Aws
from tests.functional.conftest import StreamReader, balance_cents, stream_records, with_prompt
from tests.functional.test_run_task import ledger_of, task_of
from tests.support.clock import ManualClock
from tests.support.samples import PAID_BODY
from tests.support.tasks import create_task
from tollgate.accounts.service import OpenedAccount
from tollgate.artifacts import inputs
from tollgate.artifacts import store as store_module
from tollgate.artifacts.inputs import InputFile, InputStore
from tollgate.artifacts.store import ArtifactStore
from tollgate.composition import api as api_parts
from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.composition import dispatch_changes as dispatch_changes_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.composition import sweep as sweep_parts
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb import due_index, shards
from tollgate.kit.dynamodb.database import Database
from tollgate.ledger import expiry
from tollgate.ledger.audit import audit
from tollgate.providers.media.fal.media import Adapter as FalMedia
from tollgate.providers.media.poyo.media import Adapter as PoyoMedia
from tollgate.tasks.lifecycle import MAX_SUBMITS

MAX_ROUNDS = 40
ROUND_MS = 60 * MS_PER_S
WEBHOOK = "https://receiver.test/hook"
# Its result is too large for the worker that polls, and goes to another one.
LARGE = "large"

EFFECTS = (
    (Database, "write"),
    (Database, "transact"),
    (Queue, "send"),
    (Queue, "send_all"),
    (FalMedia, "submit"),
    (PoyoMedia, "submit"),
    (ArtifactStore, "copy"),
)


class Died(BaseException):
    """The process is gone."""


class Fate:
    """Counts effects, and lets the process die at one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.submits: list[tuple[type, str]] = []
        self._dies_at: int | None = None
        self._after = False
        for owner, name in EFFECTS:
            monkeypatch.setattr(owner, name, self._fated(owner, getattr(owner, name)))

    def die_at(self, effect: int, after: bool) -> None:
        self.count, self._dies_at, self._after = 0, effect, after

    def _fated(self, owner: type, effect: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            number = self.count
            self.count += 1
            if number == self._dies_at and not self._after:
                raise Died
            if owner in (FalMedia, PoyoMedia):
                self.submits.append((owner, args[1].idempotency_key))
            answer = effect(*args, **kwargs)
            if number == self._dies_at and self._after:
                raise Died
            return answer

        return call


@pytest.fixture
def fate(monkeypatch: pytest.MonkeyPatch) -> Fate:
    """Return the fate of the processes of a test."""
    return Fate(monkeypatch)


@pytest.fixture(autouse=True)
def one_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all timers in one shard: to ask eight takes most of the time of a sweep."""
    for module in (shards, due_index, expiry):
        monkeypatch.setattr(module, "DUE_SHARDS", 1)


class Life:
    """All handlers of the service, each call of which may die."""

    def __init__(self, aws: Aws, clock: ManualClock) -> None:
        self._aws = aws
        self._clock = clock
        self._changes = StreamReader(aws, "TasksTable")

    def turn(self) -> None:
        """Handle the changes and messages there are; then a minute passes and the sweeper runs."""
        for record in self._changes.new_records():
            if record["eventName"] == "INSERT":
                self._survive(partial(dispatch_changes_parts.dispatcher().dispatch, record))
        runner = run_task_parts.step_runner()
        for queue, step in (("TaskQueue", runner.run), ("PollQueue", runner.poll)):
            for body in self._aws.messages(queue):
                message = json.loads(body)
                self._survive(partial(step, message["task_id"], message["seq"]))
        self._clock.advance_ms(ROUND_MS)
        self._survive(sweep_parts.sweeper().sweep)

    @staticmethod
    def _survive(call: Callable[[], Any]) -> None:
        """A process that dies takes its message with it here: that is worse than SQS, which redelivers."""
        try:
            call()
        except Died:
            return


def effects_of_a_life(prompt: str) -> int:
    """Return how many effects to die at: a few more than the longest life of this kind has."""
    return {"fine": 9, LARGE: 11, "[[fal: fail]]": 13, "[[fail]]": 13, "[[reject]]": 8}[prompt]


CASES = [
    *(
        (prompt, effect, False)
        for prompt in ("fine", LARGE, "[[fal: fail]]", "[[fail]]", "[[reject]]")
        for effect in range(effects_of_a_life(prompt))
    ),
    ("fine", 0, True),
]


@pytest.mark.parametrize(("prompt", "effect", "after"), CASES)
def test_a_death_at_any_effect_costs_nobody_anything(
    aws: Aws,
    customer: OpenedAccount,
    clock: ManualClock,
    fate: Fate,
    monkeypatch: pytest.MonkeyPatch,
    prompt: str,
    effect: int,
    after: bool,
) -> None:
    if prompt == LARGE:
        monkeypatch.setattr(store_module, "QUICK_TIMEOUT_S", 0.0)
    life = Life(aws, clock)
    fate.die_at(effect, after)
    body = {**PAID_BODY, **with_prompt(prompt), "webhook": WEBHOOK}
    try:
        create_task(customer.account_id, body, "order-1")
    except Died:
        # The customer saw no answer and asks again with the same key: one task, one charge, either way.
        create_task(customer.account_id, body, "order-1")
    entries = ledger_of(customer)
    assert entries == [("charge", -1)]

    (row,) = [r for r in stream_records(aws) if r["eventName"] == "INSERT"]
    task_id = row["dynamodb"]["Keys"]["task_id"]["S"]
    for _ in range(MAX_ROUNDS):
        if task_of(task_id).ended:
            break
        life.turn()
    task = task_of(task_id)

    assert task.ended
    refunded = task.status != "finished"
    assert ledger_of(customer) == [("charge", -1), ("refund", 1)][: 2 if refunded else 1]
    assert balance_cents(customer) == (100 if refunded else 99)
    runner = run_task_parts.step_runner()
    account = api_parts.api().accounts.me(customer.account_id)
    assert (
        audit(account.account_id, account.balance_micro_usd, runner.ledger.entries(account.account_id))
        is None
    )
    assert account.open_tasks == 0
    # No provider does the same job twice: it is submitted once, or under one key where it takes one.
    for provider in {owner for owner, _ in fate.submits}:
        keys = [key for owner, key in fate.submits if owner is provider]
        assert len(keys) <= (MAX_SUBMITS if provider is PoyoMedia else 1)
        assert len(set(keys)) == 1
    assert (
        deliver_webhook_parts.webhook_sender().deliveries.get("evt_" + task_id.removeprefix("task_"))
        is not None
    )
    for file in task.files:
        key = file.url.partition("files.test/")[2]
        aws.clients.s3.head_object(Bucket=aws.stack.refs["MediaBucket"], Key=key)


def data_uri(color: int) -> str:
    """Return an image of its own as it stands in a request."""
    file = io.BytesIO()
    Image.new("RGB", (640, 640), (color, 0, 0)).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


@pytest.mark.parametrize("stored", [0, 1, 2])
@pytest.mark.parametrize("repeats", [True, False], ids=["repeated", "not repeated"])
def test_a_death_between_the_charge_and_the_files_of_the_request_costs_nothing(
    aws: Aws,
    customer: OpenedAccount,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
    stored: int,
    repeats: bool,
) -> None:
    """`stored` of two files were there when it died; who repeats the create gets what it asked for."""
    keep = InputStore.store

    def dies(store: InputStore, files: Sequence[InputFile]) -> None:
        monkeypatch.setattr(InputStore, "store", keep)
        keep(store, files[:stored])
        raise Died

    monkeypatch.setattr(InputStore, "store", dies)
    monkeypatch.setattr(inputs, "READ_INTERVAL_S", 0)
    # Whoever cannot read what it is named refuses; the simulator reads nothing.
    prompt = "a fox" if repeats or stored == 2 else "a fox [[reject]]"
    values = {"prompt": prompt, "urls": [data_uri(1), data_uri(2)]}
    create = partial(create_task, customer.account_id, {"model": "seedream-4.5", "input": values}, "order-1")
    with pytest.raises(Died):
        create()
    assert ledger_of(customer) == [("charge", -4)]
    (row,) = [r for r in stream_records(aws) if r["eventName"] == "INSERT"]
    task_id = row["dynamodb"]["Keys"]["task_id"]["S"]
    if repeats:
        assert create()["taskId"] == task_id
    names = task_of(task_id).values["urls"]
    keys = [str(name).partition("files.test/")[2] for name in names]
    listed = aws.clients.s3.list_objects_v2(Bucket=aws.stack.refs["MediaBucket"], Prefix="inputs/")
    there = {each["Key"] for each in listed.get("Contents", [])}
    assert there == set(keys if repeats else keys[:stored])

    life = Life(aws, clock)
    for _ in range(MAX_ROUNDS):
        if task_of(task_id).ended:
            break
        life.turn()
    finished = task_of(task_id).status == "finished"
    assert finished is (repeats or stored == 2)
    assert ledger_of(customer) == [("charge", -4), ("refund", 4)][: 1 if finished else 2]
    assert balance_cents(customer) == (96 if finished else 100)


def test_a_submit_whose_worker_died_is_made_again_under_its_key(
    aws: Aws, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "EFFECTS", ((PoyoMedia, "submit"),))
    fate, life = Fate(monkeypatch), Life(aws, clock)
    fate.die_at(0, after=True)
    made = create_task(customer.account_id, {**PAID_BODY, **with_prompt("[[fal: status 500]]")}, "order-1")
    for _ in range(MAX_ROUNDS):
        life.turn()
        if len(fate.submits) == MAX_SUBMITS:
            break
    attempt = task_of(made["taskId"]).attempts[-1]
    assert (attempt.provider, attempt.submits, attempt.failure) == ("poyo", MAX_SUBMITS, None)
    assert attempt.handle is not None
    assert len(set(fate.submits)) == 1
