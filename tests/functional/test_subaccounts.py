"""Sub-accounts through the handler of `functions/api`: their money, their mark-up, their end."""

from collections.abc import Iterator
from typing import Any

import pytest

from close_accounts.app import handler as close_accounts
from local.machine.events import Context
from tests.conftest import Aws
from tests.functional.conftest import balance_cents
from tests.functional.test_api import call
from tests.functional.test_budgets import BUDGETS, create, ok
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import run_to_end
from tests.functional.test_sweep import sweep
from tests.support.clock import ManualClock
from tests.support.samples import PAID_BODY, PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
from tollgate.ledger.families import MOVE_INTERVAL_MS
from tollgate.ledger.wallets import Limits
from tollgate.members.service import Actor
from tollgate.members.team import TeamError
from tollgate.webhooks.models import DeliveryView

SUBACCOUNTS = "/api/v1/subaccounts"
ACME = {"name": "Acme", "markupPercent": 50}


@pytest.fixture(autouse=True)
def proved(aws: Aws) -> Iterator[None]:
    """Prove every account by all entries after each test, and the sum of all accounts."""
    yield
    audit, ledger = check_ledger_parts.ledger_audit(), api_parts.api().tasks.ledger
    for account_id in ledger.account_ids():
        checked = audit.check(account_id, full=True)
        assert (checked.drift, checked.is_proven) == (None, True)


def opened(customer: OpenedAccount, cents: int = 20, **fields: Any) -> dict[str, Any]:
    """Open a sub-account with money; return its view with a key of it in `key`."""
    made = ok(customer, "POST", SUBACCOUNTS, {**ACME, **fields})
    if cents:
        credit(customer, made["id"], cents)
    status, answer, _ = acting(
        customer, made["id"], "POST", "/api/v1/keys", {"name": "web", "scopes": ["media"]}
    )
    assert status == 200, answer
    return {**made, "key": answer["data"]["key"]}


def acting(customer: OpenedAccount, child: str, method: str, path: str, body: Any = None) -> Any:
    """Send a request of the parent's key for a sub-account."""
    return call(method, path, customer.api_key, body, {"x-tollgate-account": child})


def credit(customer: OpenedAccount, child: str, cents: int, key: str = "", **fields: Any) -> tuple[int, Any]:
    """Move money; return the status, and the transfer or the error's code."""
    headers = {"idempotency-key": key or f"transfer {cents} {child}"}
    path = f"{SUBACCOUNTS}/{child}/credit"
    status, answer, _ = call("POST", path, customer.api_key, {"amountCents": cents, **fields}, headers)
    return status, answer["data"] if status == 200 else answer["error"]["code"]


def one(customer: OpenedAccount, child: str) -> Any:
    return ok(customer, "GET", f"{SUBACCOUNTS}/{child}")


