"""Credits, key, requests and activity in OpenRouter's shapes, through the handler of `functions/api`."""

from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import create, post_text, with_prompt
from tests.functional.test_api import call
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.keys import key_id_of
from tollgate.accounts.service import OpenedAccount
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.ids import new_id
from tollgate.ledger.attribution import Attribution

USAGE = {"input_tokens": 11, "cache_read_tokens": 4, "output_tokens": 20, "reasoning_tokens": 8}


def ok(key: str, path: str) -> Any:
    status, body, _ = call("GET", f"/api/v1/{path}", key)
    assert status == 200, body
    return body["data"]


def ask(aws: Aws, customer: OpenedAccount, micro_usd: int, **facts: Any) -> str:
    """Put a text request into the ledger, and let its stream arrive; give its id."""
    facts = {"usage": USAGE, "key_id": key_id_of(customer.api_key), **facts}
    request_id = post_text(aws, customer.account_id, micro_usd, **facts)
    assert record(counted_records(aws)) == {"batchItemFailures": []}
    return request_id


def restricted(customer: OpenedAccount, *scopes: str, **fields: Any) -> str:
    _, body, _ = call("POST", "/api/v1/keys", customer.api_key, {"name": "k", "scopes": scopes, **fields})
    return str(body["data"]["key"])


class TestCredits:
    def test_the_difference_is_the_balance_whatever_the_roll_up_has(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        run_to_end(create(customer), clock)
        run_to_end(create(customer, **with_prompt("[[reject]]")), clock)
        assert ok(customer.api_key, "credits") == {"total_credits": 0.99, "total_usage": 0}
        record(counted_records(aws))
        assert ok(customer.api_key, "credits") == {"total_credits": 1, "total_usage": 0.01}


class TestKey:
    def test_its_spending_by_period(self, aws: Aws, customer: OpenedAccount, clock: ManualClock) -> None:
        # The clock starts on a Tuesday, the 14th.
        for back, micro_usd in ((14, 1), (2, 10), (1, 100), (0, 1_000)):
            clock.advance_ms(-back * MS_PER_DAY)
            ask(aws, customer, micro_usd)
            clock.advance_ms(back * MS_PER_DAY)
        found = ok(customer.api_key, "key")
        names = ("usage", "usage_monthly", "usage_weekly", "usage_daily")
        assert [found[name] for name in names] == [0.001111, 0.00111, 0.0011, 0.001]
        assert (found["label"], found["limit"], found["budgets"]) == ("First key", None, [])

    @pytest.mark.parametrize("scope", ["media", "text", "account"])
    def test_a_key_of_any_scope_reads_itself_and_its_cap(self, customer: OpenedAccount, scope: str) -> None:
        found = ok(restricted(customer, scope, spendingCap={"capCents": 5, "per": "day"}), "key")
        assert (found["limit"], found["limit_remaining"], found["limit_reset"]) == (0.05, 0.05, "daily")
        assert found["effective_budget"] == found["budgets"][0]
        assert found["is_management_key"] is (scope == "account")

    def test_the_budgets_that_count_all_its_requests(self, customer: OpenedAccount) -> None:
        for scope, cents, per in (("account", 300, "week"), ("key", 200, "total"), ("user", 100, "day")):
            body = {"name": scope, "scope": scope, "limitCents": cents, "per": per}
            assert call("POST", "/api/v1/budgets", customer.api_key, body)[0] == 200
        body = {"model": PAID_IMAGE, **with_prompt("a boat")}
        assert call("POST", "/api/v1/generation/create", customer.api_key, body)[0] == 200
        found = ok(customer.api_key, "key")
        names = ("scope", "limit_usd", "spend_usd", "remaining_usd", "reset_interval")
        shown = [tuple(each[name] for name in names) for each in found["budgets"]]
        assert shown == [("workspace", 3, 0.01, 2.99, "weekly"), ("api_key", 2, 0.01, 1.99, None)]
        assert found["effective_budget"] == found["budgets"][1]


class TestGeneration:
    def test_a_request_by_its_id_or_its_responses(self, aws: Aws, customer: OpenedAccount) -> None:
        facts = {"latency_ms": 900, "first_byte_ms": 120, "attribution": Attribution("alice", {})}
        request_id = ask(aws, customer, 63, **facts)
        found = ok(customer.api_key, f"generation?id={request_id}")
        expected = {
            "id": request_id,
            "request_id": request_id,
            "model": "gpt-5.4-mini",
            "external_user": "alice",
            "total_cost": 0.000063,
            "usage": 0.000063,
            "streamed": True,
            "is_byok": False,
            "latency": 120,
            "generation_time": 900,
            "created_at": "2023-11-14T22:13:19.100Z",
            "tokens_prompt": 15,
            "tokens_completion": 20,
            "native_tokens_cached": 4,
            "native_tokens_reasoning": 8,
            "provider_name": "Tollgate",
        }
        assert found.items() >= expected.items()
        answer_id = request_id.replace("req_", "resp_")
        assert ok(customer.api_key, f"generation?id={answer_id}") == {**found, "id": answer_id}

    def test_a_text_key_reads_only_its_own(self, aws: Aws, customer: OpenedAccount) -> None:
        request_id = ask(aws, customer, 63)
        own = restricted(customer, "text")
        for asked in (request_id, new_id("req"), "chatcmpl-1", new_id("task")):
            status, body, _ = call("GET", f"/api/v1/generation?id={asked}", own)
            assert (status, body["error"]["code"]) == (404, "request_not_found")
        assert call("GET", "/api/v1/generation", own)[0] == 400


class TestActivity:
    def test_days_and_models_without_today(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        run_to_end(create(customer), clock)
        ask(aws, customer, 63)
        assert ok(customer.api_key, "activity") == []
        clock.advance_ms(MS_PER_DAY)
        media, text = ok(customer.api_key, "activity")
        assert (media["model"], media["usage"], media["requests"]) == (PAID_IMAGE, 0.01, 1)
        tokens = {"prompt_tokens": 15, "completion_tokens": 20, "reasoning_tokens": 8, "cached_tokens": 4}
        assert text.items() >= {**tokens, "date": "2023-11-14", "usage": 0.000063}.items()
        assert ok(customer.api_key, "activity?date=2023-11-14") == [media, text]
        for day in ("2023-11-15", "2023-10-01", "today"):
            assert call("GET", f"/api/v1/activity?date={day}", customer.api_key)[0] == 400
