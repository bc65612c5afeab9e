"""Customers who create everything there is while workers die; and waiting until all of it is over."""

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx
import pytest

from tests.support.creates import FIRST, Earlier, inputs, prompt_of, with_a_prompt
from tests.support.customer import TERMINAL
from tests.support.outages import MortalService
from tollgate.accounts.service import OpenedAccount
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb.rows import from_attributes
from tollgate.kit.ids import new_id

AT_ONCE = 8
PER_OUTAGE = 25
"""Creates between two kills, at least."""
MOST_OUTAGES = 10
"""With more, most tasks would see their deadline pass before they were ever worked on in peace."""
MOST_MOVED = 0.7
"""A kill comes when workers have moved some of the open tasks, at most this share of them."""
OUTAGE_S = 200
"""Longer than any lease and than any wait for a message: what was lost by then is found."""
LONGEST_DEADLINE_S = 3_600
JUMP_S = 3_600
"""By which the clock jumps once, while a worker is in the midst of its work."""
MINUTES_FIRST = 2
"""Times that a few minutes pass before the deadlines of all tasks do."""
MAX_ROUNDS = 20
"""Times that minutes pass until all must be over: a receiver fails twice, a provider is busy twice."""
PATIENCE_S = 90.0
POLL_S = 1.0
CALM_S = 3.0
"""What does not move for so long waits for something that is minutes away."""
MAX_TRIES = 6
"""How often a customer sends a request that is not answered, or with a fault of the service."""
FIRST_FAULT = 500
SLOW_FILE = "in time."
"""How the refusal of a file ends whose header was not read in time. Lost answers can be the cause."""
CANCELLED_SHARE = 0.08
WEBHOOK_SHARE = 0.7
QUOTED_SHARE = 0.2
FLOW_SHARE = 0.1
GENERATION, QUOTES, WORKFLOWS = "/api/v1/generation/create", "/api/v1/quotes", "/api/v1/workflows"
TEXT = {
    "path": "/api/v1/chat/completions",
    "body": {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 100},
}
"""A text request that is never sent: the money that a quote reserves for it comes back."""


@dataclass
class Customer:
    """A customer and the tasks that were taken."""

    account: OpenedAccount
    http: httpx.Client
    webhook: str
    taken: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The body of each, by task."""
    run: dict[str, Any] = field(default_factory=dict)
    """The run token with which it creates tasks; empty for its key."""
    project_key: str | None = None
    """A key of a project, with which it creates tasks."""
    parent: "Customer | None" = None
    """Of a sub-account: the account that moves money to it and back."""
    moved_cents: list[int] = field(default_factory=list)
    quotes: set[str] = field(default_factory=set)
    workflows: dict[str, bool] = field(default_factory=dict)
    """Each workflow, and whether a webhook tells how it ends."""
    faults: list[str] = field(default_factory=list)
    """What the service answered where it could not do what it was asked for."""

    def data(self, method: str, path: str, **kwargs: Any) -> Any:
        """Return the `data` of an answer that must be 200."""
        answer = self.answer(method, path, **kwargs)
        assert answer.status_code == 200, f"{kwargs}: {answer.text}"
        return answer.json()["data"]

    def answer(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        """Return the first answer without a fault or a slow file; all requests here may be sent again."""
        for _ in range(MAX_TRIES):
            with suppress(httpx.TransportError):
                answer = self.http.request(method, path, **kwargs)
                is_slow = answer.status_code == httpx.codes.BAD_REQUEST and SLOW_FILE in answer.text
                if answer.status_code < FIRST_FAULT and not is_slow:
                    return answer
                self.faults.append(f"{path}: {answer.text}")
        pytest.fail(f"{method} {path} is not answered; {self.faults}")

    def create(
        self, model: str, values: dict[str, Any], *, told: bool, cancelled: bool, quoted: bool = False
    ) -> str:
        """Create a task, `told` by a webhook how it ends, `cancelled` at once, or in a quote; give its id."""
        body = {"model": model, "input": values} | ({"webhook": self.webhook} if told else {})
        headers = {"idempotency-key": new_id("order"), "x-tollgate-tags": "user=alice", **self._key()}
        # A sub-account with a mark-up has no quotes.
        if quoted and self.parent is None:
            task_id = self._create_quoted(body, headers)
        else:
            task_id = str(self.data("POST", GENERATION, json=body, headers=headers)["taskId"])
        self.taken[task_id] = body
        if self.parent is not None:
            self._move(self.parent, len(self.taken) % 3 or -1)
        if cancelled:
            self.data("POST", f"/api/v1/task/cancel/{task_id}")
        return task_id

    def _create_quoted(self, body: dict[str, Any], headers: dict[str, str]) -> str:
        """Create a task by a quote that also reserves money for a text request; give the task's id."""
        asked = {"requests": [{"path": GENERATION, "body": body}, TEXT]}
        # After a lost answer there is another quote, which nobody uses.
        quote_id = self.data("POST", QUOTES, json=asked, headers=headers)["id"]
        self.quotes.add(quote_id)
        started = self.data("POST", f"{QUOTES}/{quote_id}/create", headers=headers)
        return str(started["parts"][0]["taskId"])

    def flow(self, prompt: str, *, told: bool, cancelled: bool) -> None:
        """Create a workflow whose second step needs the image of the first one, and whose third one waits."""

        def image(step_id: str, text: str, needs: Sequence[str] = ()) -> dict[str, Any]:
            values = {"prompt": text, "size": "1:1"}
            return {"id": step_id, "model": "z-image", "input": values, "dependsOn": list(needs)}

        cut = {"id": "cut", "model": "bria-rmbg-2.0", "input": {"imageUrls": ["$image.files[0]"]}}
        steps = [image("image", prompt), cut, image("again", f"{prompt} again", ["cut"])]
        body = {"steps": steps} | ({"webhook": self.webhook} if told else {})
        headers = {"idempotency-key": new_id("order"), "x-tollgate-tags": "user=alice", **self._key()}
        workflow_id = str(self.data("POST", WORKFLOWS, json=body, headers=headers)["id"])
        self.workflows[workflow_id] = told
        if cancelled:
            self.data("POST", f"{WORKFLOWS}/{workflow_id}/cancel")

    def _key(self) -> dict[str, str]:
        """Return the header with the key with which it creates tasks."""
        key = self.run["token"] if self.run else self.project_key
        return {} if key is None else {"authorization": f"Bearer {key}"}

    def workflow(self, workflow_id: str) -> Any:
        return self.data("GET", f"{WORKFLOWS}/{workflow_id}")

    def _move(self, parent: "Customer", cents: int) -> None:
        """Let the parent move money to this sub-account, or take it back."""
        path, headers = (
            f"/api/v1/subaccounts/{self.account.account_id}/credit",
            {"idempotency-key": new_id("move")},
        )
        parent.data("POST", path, json={"amountCents": cents}, headers=headers)
        self.moved_cents.append(cents)

    def status(self, task_id: str) -> Any:
        """Return a task's status."""
        return self.data("GET", f"/api/v1/task/status/{task_id}")


