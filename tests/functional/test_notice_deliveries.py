"""Deliveries of notices about money in the log of webhooks, through the handler of `functions/api`."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.conftest import Aws
from tests.functional.test_budgets import A_BUDGET, BUDGETS, create, ok
from tests.functional.test_record_usage import counted_records, record
from tests.support.clock import ManualClock
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.rows import from_attributes
from tollgate.webhooks.models import Delivery
from tollgate.webhooks.schedule import due_now

LOG = "/api/v1/webhooks/deliveries"
HOOK = "https://example.com/hook"


def count(aws: Aws) -> None:
    """Deliver the ledger's stream."""
    assert record(counted_records(aws)) == {"batchItemFailures": []}


def sent_test(customer: OpenedAccount) -> str:
    """Send a test event; return the id of its delivery."""
    return str(ok(customer, "POST", "/api/v1/webhooks/test", {"url": HOOK})["deliveryId"])


def walked(customer: OpenedAccount) -> list[str]:
    """Return the ids of the whole log, read with a page for each."""
    found: list[str] = []
    cursor: Any = ""
    while cursor is not None:
        page = ok(customer, "GET", f"{LOG}?limit=1{cursor and f'&cursor={quote(cursor)}'}")
        found += [row["deliveryId"] for row in page["deliveries"]]
        cursor = page.get("cursor")
    return found


@pytest.mark.parametrize("per", ["day", "total"])
def test_a_budgets_notice_is_listed_by_its_time_read_and_sent_again(
    aws: Aws, customer: OpenedAccount, clock: ManualClock, per: str
) -> None:
    budget = {**A_BUDGET, "scope": "account", "limitCents": 4, "per": per, "webhook": HOOK}
    ok(customer, "POST", BUDGETS, budget)
    first = sent_test(customer)
    for _ in range(4):
        clock.advance_ms(2 * MS_PER_S)
        create(customer)
        count(aws)
    clock.advance_ms(2 * MS_PER_S)
    last = sent_test(customer)
    rows = ok(customer, "GET", LOG)["deliveries"]
    # 50 and 100 percent. The third charge finds the notice of 50 percent again.
    assert [row["type"] for row in rows] == [
        "webhook.test",
        "budget.reached",
        "budget.reached",
        "webhook.test",
    ]
    assert [rows[0]["deliveryId"], rows[-1]["deliveryId"]] == [last, first]
    assert walked(customer) == [row["deliveryId"] for row in rows]
    for row in rows:
        assert ok(customer, "GET", f"{LOG}/{row['deliveryId']}") == row
        assert ok(customer, "POST", f"{LOG}/{row['deliveryId']}/redeliver") == row


@pytest.mark.parametrize(("per", "expires"), [("day", True), ("total", False)])
def test_the_mark_of_a_notice_is_kept_for_its_period(
    aws: Aws, customer: OpenedAccount, per: str, expires: bool
) -> None:
    ok(customer, "POST", BUDGETS, {**A_BUDGET, "scope": "account", "per": per, "webhook": HOOK})
    create(customer)
    count(aws)
    rows = aws.clients.dynamodb.scan(TableName=aws.stack.refs["IdempotencyTable"])["Items"]
    (mark,) = [row for row in map(from_attributes, rows) if row["idempotency_id"].endswith("#webhook")]
    assert ("expires_at_s" in mark) is expires


@pytest.mark.parametrize(
    "old_id",
    [
        "evt_tok_01M8A3V8X5R3TZ7E6G1W2Q4N9K#total#0#9f86d081884c7d65#100000#100",
        "evt_bud_01M8A3V8X5R3TZ7E6G1W2Q4N9K#2026-11-23w#0#9f86d081884c7d65#100000#80",
        "evt_sublow_01M8A3V8X5R3TZ7E6G1W2Q4N9K_3",
    ],
)
def test_a_notice_with_an_id_of_before_is_read_and_does_not_end_the_list(
    customer: OpenedAccount, clock: ManualClock, old_id: str
) -> None:
    made = sent_test(customer)
    old = Delivery(old_id, customer.account_id, HOOK, "balance.low", clock.now_ms())
    api_parts.api().webhooks.deliveries.add(due_now(old))
    assert walked(customer) == [old_id, made]
    for method, path in (("GET", ""), ("POST", "/redeliver")):
        shown = ok(customer, method, f"{LOG}/{quote(old_id)}{path}")
        assert (shown["deliveryId"], shown["state"]) == (old_id, "pending")
