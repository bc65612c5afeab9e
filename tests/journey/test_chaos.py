"""Hundreds of requests of every kind, faulty providers, a worker killed over and over: nothing is lost.

What goes wrong is drawn from a seed; the seed is printed, and `CHAOS_SEED` sets it. Which write a kill falls
between is up to the machine, so a seed makes a run much alike, not the same. `CHAOS_TASKS` is how many.
"""

import io
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import av
import httpx
import pytest
from PIL import Image

from tests.support.chaos import LONGEST_DEADLINE_S, OUTAGE_S, Customer, live_through, wait_until
from tests.support.creates import FIRST
from tests.support.customer import TERMINAL
from tests.support.outages import MortalService, Unkind, mortal_service
from tests.support.receivers import Heard, Receiver, receiving
from tollgate.accounts.scopes import Scope
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.budget_rows import counted_item
from tollgate.ledger.entries import EntryKind
from tollgate.ledger.families import markup_of
from tollgate.providers.runtime.registry import providers
from tollgate.tasks.lifecycle import MAX_SUBMITS
from tollgate.tasks.models import Attempt

pytestmark = [pytest.mark.ministack, pytest.mark.long]

TASKS = int(os.environ.get("CHAOS_TASKS", "85"))
"""A little more than there are kinds of requests."""
SEED = int(os.environ.get("CHAOS_SEED") or SystemRandom().randrange(10**6))
PHYSICS = bool(os.environ.get("CHAOS_PHYSICS"))
"""Whether the database refuses what DynamoDB would (`tests/support/physics.py`)."""
UNREST = 0.02
"""The share of its requests that it throttles besides."""
LOST = float(os.environ.get("CHAOS_LOST") or "0.01")
"""The share of all answers that get lost: of AWS, of providers, of receivers of webhooks, and our own."""
CUSTOMERS = 5
BALANCE_CENTS = 1_000_000
MARKUP = 30


@pytest.fixture
def service(tmp_path: Path) -> Iterator[MortalService]:
    """Run the service."""
    unkind = Unkind(SEED, UNREST if PHYSICS else None, LOST)
    with mortal_service(tmp_path, unkind) as running:
        yield running


@pytest.fixture
def receiver(service: MortalService) -> Iterator[Receiver]:
    """Run the customers' server."""
    with receiving(SEED) as running:
        running.base_url = service.lossy(running.base_url)
        yield running


@pytest.fixture
def customers(service: MortalService, receiver: Receiver) -> Iterator[list[Customer]]:
    """Return customers with money."""
    found: list[Customer] = []
    base_url = service.lossy(service.base_url)
    with ExitStack() as ends:
        for _ in range(CUSTOMERS):
            account = api_parts.api().accounts.open(micro_usd_of_cents(BALANCE_CENTS))
            parent = None
            # The last customer is the end customer of another account.
            if len(found) == CUSTOMERS - 1:
                parent = Customer(account, ends.enter_context(client_of(base_url, account)), "")
                account = subaccount_of(account)
            http = ends.enter_context(client_of(base_url, account))
            webhook = receiver.url_of(account.account_id, account.webhook_secret)
            budget = {"name": "b", "scope": "user", "limitCents": BALANCE_CENTS, "per": "total"}
            api_parts.api().budgets.create(account.account_id, budget, None)
            # Every second customer has an agent, and the others create tasks with the key of a project.
            run = run_token_of(account) if len(found) % 2 else {}
            project_key = None if run else key_of_project(account)
            found.append(Customer(account, http, webhook, run=run, project_key=project_key, parent=parent))
        yield found


def client_of(base_url: str, account: OpenedAccount) -> httpx.Client:
    """Return a client with an account's key."""
    headers = {"authorization": f"Bearer {account.api_key}"}
    return httpx.Client(base_url=base_url, headers=headers, timeout=60)