Create = Callable[[], str]


def live_through(service: MortalService, customers: Sequence[Customer], tasks: int, random: Random) -> None:
    """Create everything, kill the worker again and again, and go on until all is over."""
    creates = _creates(customers, tasks, random)
    step = max(PER_OUTAGE, -(-tasks // MOST_OUTAGES))
    firsts = range(0, tasks, step)
    # In the first half, so that most tasks are worked on in peace after it.
    jump_at = random.choice(firsts[: max(1, len(firsts) // 2)])
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for first in firsts:
            list(pool.map(lambda create: create(), creates[first : first + step]))
            _wait_for_work(random.uniform(0, MOST_MOVED))
            if first == jump_at:
                # A clock that is set: every lease and deadline is over, and the worker knows nothing of it.
                service.pass_time(JUMP_S)
            service.outage(OUTAGE_S)
    _wait_for_work(0)
    for rounds in range(MAX_ROUNDS):
        if _is_over_when_calm():
            return
        service.pass_time(LONGEST_DEADLINE_S if rounds == MINUTES_FIRST else OUTAGE_S)
    pytest.fail(f"still open: {sorted(_open_rows())}")


def wait_until(is_so: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
    """Wait until something is so; tell whether it came to that."""
    end = time.monotonic() + patience_s
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(POLL_S)
    return True


def _creates(customers: Sequence[Customer], tasks: int, random: Random) -> list[Create]:
    """Draw the requests, each kind as often as any other."""
    listed = customers[0].answer("GET", "/api/v1/catalog").json()
    models = [model["id"] for model in listed if model["kind"] == "media"]
    kinds = inputs(models, _first_works(customers[0]))
    random.shuffle(kinds)
    return [_create(number, *kinds[number % len(kinds)], customers, random) for number in range(tasks)]


def _create(
    number: int, model: str, values: dict[str, Any], customers: Sequence[Customer], random: Random
) -> Create:
    # An earlier task is its own customer's to build on.
    customer = customers[0] if "parentTaskId" in values else random.choice(customers)
    prompted = with_a_prompt(values, prompt_of(number, random))
    told, cancelled = random.random() < WEBHOOK_SHARE, random.random() < CANCELLED_SHARE
    quoted = random.random() < QUOTED_SHARE
    # A sub-account with a mark-up has no workflows.
    flows = customer.parent is None and random.random() < FLOW_SHARE
    flow_prompt = prompt_of(number, random).replace("request", "request flow", 1)

    def create() -> str:
        if flows:
            customer.flow(flow_prompt, told=told, cancelled=cancelled)
        return customer.create(model, prompted, told=told, cancelled=cancelled, quoted=quoted)

    return create


def _first_works(customer: Customer) -> Earlier:
    """Make what other tasks build on."""
    ids = {model: customer.create(model, dict(FIRST[model]), told=False, cancelled=False) for model in FIRST}
    assert wait_until(lambda: all(customer.status(one)["status"] in TERMINAL for one in ids.values()))
    urls = {model: customer.status(task_id)["files"][0]["fileUrl"] for model, task_id in ids.items()}
    return Earlier(urls["z-image"], urls["seedance-1.5-pro"], urls["suno"], ids["suno"], ids["midjourney"])


def _open_rows() -> set[tuple[str, int]]:
    """Return every task and delivery that is not over, each with its counter: those have a timer."""
    found = set()
    for table, key in (("TASKS_TABLE", "task_id"), ("DELIVERIES_TABLE", "delivery_id")):
        scan = sdk.dynamodb().get_paginator("scan")
        for page in scan.paginate(TableName=os.environ[table], IndexName="DueIndex"):
            rows = [from_attributes(row) for row in page["Items"]]
            found |= {(row[key], row["seq"]) for row in rows}
    return found


def _wait_for_work(share: float) -> None:
    """Wait until workers have moved this share of what is open."""
    before = _open_rows()
    wanted = min(len(before), max(1, round(share * len(before))))
    assert wait_until(lambda: len(before - _open_rows()) >= wanted), "the worker moves too little"


def _is_over_when_calm() -> bool:
    """Wait until nothing has moved for a while; tell whether all is over."""
    before: set[tuple[str, int]] = set()
    end = time.monotonic() + PATIENCE_S
    while (now := _open_rows()) and now != before and time.monotonic() < end:
        before = now
        wait_until(lambda: not _open_rows(), CALM_S)
    return not now
