"""What the tests of the end of an account share."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer

from close_accounts.app import handler
from local.machine.events import Context
from local.template import ROOT
from tests.conftest import Aws
from tests.functional.conftest import with_prompt
from tests.functional.dashboard.test_dashboard_members import identity, invite, member
from tests.functional.test_audit_log import events
from tests.functional.test_directory import connect
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.samples import PAID_IMAGE
from tests.support.stripe import CUSTOMER, FakeStripe
from tests.support.tasks import create_task
from tests.support.user_pool import People
from tollgate.account_closure.erasure import Erasure
from tollgate.audit.events import SERVICE, Action
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.database import Database
from tollgate.ledger.callers import Caller
from tollgate.ledger.entries import EntryKind
from tollgate.members.identities import Person
from tollgate.members.service import Actor
from tollgate.members.team import Team
from tollgate.text.responses.conversations import ConversationRepository
from tollgate.text.responses.storage import MAX_ROW_BYTES, Storage

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/close_accounts.json").read_text())
ADA, BOB = "ada@example.com", "bob@example.com"
PLAN = "my secret plan"
NAME = "Lovelace"
"""In every name that a customer can choose."""
STEPS = 16
KEPT = {"AccountsTable", "LedgerTable", "AuditTable", "ApiKeysTable", "CheckpointsTable", "SealsTable"}
"""Where something about a closed account may be: its row, the books, the log, ended keys."""
EXPIRING = {"IdempotencyTable", "CountedEntriesTable", "SessionsTable"}
"""Rows that end by themselves within days."""


def run() -> None:
    """Run once, as the schedule does."""
    handler(EVENT, Context("CloseAccountsFunction"))


@pytest.fixture
def ada(stripe: FakeStripe, clock: ManualClock) -> Browser:
    """Return the browser of an owner."""
    browser = Browser()
    browser.sign_in(ADA)
    browser.get("/closing")
    clock.advance_ms(1)
    return browser


@pytest.fixture
def pool(aws: Aws, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch) -> People:
    """Return a user pool that the function knows."""
    found = People.made()
    monkeypatch.setenv("USER_POOL_ID", found.pool_id)
    parts.forget()
    return found


def close_by_owner(account_id: str, owner: Person) -> None:
    """Ask for the end of an account as its owner."""
    by = Actor(owner.identity_id, owner.name)
    dashboard_parts.dashboard().account_closure.request(account_id, account_id, "give up", by)


def account_of(browser: Browser) -> str:
    return browser.get("").attribute("data-account")


def close(browser: Browser, balance: str = "give up") -> str:
    """Ask for the end of the account that a browser looks at; return its id."""
    account_id = account_of(browser)
    answer = browser.post("/closing", {"account": account_id, "balance": balance})
    assert answer.status == 200, answer.text
    return account_id


def lived_in(ada: Browser, aws: Aws, clock: ManualClock) -> str:
    """Return an account in which something of every kind is."""
    account_id = account_of(ada)
    api, refs, clients = api_parts.api(), aws.stack.refs, aws.clients
    member(ada, "viewer", BOB)
    invite(ada, "eve@example.com", "viewer")
    connect(ada).add(BOB, name={"formatted": ADA})
    ada.get("/keys")
    form = {"name": "Ada's shop", "scopes": ["media", "account"], "networks": "192.0.2.0/24"}
    assert ada.post("/keys", form).status == 200
    made = create_task(account_id, {"model": PAID_IMAGE, **with_prompt(PLAN)})
    run_to_end(str(made["taskId"]), clock)
    api.files.uploads.create_upload(
        Caller.of_account(account_id), {"filename": "a.png", "contentType": "image/png", "bytes": 5}
    )
    api.low_balance.save_customer(account_id, CUSTOMER)
    api.low_balance.change(account_id, {"threshold": "5", "emails": ADA}, ADA)
    api.webhooks.send_test(account_id, {"url": "https://example.com/hook"})
    named(ada, account_id, str(api.keys.all(account_id)[0]["id"]))
    for table, row in (
        ("ResponsesTable", {"response_id": "resp_1", "content": PLAN}),
        ("UsageTable", {"usage_day": "2026-11-22"}),
        ("BudgetsTable", {"item": "bud_1#total#0#1", "value": ADA}),
        ("WebhookLanesTable", {}),
    ):
        typed: Any = {name: {"S": text} for name, text in {"account_id": account_id, **row}.items()}
        clients.dynamodb.put_item(TableName=refs[table], Item=typed)
    large = f"responses/{account_id}/resp_1.json"
    clients.s3.put_object(Bucket=refs["MediaBucket"], Key=large, Body=PLAN.encode())
    # Not `asyncio.run`, which would leave the handlers without the loop of this thread.
    loop = asyncio.new_event_loop()
    loop.run_until_complete(converse(account_id, aws))
    loop.close()
    return account_id


def named(ada: Browser, account_id: str, key_id: str) -> None:
    """Use a customer's own names in everything that has one."""
    api, name = api_parts.api(), {"name": f"Ada {NAME}"}
    project = api.projects.create(account_id, name, None)["id"]
    api.budgets.create(account_id, {**name, "scope": "account", "limitCents": 10_000, "per": "day"}, None)
    api.tokens.create_of(account_id, key_id, {**name, "maxCostCents": 5}, ADA)
    child = api.subaccounts.create(account_id, name, by=None)["id"]
    api.subaccounts.close(account_id, child, None)
    assert ada.post("/top-up/billing", {"company": f"{NAME} Ltd"}).status == 200
    by, projects = Actor(identity(ADA), ADA), {project: f"Ada {NAME}"}
    members = dashboard_parts.dashboard().members
    members.change_project_role(account_id, identity(BOB), project, "manager", by, projects=projects)
    log = api.projects.audit
    log.write(account_id, SERVICE, Action.BUDGET_REACHED, f"Ada {NAME}", "50 %")
    log.write(account_id, SERVICE, Action.EXPORT_FAILING, "Bucket", f"role/{NAME} refused")
    # The sub-account is gone before its parent closes.
    run()
    run()


