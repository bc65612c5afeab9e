"""Wishes about providers for media: the task goes only where it may, and a repeat stays a repeat."""

from typing import Any

import pytest

from tests.functional.conftest import balance_cents, create, with_prompt
from tests.functional.test_api import call, details
from tests.functional.test_run_task import ledger_of, run_to_end
from tests.support.clock import ManualClock
from tests.support.samples import PAID_BODY
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts


def send(customer: OpenedAccount, key: str | None = None, **fields: Any) -> tuple[int, Any]:
    headers = {} if key is None else {"idempotency-key": key}
    status, body, _ = call(
        "POST", "/api/v1/generation/create", customer.api_key, {**PAID_BODY, **fields}, headers=headers
    )
    return status, body


def routing(method: str, key: str, policy: Any = None) -> tuple[int, Any]:
    """Ask for the account's policy, or set it; return the status and the policy."""
    status, body, _ = call(method, "/api/v1/routing", key, policy if method == "PUT" else None)
    return status, body.get("data")


@pytest.mark.usefixtures("aws")
class TestTheRequest:
    def test_a_task_is_refunded_rather_than_sent_to_another_provider(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        made = create(customer, **with_prompt("[[fal: fail]]"), provider={"only": ["fal"]})
        task = run_to_end(made, clock)
        assert (task.status, {each.provider for each in task.attempts}) == ("failed", {"fal"})
        assert ledger_of(customer) == [("charge", -1), ("refund", 1)]

    def test_the_order_is_the_customers(self, customer: OpenedAccount, clock: ManualClock) -> None:
        task = run_to_end(create(customer, provider={"order": ["poyo"]}), clock)
        assert [each.provider for each in task.attempts] == ["poyo"]

    @pytest.mark.parametrize(
        ("provider", "pointer"),
        [
            ({"only": ["nobody"]}, "/provider/only"),
            ({"only": ["anthropic"]}, "/provider/only"),
            ({"ignore": "fal"}, "/provider/ignore"),
            ({"onyl": ["fal"]}, "/provider/onyl"),
            ({"max_price": {"request": 0.001}}, "/provider/max_price"),
            ("fal", "/provider"),
        ],
    )
    def test_a_wish_that_cannot_be_honoured_is_named_and_costs_nothing(
        self, customer: OpenedAccount, provider: Any, pointer: str
    ) -> None:
        status, body = send(customer, provider=provider)
        assert status == 400
        assert [name for name in details(body) if name.startswith(pointer)]
        assert ledger_of(customer) == []


@pytest.mark.usefixtures("aws")
class TestTheAccountsPolicy:
    def test_narrows_each_request(self, customer: OpenedAccount, clock: ManualClock) -> None:
        api_parts.api().routing.change(customer.account_id, {"ignore": ["fal"]}, None)
        status, body = send(customer, provider={"only": ["fal"]})
        assert (status, balance_cents(customer)) == (400, 100), body
        task = run_to_end(create(customer), clock)
        assert "fal" not in {each.provider for each in task.attempts}

    def test_is_shown_as_it_was_set_and_noted_once(self, customer: OpenedAccount) -> None:
        policy = {"ignore": ["fal"], "zdr": True}
        for method in ("PUT", "PUT", "GET"):
            assert routing(method, customer.api_key, policy) == (200, policy)
        assert routing("PUT", customer.api_key, {}) == (200, {})
        events = api_parts.api().audit.page(customer.account_id).rows
        noted = [event.detail for event in events if event.action == "routing.changed"]
        assert noted == ["none", "ignore, zdr"]

    def test_a_key_with_a_policy_cannot_change_it(self, customer: OpenedAccount) -> None:
        policy = {"ignore": ["fal"]}
        assert routing("PUT", customer.api_key, policy)[0] == 200
        body = {"name": "narrow", "scopes": ["account"], "routing": policy}
        key = call("POST", "/api/v1/keys", customer.api_key, body)[1]["data"]["key"]
        assert routing("PUT", key, {}) == (403, None)
        assert routing("GET", key) == (200, policy)

    def test_cannot_switch_fallbacks_off(self, customer: OpenedAccount) -> None:
        policy = {"allow_fallbacks": False}
        status, answer, _ = call("PUT", "/api/v1/routing", customer.api_key, policy)
        assert (status, set(details(answer))) == (400, {"/allow_fallbacks"})
        body = {"name": "x", "routing": policy}
        status, answer, _ = call("POST", "/api/v1/keys", customer.api_key, body)
        assert (status, set(details(answer))) == (400, {"/routing/allow_fallbacks"})

    def test_a_repeat_returns_its_task_though_the_policy_changed(self, customer: OpenedAccount) -> None:
        first, body = send(customer, "order-7", provider={"only": ["fal"]})
        assert first == 200
        api_parts.api().routing.change(customer.account_id, {"ignore": ["fal"]}, None)
        # From the first refusal on, the process knows the policy.
        assert send(customer, "order-8", provider={"only": ["fal"]})[0] == 400
        again, repeated = send(customer, "order-7", provider={"only": ["fal"]})
        assert (again, repeated["data"]["taskId"]) == (200, body["data"]["taskId"])
        assert ledger_of(customer) == [("charge", -1)]