def subaccount_of(parent: OpenedAccount) -> OpenedAccount:
    """Open a sub-account, which has nearly all of its parent's money."""
    api = api_parts.api()
    child = api.subaccounts.create(parent.account_id, {"name": "Acme", "markupPercent": MARKUP}, by=None)[
        "id"
    ]
    sent = {"amountCents": BALANCE_CENTS - TASKS * 2}
    api.subaccounts.transfer(parent.account_id, child, sent, "first", by=None)
    key = api.keys.create(child, {"name": "all", "scopes": [str(scope) for scope in Scope]}, None)["key"]
    return OpenedAccount(child, key, api.accounts.me(child).webhook_secrets[0].text)


def run_token_of(account: OpenedAccount) -> dict[str, Any]:
    """Create a run token of an account's key."""
    api = api_parts.api()
    key = api.authenticator.authenticate(account.api_key, Scope.ACCOUNT, None)
    body = {"maxCostCents": BALANCE_CENTS, "expiresInS": 86_400}
    return dict(api.tokens.create(account.account_id, body, key))


def key_of_project(account: OpenedAccount) -> str:
    """Create a project with a budget, and return a key of it."""
    api = api_parts.api()
    project_id = api.projects.create(account.account_id, {"name": "p"}, by=None)["id"]
    budget = {"name": "p", "scope": "project", "limitCents": BALANCE_CENTS, "per": "month"}
    api.budgets.create(account.account_id, budget, None)
    body = {"name": "p", "scopes": ["media", "text"], "projectId": project_id}
    return str(api.keys.create(account.account_id, body, None)["key"])


def test_nothing_is_lost_charged_twice_or_left_open(
    service: MortalService, customers: list[Customer], receiver: Receiver
) -> None:
    print(f"CHAOS_SEED={SEED}")  # noqa: T201 - pytest shows it when the test fails
    live_through(service, customers, TASKS, Random(SEED))  # noqa: S311 - not a secret
    # The money that quotes reserved comes back after an hour.
    service.pass_time(LONGEST_DEADLINE_S + OUTAGE_S)
    accounts = api_parts.api().accounts
    assert wait_until(lambda: not any(accounts.me(one.account.account_id).holds for one in customers))
    assert any(one.quotes for one in customers)
    assert any(one.workflows for one in customers)
    # What follows only looks at the outcome.
    service.losses.end()
    steps = sum(add_steps(one) for one in customers)
    views = {task_id: one.status(task_id) for one in customers for task_id in one.taken}
    states = Counter(view["status"] for view in views.values())
    print(f"{len(views)} tasks, {service.outages} outages: {dict(states)}")  # noqa: T201  # noqa: T201 - as above
    print(f"refused by the database: {dict(service.refused)}")  # noqa: T201 - as above
    print(f"{service.losses.lost.total()} answers lost: {dict(service.losses.lost)}")  # noqa: T201 - as above
    print(f"faults: {[fault for one in customers for fault in one.faults]}")  # noqa: T201 - as above
    assert not PHYSICS or set(service.refused) == {"conflict", "throttle"}
    assert len(views) == TASKS + len(FIRST) + steps
    assert set(states) <= set(TERMINAL)
    # Else the run would prove little.
    assert states["finished"] > TASKS // 4
    assert states["failed"] > 0

    for view in views.values():
        has_its_result_or_its_money_back(view)
    for customer in customers:
        has_books_that_agree(customer, views)
        has_budgets_that_agree(customer)
        was_told_of_every_end(customer, views, receiver.heard)
        has_whole_workflows(customer, views, receiver.heard)
    no_provider_got_a_job_twice(service, views)
    assert wait_until(lambda: all(statistics_agree(one, views) for one in customers))


def has_its_result_or_its_money_back(view: dict[str, Any]) -> None:
    finished = view["status"] == "finished"
    assert view["refundedCents"] == (0 if finished else view["costCents"])
    assert ("error" in view) is not finished
    assert ("files" in view or "output" in view) is finished
    for file in view.get("files", []):
        content = httpx.get(file["fileUrl"]).raise_for_status().content
        assert len(content) == file["bytes"]
        assert decodes(content, file["fileType"])