async def converse(account_id: str, aws: Aws) -> None:
    """Store two conversations, one of them with an object for its items."""

    async def put(key: str, content: bytes) -> None:
        aws.clients.s3.put_object(Bucket=aws.stack.refs["MediaBucket"], Key=key, Body=content)

    objects: Any = SimpleNamespace(put=put)
    db: Any = AtOnce(Database(aws.clients.dynamodb))
    storage = Storage(db, aws.stack.refs["ResponsesTable"], objects, parts.clock())
    for size in (1, MAX_ROW_BYTES):
        items = [{"role": "user", "content": PLAN * size}]
        await ConversationRepository(storage).create(Caller.of_account(account_id), {"topic": ADA}, items)


class AtOnce:
    """The writes of an `AsyncDatabase`, by the database of all other functions."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def write(self, write: Any) -> None:
        self.db.write(write)

    async def transact(self, writes: Any) -> None:
        self.db.transact(writes)


def traces(aws: Aws, *words: str) -> dict[str, list[str]]:
    """Return the rows that have one of some words in them, by table, and the bucket's objects.

    Rows whose time is over are left out, because DynamoDB deletes them.
    """
    found: dict[str, list[str]] = {}
    read, now_s = TypeDeserializer().deserialize, parts.clock().now_ms() // MS_PER_S
    for name, table in aws.stack.refs.items():
        if not name.endswith("Table") or name in EXPIRING:
            continue
        for page in aws.clients.dynamodb.get_paginator("scan").paginate(TableName=table):
            for row in page["Items"]:
                values = {field: read(value) for field, value in row.items()}
                text, is_over = str(values), values.get("expires_at_s", now_s) < now_s
                if any(word in text for word in words) and not is_over:
                    found.setdefault(name, []).append(text)
    objects = aws.clients.s3.list_objects_v2(Bucket=aws.stack.refs["MediaBucket"]).get("Contents", [])
    return {**found, "MediaBucket": [one["Key"] for one in objects]} if objects else found


def check_erased(aws: Aws, account_id: str) -> None:
    """Check that nothing is left but what has to stay, and that the books agree."""
    assert traces(aws, ADA, PLAN, NAME, "Ada's shop", "192.0.2.0") == {}
    left = traces(aws, account_id)
    # What operators find by: a pseudonym in the place of the address.
    (pseudonym,) = left.pop("IdentitiesTable")
    assert f"account#{account_id}" in pseudonym
    assert set(left) <= KEPT
    assert check_ledger_parts.ledger_audit().check(account_id, full=True).drift is None
    actions = [event.action for event in events(account_id)]
    assert actions.count(Action.CLOSED) == 1
    assert api_parts.api().accounts.me(account_id).balance_micro_usd == 0
    debits = api_parts.api().statement.page(account_id, {"kind": EntryKind.DEBIT})["entries"]
    assert len(debits) == 1


def with_low_balance(ada: Browser, aws: Aws) -> str:
    """Have an account fall below its threshold, with a saved card; return its id."""
    account_id = account_of(ada)
    api_parts.api().low_balance.save_customer(account_id, CUSTOMER)
    form = {"threshold": "500", "amount": "600", "monthly": "600"}
    api_parts.api().low_balance.change(account_id, form)
    assert record(counted_records(aws)) == {"batchItemFailures": []}
    return account_id


def crash(*_: object) -> None:
    raise RuntimeError("died here")


def crashing(after: int) -> Callable[[Erasure, Team], list[Callable[[], None]]]:
    """Return steps of which the process dies after one, or before all of them."""
    steps = Erasure.steps

    def some(self: Erasure, team: Team) -> list[Callable[[], None]]:
        all_steps = steps(self, team)
        assert len(all_steps) == STEPS
        return [*all_steps[: after + 1], crash]

    return some