def entries(customer: OpenedAccount, child: str = "") -> list[tuple[str, int]]:
    """Return the kinds and cents of the entries of an account, the newest first."""
    headers = {"x-tollgate-account": child} if child else None
    _, answer, _ = call("GET", "/api/v1/ledger", customer.api_key, None, headers)
    return [(each["kind"], each["amountMicroUsd"] // 10_000) for each in answer["data"]["entries"]]


def ids_of(rows: list[DeliveryView]) -> list[str]:
    """Return the ids of deliveries."""
    return [row["deliveryId"] for row in rows]


class TestTransfers:
    def test_money_moves_once_per_key_in_both_ledgers(self, customer: OpenedAccount) -> None:
        child = ok(customer, "POST", SUBACCOUNTS, ACME)["id"]
        status, moved = credit(customer, child, 30, "order 1", reason="Order 1")
        assert (status, moved["amountMicroUsd"], moved["subaccountId"]) == (200, 300_000, child)
        assert credit(customer, child, 30, "order 1", reason="Order 1") == (200, moved)
        assert (balance_cents(customer), one(customer, child)["balance"]) == (70, 30)
        assert entries(customer)[0] == ("transfer", -30)
        assert entries(customer, child) == [("transfer", 30)]
        assert credit(customer, child, 31, "order 1") == (422, "idempotency_key_reused")

    def test_neither_account_pays_more_than_it_has(self, customer: OpenedAccount) -> None:
        child = ok(customer, "POST", SUBACCOUNTS, ACME)["id"]
        assert credit(customer, child, 101) == (402, "insufficient_balance")
        assert credit(customer, child, 100)[0] == 200
        body, headers = {"amountCents": -101}, {"idempotency-key": "back"}
        status, answer, _ = call("POST", f"{SUBACCOUNTS}/{child}/credit", customer.api_key, body, headers)
        assert (status, answer["error"]["balanceCents"]) == (402, 100)
        assert "$1.01 are to be taken back. Take back at most $1.00." in answer["error"]["message"]
        assert credit(customer, child, -100)[0] == 200
        assert (balance_cents(customer), one(customer, child)["balance"]) == (100, 0)

    def test_money_in_wallets_moves_too(self, customer: OpenedAccount) -> None:
        wallets = api_parts.api().tasks.ledger.wallets
        wallets.set_limits(customer.account_id, Limits(text_at_once=300, wallets=3))
        assert wallets.fund(f"{customer.account_id}#1", 3, 10_000)
        child = ok(customer, "POST", SUBACCOUNTS, ACME)["id"]
        assert credit(customer, child, 95)[0] == 200
        wallets.set_limits(child, Limits(text_at_once=300, wallets=3))
        assert wallets.fund(f"{child}#2", 3, 10_000)
        assert credit(customer, child, -95, "back")[0] == 200
        assert balance_cents(customer) == 100

    @pytest.mark.parametrize(
        "sent",
        [
            *({"amountCents": 0}, {"amountCents": 1.5}, {"amountCents": "5"}),
            *({}, {"amountCents": 5, "x": 1}),
        ],
    )
    def test_a_wrong_body_moves_nothing(self, customer: OpenedAccount, sent: Any) -> None:
        child = ok(customer, "POST", SUBACCOUNTS, ACME)["id"]
        headers = {"idempotency-key": "1"}
        status, answer, _ = call("POST", f"{SUBACCOUNTS}/{child}/credit", customer.api_key, sent, headers)
        assert (status, answer["error"]["code"]) == (400, "invalid_input")
        assert balance_cents(customer) == 100

    def test_the_key_is_required(self, customer: OpenedAccount) -> None:
        child = ok(customer, "POST", SUBACCOUNTS, ACME)["id"]
        path = f"{SUBACCOUNTS}/{child}/credit"
        status, answer, _ = call("POST", path, customer.api_key, {"amountCents": 5})
        assert status == 400
        assert "Idempotency-Key" in str(answer["error"]["details"])


class TestMarkup:
    def test_a_result_earns_it_and_the_sweeper_moves_it_once_an_hour(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        child = opened(customer)
        assert self.estimate(child) == 2
        _, task_id = create(customer, key=child["key"])
        # One cent and a half is rounded up once: two cents, of which one is the mark-up.
        assert (one(customer, child["id"])["balance"], self.earned(customer, child)) == (18, 1)
        sweep()
        assert balance_cents(customer) == 80
        run_to_end(task_id, clock)
        clock.advance_ms(60 * MS_PER_S)
        sweep()
        assert (balance_cents(customer), self.earned(customer, child)) == (81, 0)
        assert entries(customer)[0] == ("markup", 1)
        assert entries(customer, child["id"])[0] == ("markup", 0)
        run_to_end(create(customer, key=child["key"])[1], clock)
        sweep()
        assert (balance_cents(customer), self.earned(customer, child)) == (81, 1)
        clock.advance_ms(MOVE_INTERVAL_MS)
        sweep()
        assert (balance_cents(customer), self.earned(customer, child)) == (82, 0)

    def test_a_failed_task_returns_all_of_it(self, customer: OpenedAccount, clock: ManualClock) -> None:
        child = opened(customer)
        run_to_end(create(customer, "", "[[reject]]", child["key"])[1], clock)
        clock.advance_ms(MOVE_INTERVAL_MS)
        sweep()
        assert (one(customer, child["id"])["balance"], self.earned(customer, child)) == (20, 0)
        assert (balance_cents(customer), entries(customer)[0]) == (80, ("transfer", -20))

    def test_a_change_applies_to_the_next_request(self, customer: OpenedAccount) -> None:
        child = opened(customer)
        create(customer, key=child["key"])
        for percent, price in ((150, 3), (0, 1), (10, 2)):
            ok(customer, "PATCH", f"{SUBACCOUNTS}/{child['id']}", {"markupPercent": percent})
            before = one(customer, child["id"])["balance"]
            body = {**PAID_BODY, "maxCostCents": price}
            assert call("POST", "/api/v1/generation/create", child["key"], body)[0] == 200
            assert before - one(customer, child["id"])["balance"] == price

    def test_the_price_that_the_customer_accepted_has_it(self, customer: OpenedAccount) -> None:
        child = opened(customer)
        body = {**PAID_BODY, "maxCostCents": 1}
        status, answer, _ = call("POST", "/api/v1/generation/create", child["key"], body)
        assert (status, answer["error"]["code"]) == (400, "max_cost_exceeded")

    def test_another_one_changes_the_price_version(self, customer: OpenedAccount) -> None:
        child = opened(customer)
        _, answer, _ = call("POST", "/api/v1/generation/estimate", child["key"], PAID_BODY)
        body = {**PAID_BODY, "priceVersion": answer["data"]["priceVersion"]}
        ok(customer, "PATCH", f"{SUBACCOUNTS}/{child['id']}", {"markupPercent": 900})
        status, answer, _ = call("POST", "/api/v1/generation/create", child["key"], body)
        assert (status, answer["error"]["costCents"]) == (409, 10)
        body = {**body, "priceVersion": answer["error"]["priceVersion"]}
        assert call("POST", "/api/v1/generation/create", child["key"], body)[0] == 200
        assert one(customer, child["id"])["balance"] == 10

    @staticmethod
    def estimate(child: Any) -> int:
        status, answer, _ = call("POST", "/api/v1/generation/estimate", child["key"], PAID_BODY)
        assert status == 200
        return int(answer["data"]["price"])

    @staticmethod
    def earned(customer: OpenedAccount, child: Any) -> int:
        """Return the mark-up that is not moved yet, in cents."""
        return int(one(customer, child["id"])["earningsMicroUsd"]) // 10_000


class TestActing:
    def test_the_parent_manages_and_reads_it(self, customer: OpenedAccount) -> None:
        child = opened(customer)
        body = {"name": "daily", "scope": "account", "limitCents": 2, "per": "day"}
        assert acting(customer, child["id"], "POST", BUDGETS, body)[0] == 200
        assert [create(customer, key=child["key"])[0] for _ in range(2)] == [200, 402]
        _, me, _ = acting(customer, child["id"], "GET", "/api/v1/user/me")
        assert (me["data"]["id"], me["data"]["balance"]) == (child["id"], 18)
        assert sorted(entries(customer, child["id"])) == [("charge", -2), ("transfer", 20)]
        _, tasks, _ = acting(customer, child["id"], "GET", "/api/v1/requests")
        assert len(tasks["data"]["requests"]) == 1

    def test_its_tokens_work_in_a_browser_and_manage_nothing(self, customer: OpenedAccount) -> None:
        child = opened(customer)
        fields = {"maxCostCents": 2, "models": [PAID_IMAGE], "expiresInS": 600}
        status, answer, _ = acting(customer, child["id"], "POST", "/api/v1/tokens", fields)
        assert status == 200, answer
        token = answer["data"]["token"]
        assert [create(customer, key=token)[0] for _ in range(2)] == [200, 402]
        assert one(customer, child["id"])["balance"] == 18
        for path in ("/api/v1/ledger", "/api/v1/keys", "/api/v1/webhooks/secret", SUBACCOUNTS):
            assert call("GET", path, token)[0] == 403

    def test_a_route_that_spends_refuses_the_header(self, customer: OpenedAccount) -> None:
        child = opened(customer)
        status, answer, _ = acting(customer, child["id"], "POST", "/api/v1/generation/create", PAID_BODY)
        assert (status, answer["error"]["code"]) == (400, "invalid_input")
        assert balance_cents(customer) == 80

    def test_only_the_parent_acts(self, customer: OpenedAccount) -> None:
        child = opened(customer)
        other = api_parts.api().accounts.open(0)
        for path in ("/api/v1/user/me", "/api/v1/ledger"):
            assert acting(other, child["id"], "GET", path)[0] == 404
        for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", "")):
            assert call(method, f"{SUBACCOUNTS}/{child['id']}{path}", other.api_key, {})[0] == 404
        assert credit(other, child["id"], -5)[0] == 404

    @pytest.mark.parametrize("limit", [{"spendingCap": {"capCents": 5, "per": "day"}}, {}])
    def test_a_key_with_a_cap_or_a_budget_of_its_own_does_not(
        self, customer: OpenedAccount, limit: Any
    ) -> None:
        child = opened(customer)
        body = {"name": "ops", "scopes": ["media", "account"], **limit}
        made = ok(customer, "POST", "/api/v1/keys", body)
        if not limit:
            budget = {"name": "b", "scope": "key", "value": made["id"], "limitCents": 5, "per": "day"}
            ok(customer, "POST", BUDGETS, budget)
        key = made["key"]
        assert call("GET", "/api/v1/user/me", key, None, {"x-tollgate-account": child["id"]})[0] == 403
        assert call("POST", SUBACCOUNTS, key, ACME)[0] == 403

    def test_a_sub_account_has_none(self, customer: OpenedAccount) -> None:
        child = opened(customer)
        body = {"name": "all", "scopes": ["account"]}
        key = acting(customer, child["id"], "POST", "/api/v1/keys", body)[1]["data"]["key"]
        assert call("POST", SUBACCOUNTS, key, ACME)[0] == 403
        assert call("GET", SUBACCOUNTS, key)[1]["data"]["subaccounts"] == []


class TestSettings:
    def test_a_repeated_create_returns_the_first_for_a_day(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        headers = {"idempotency-key": "customer 17"}
        first, again = (call("POST", SUBACCOUNTS, customer.api_key, ACME, headers) for _ in range(2))
        assert (first[0], first[1]) == (200, again[1])
        assert len(ok(customer, "GET", SUBACCOUNTS)["subaccounts"]) == 1
        clock.advance_ms(MS_PER_DAY)
        other = call("POST", SUBACCOUNTS, customer.api_key, {**ACME, "name": "B"}, headers)
        assert other[1]["error"]["code"] == "idempotency_key_reused"
        # DynamoDB deletes expired rows late, and the test not at all.
        clock.advance_ms(MS_PER_S)
        assert call("POST", SUBACCOUNTS, customer.api_key, {**ACME, "name": "B"}, headers)[0] == 200
        assert len(ok(customer, "GET", SUBACCOUNTS)["subaccounts"]) == 2

    def test_a_page_has_the_newest_first(self, customer: OpenedAccount, clock: ManualClock) -> None:
        made = []
        for name in "abc":
            clock.advance_ms(1)
            made.append(ok(customer, "POST", SUBACCOUNTS, {"name": name})["id"])
        first = ok(customer, "GET", f"{SUBACCOUNTS}?limit=2")
        second = ok(customer, "GET", f"{SUBACCOUNTS}?limit=2&cursor={first['cursor']}")
        assert [each["id"] for page in (first, second) for each in page["subaccounts"]] == made[::-1]
        assert "cursor" not in second

    def test_suspension_and_limits(self, customer: OpenedAccount) -> None:
        child = opened(customer, limits={"runningTasks": 2})
        path = f"{SUBACCOUNTS}/{child['id']}"
        changed = ok(customer, "PATCH", path, {"suspended": True, "limits": {"textAtOnce": 5}, "name": "B"})
        assert (changed["state"], changed["name"]) == ("suspended", "B")
        assert changed["limits"] == {"textAtOnce": 5, "requestsPerMinute": None, "runningTasks": None}
        assert create(customer, key=child["key"])[1]["code"] == "account_suspended"
        assert ok(customer, "PATCH", path, {"suspended": False})["state"] == "active"
        assert create(customer, key=child["key"])[0] == 200

    @pytest.mark.parametrize(
        ("of_parent", "cents", "code"),
        [
            (True, 5, "account_suspended"),
            (False, 5, None),
            (False, -5, None),
            (True, -5, None),
            (False, -999, "insufficient_balance"),
        ],
    )
    def test_only_a_suspended_parent_pays_nothing(
        self, customer: OpenedAccount, of_parent: bool, cents: int, code: str | None
    ) -> None:
        child, ledger = opened(customer), api_parts.api().tasks.ledger
        ledger.suspend(customer.account_id if of_parent else child["id"], "fraud", 1)
        status, found = credit(customer, child["id"], cents)
        assert (status, found if code else None) == (
            {None: 200, "account_suspended": 403}.get(code, 402),
            code,
        )

    def test_both_accounts_hear_of_a_low_balance(self, customer: OpenedAccount, aws: Aws) -> None:
        api, mine, theirs = api_parts.api(), "https://93.184.216.34/mine", "https://93.184.216.34/theirs"
        api.low_balance.change(customer.account_id, {"threshold": "1", "webhook": mine})
        child = opened(customer, alert={"thresholdCents": 19, "webhook": theirs})
        create(customer, key=child["key"])
        record(counted_records(aws))
        listed = {
            account_id: api.webhooks.page(account_id, {})["deliveries"]
            for account_id in (customer.account_id, child["id"])
        }
        found = [row for rows in listed.values() for row in api.webhooks.deliveries.get_all(ids_of(rows))]
        assert sorted((row.url, row.event, (row.data or {}).get("subaccountId", "")) for row in found) == [
            # Its own balance, of which the sub-account got a part.
            (mine, "balance.low", ""),
            (mine, "balance.low", child["id"]),
            (theirs, "balance.low", ""),
        ]
        for account_id, rows in listed.items():
            assert [api.webhooks.get(account_id, each) for each in ids_of(rows)] == rows

    def test_an_operators_suspension_stays(self, customer: OpenedAccount) -> None:
        child = opened(customer)
        api_parts.api().tasks.ledger.suspend(child["id"], "fraud", 1)
        for method, body in (("PATCH", {"suspended": False}), ("DELETE", None)):
            status, answer, _ = call(method, f"{SUBACCOUNTS}/{child['id']}", customer.api_key, body)
            assert (status, answer["error"]["code"]) == (403, "account_suspended")

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"name": "A", "markupPercent": -1},
            {"name": "A", "markupPercent": 12.5},
            {"name": "A", "limits": {"textAtOnce": 101}},
            {"name": "A", "alert": {"webhook": "https://example.com"}},
            {"name": "A", "alert": {"thresholdCents": 5, "webhook": "ftp://x"}},
            {"name": "A", "suspended": True},
        ],
    )
    def test_a_wrong_body_creates_nothing(self, customer: OpenedAccount, body: Any) -> None:
        status, answer, _ = call("POST", SUBACCOUNTS, customer.api_key, body)
        assert (status, answer["error"]["code"]) == (400, "invalid_input")
        assert ok(customer, "GET", SUBACCOUNTS)["subaccounts"] == []


class TestEnd:
    def test_a_parent_of_an_open_one_is_not_closed(
        self, customer: OpenedAccount, dashboard: None, clock: ManualClock
    ) -> None:
        opened(customer, cents=0)
        closure, by = dashboard_parts.dashboard().account_closure, Actor("key#key_1", "Ada")
        with pytest.raises(TeamError, match="Open sub-accounts: 1"):
            closure.request(customer.account_id, customer.account_id, "give up", by)

    def test_the_rest_returns_and_the_data_is_erased(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        child = opened(customer)
        run_to_end(create(customer, key=child["key"])[1], clock)
        path = f"{SUBACCOUNTS}/{child['id']}"
        assert ok(customer, "DELETE", path)["state"] == "closing"
        # 80 and the rest of 18, and the mark-up of 1.
        assert balance_cents(customer) == 99
        assert ok(customer, "DELETE", path)["state"] == "closing"
        assert credit(customer, child["id"], 5) == (409, "subaccount_closed")
        for _ in range(3):
            clock.advance_ms(900 * MS_PER_S)
            close_accounts({}, Context("CloseAccountsFunction"))
        assert one(customer, child["id"])["state"] == "closed"
        assert create(customer, key=child["key"])[1]["code"] == "invalid_api_key"
        assert entries(customer, child["id"])[0] == ("transfer", -18)

    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("POST", "/api/v1/keys", {"name": "web"}),
            ("POST", "/api/v1/tokens", {"maxCostCents": 5}),
            ("POST", BUDGETS, {"name": "All", "scope": "account", "limitCents": 5, "per": "day"}),
            ("PATCH", "/api/v1/exports/settings", {"requestWebhook": None}),
            ("POST", "/api/v1/webhooks/secret/rotate", {}),
        ],
    )
    def test_it_can_be_read_and_not_be_changed(
        self, customer: OpenedAccount, method: str, path: str, body: Any
    ) -> None:
        child = opened(customer)["id"]
        ok(customer, "DELETE", f"{SUBACCOUNTS}/{child}")
        status, answer, _ = acting(customer, child, method, path, body)
        assert (status, answer["error"]["code"]) == (409, "subaccount_closed")
        assert acting(customer, child, "GET", "/api/v1/ledger")[0] == 200

    def test_money_of_a_running_task_returns_after_it(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        child = opened(customer)
        _, task_id = create(customer, "", "[[reject]]", child["key"])
        ok(customer, "DELETE", f"{SUBACCOUNTS}/{child['id']}")
        assert balance_cents(customer) == 80
        run_to_end(task_id, clock)
        for _ in range(4):
            clock.advance_ms(900 * MS_PER_S)
            close_accounts({}, Context("CloseAccountsFunction"))
        assert (balance_cents(customer), one(customer, child["id"])["state"]) == (100, "closed")