def decodes(content: bytes, file_type: str) -> bool:
    """Return whether there is something in a file, all of which a decoder can read; it raises where not."""
    if file_type == "image":
        picture = Image.open(io.BytesIO(content))
        picture.load()
        return min(picture.size) > 0
    if file_type == "3d":
        return content[:4] == b"glTF" and int.from_bytes(content[8:12], "little") == len(content)
    with av.open(io.BytesIO(content), "r") as media:
        stream = (media.streams.video if file_type == "video" else media.streams.audio)[0]
        return sum(1 for _ in media.decode(stream)) > 0


def has_books_that_agree(customer: Customer, views: dict[str, Any]) -> None:
    account_id = customer.account.account_id
    account = api_parts.api().accounts.me(account_id)
    amounts: dict[str, list[int]] = defaultdict(list)
    for entry in run_task_parts.step_runner().ledger.entries(account_id):
        amounts[entry.task_id or "credit"].append(entry.amount_micro_usd)
    credited = sum(amounts.pop("credit"))
    costs = {task_id: micro_usd_of_cents(views[task_id]["costCents"]) for task_id in customer.taken}
    finished = {task_id for task_id in customer.taken if views[task_id]["status"] == "finished"}
    assert amounts == {task: [-cost] if task in finished else [-cost, cost] for task, cost in costs.items()}
    kept = 0 if customer.parent is None else TASKS * 2
    assert credited == micro_usd_of_cents(BALANCE_CENTS - kept + sum(customer.moved_cents))
    spent = sum(costs[task_id] for task_id in finished)
    assert account.balance_micro_usd == credited - spent
    if customer.parent is not None:
        has_family_that_agrees(customer.parent.account.account_id, account_id)
    assert (account.open_tasks, account.running_tasks, account.holds) == (0, 0, ())
    assert run_task_parts.step_runner().tasks.waiting(account_id, TASKS) == []


def has_family_that_agrees(parent: str, child: str) -> None:
    """The money of a parent and a sub-account is the payment less the charges at Tollgate's own prices."""
    ledger = run_task_parts.step_runner().ledger
    entries = [*ledger.entries(parent), *ledger.entries(child)]
    own_prices = sum(
        entry.amount_micro_usd + (entry.markup_micro_usd or 0) for entry in entries if entry.task_id
    )
    rows = [row for one in (parent, child) if (row := ledger.account_row(one)) is not None]
    money = sum(row["balance_micro_usd"] + markup_of(row) for row in rows)
    assert money == micro_usd_of_cents(BALANCE_CENTS) + own_prices
    assert any(entry.kind is EntryKind.MARKUP and entry.amount_micro_usd > 0 for entry in entries)
    for one in (parent, child):
        assert check_ledger_parts.ledger_audit().check(one, full=True).drift is None


def has_budgets_that_agree(customer: Customer) -> None:
    """Each budget has counted what the ledger's entries of it say, and so has the run token."""
    account_id, api = customer.account.account_id, api_parts.api()
    due: Counter[str] = Counter()
    for entry in run_task_parts.step_runner().ledger.entries(account_id):
        for item in entry.budgets or ():
            due[counted_item(item)] -= entry.amount_micro_usd
    counted = {item: api.budgets.budgets.counted(account_id, item).micro_usd for item in due}
    assert counted == due
    # The budget of the user, and the run token's or the project's.
    assert len(due) == 2
    entries = run_task_parts.step_runner().ledger.entries(account_id)
    projects = {entry.project for entry in entries if entry.kind is EntryKind.CHARGE}
    assert (None in projects) is bool(customer.run)
    assert len(projects) == 1
    if customer.run:
        spent = api.tokens.one(account_id, customer.run["id"])["spentMicroUsd"]
        assert {spent} == set(due.values())
    assert check_ledger_parts.ledger_audit().check(account_id, full=True).drift is None


def was_told_of_every_end(customer: Customer, views: dict[str, Any], heard: Sequence[Heard]) -> None:
    for task_id, body in customer.taken.items():
        mine = [one for one in heard if one.event["data"].get("taskId") == task_id]
        if "webhook" not in body:
            assert mine == []
            continue
        assert len({one.webhook_id for one in mine}) == 1
        assert 204 in {one.status for one in mine}
        for one in mine:
            assert one.signed
            assert one.event["type"] == f"task.{views[task_id]['status']}"
            assert one.event["data"] == views[task_id]


def add_steps(customer: Customer) -> int:
    """Note the tasks of a customer's workflows, of which no webhook tells; return their number."""
    views = [customer.workflow(workflow_id) for workflow_id in customer.workflows]
    found = [step["taskId"] for view in views for step in view["steps"] if "taskId" in step]
    customer.taken |= {task_id: {} for task_id in found}
    return len(found)


def has_whole_workflows(customer: Customer, views: dict[str, Any], heard: Sequence[Heard]) -> None:
    """Each step is what became of its task, costs only that, and one event tells of the end."""
    for workflow_id, told in customer.workflows.items():
        view = customer.workflow(workflow_id)
        tasks = {step["id"]: views[step["taskId"]] for step in view["steps"] if "taskId" in step}
        for step in view["steps"]:
            task = tasks.get(step["id"])
            if task is None:
                assert (step["status"] in ("skipped", "failed"), step["costMicroUsd"]) == (True, 0)
                continue
            assert step["status"] == ("finished" if task["status"] == "finished" else "failed")
            assert step["costMicroUsd"] == micro_usd_of_cents(task["costCents"])
            assert step["refundedMicroUsd"] == micro_usd_of_cents(task["refundedCents"])
        is_whole = all(step["status"] == "finished" for step in view["steps"])
        assert view["status"] == ("finished" if is_whole else "failed")
        mine = [one for one in heard if one.event["data"].get("id") == workflow_id]
        assert len({one.webhook_id for one in mine}) == int(told)
        assert all(one.signed and one.event["data"] == view for one in mine)


def sends_of(attempt: Attempt) -> int:
    """Return how often an attempt may be sent: under a key of its own twice for each submit, else once."""
    declared = providers().get(attempt.provider)
    return 2 * MAX_SUBMITS if declared is not None and declared.idempotency_header else 1


def no_provider_got_a_job_twice(service: MortalService, views: dict[str, Any]) -> None:
    """The simulator counts submits and jobs by prompt, and no two requests have the same."""
    runner = run_task_parts.step_runner()
    tasks = [runner.tasks.get(task_id) for task_id in views]
    asked: Counter[tuple[str, str]] = Counter()
    for task in filter(None, tasks):
        for attempt in task.attempts:
            asked[attempt.provider, str(task.values.get("prompt"))] += sends_of(attempt)
    jobs = httpx.get(f"{service.found.simulatorUrl}/_jobs").json()
    counted = [job for job in jobs if job["prompt"].startswith("request ")]
    assert len(counted) > TASKS // 2
    for job in counted:
        assert job["accepted"] <= 1, job
        assert job["submits"] <= asked[job["provider"], job["prompt"]], job


def statistics_agree(customer: Customer, views: dict[str, Any]) -> bool:
    """Return whether the statistics are what the customer's tasks cost; they are a little behind."""
    total = customer.data("GET", "/api/v1/stats?range=7d")["total"]
    mine = [views[task_id] for task_id in customer.taken]
    return bool(
        total["tasks"] == len(mine)
        and total["spentCents"] == sum(view["costCents"] for view in mine)
        and total["refundedCents"] == sum(view["refundedCents"] for view in mine)
    )
