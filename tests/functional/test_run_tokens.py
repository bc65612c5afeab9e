"""Run tokens through the handler of `functions/api`, with the charges and refunds that they count."""

from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.test_api import call, details
from tests.functional.test_budgets import BUDGETS, create, ok, proved
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.auth import KEY_CACHE_MS
from tollgate.accounts.key_request import MAX_CAP_CENTS
from tollgate.accounts.service import OpenedAccount
from tollgate.budgets.request import MAX_LIMIT_CENTS
from tollgate.composition import api as api_parts
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
from tollgate.kit.dynamodb.rows import from_attributes

__all__ = ["proved"]

TOKENS = "/api/v1/tokens"
TWO_CENTS = {"maxCostCents": 2, "name": "agent", "tags": {"agent": "a1", "user": "alice"}}


def token(customer: OpenedAccount, by: str = "", **fields: Any) -> Any:
    """Create a token of a key, by default the customer's; return its view with the token itself."""
    status, answer, headers = call("POST", TOKENS, by or customer.api_key, {**TWO_CENTS, **fields})
    assert (status, headers["cache-control"]) == (200, "no-store"), answer
    return answer["data"]


def shown(customer: OpenedAccount, made: Any) -> tuple[int, int]:
    """Return what a token has spent and has left, in cents."""
    one = ok(customer, "GET", f"{TOKENS}/{made['id']}")
    assert one["spentMicroUsd"] == one["spentCents"] * 10_000
    return one["spentCents"], one["leftCents"]


def refused(made: Any, method: str = "GET", path: str = "/api/v1/tasks", body: Any = None) -> tuple[int, str]:
    """Send a request with a token; return the status and the error's code."""
    status, answer, _ = call(method, path, made["token"], body)
    return status, answer.get("error", {}).get("code", "")


@pytest.mark.usefixtures("proved")
class TestCharges:
    def test_it_stops_exactly_at_its_limit(self, customer_of: OpenedAccount) -> None:
        customer = customer_of
        made = token(customer)
        assert [create(customer, key=made["token"])[0] for _ in range(3)] == [200, 200, 402]
        assert shown(customer, made) == (2, 0)
        _, error = create(customer, key=made["token"])
        names = ("code", "scope", "budgetId", "limitCents", "leftCents", "requiredCents", "resetsAt")
        assert [error[name] for name in names] == ["budget_reached", "run", made["id"], 2, 0, 1, None]
        assert "The run token agent has $0.00 of $0.02 left" in error["message"]
        # The other money of the account is untouched.
        assert create(customer)[0] == 200
        assert ok(customer, "GET", "/api/v1/user/me")["balance"] == 97

    def test_its_row_is_kept_for_40_days_after_its_end(self, aws: Aws, customer: OpenedAccount) -> None:
        made = token(customer)
        rows = aws.clients.dynamodb.scan(TableName=aws.stack.refs["BudgetsTable"])["Items"]
        (row,) = [each for each in map(from_attributes, rows) if each["item"].startswith(made["id"])]
        assert row["expires_at_s"] * MS_PER_S == row["run"]["expires_at_ms"] + 40 * MS_PER_DAY

    def test_a_refund_is_returned_to_it(self, customer_of: OpenedAccount, clock: ManualClock) -> None:
        made = token(customer_of)
        _, task_id = create(customer_of, "", "[[reject]]", made["token"])
        assert shown(customer_of, made) == (1, 1)
        run_to_end(task_id, clock)
        assert shown(customer_of, made) == (0, 2)

    def test_every_budget_above_it_applies_too(self, customer: OpenedAccount) -> None:
        for scope in ("account", "user", "key", "tag:agent"):
            budget = {"name": scope, "scope": scope, "limitCents": 1, "per": "day"}
            budget_id = ok(customer, "POST", BUDGETS, budget)["id"]
            # Each token is new, so only the budget refuses.
            made = token(customer, tags={"agent": f"a-{scope[:3]}", "user": f"u-{scope}"})
            assert [create(customer, key=made["token"])[0] for _ in range(2)] == [200, 402]
            _, error = create(customer, key=made["token"])
            assert error["budgetId"] == budget_id
            api_parts.api().budgets.delete(customer.account_id, budget_id, by=None)

    def test_the_cap_of_its_key_counts_all_its_tokens(self, customer: OpenedAccount) -> None:
        body = {"name": "ops", "scopes": ["media", "account"], "spendingCap": {"capCents": 3, "per": "day"}}
        key = ok(customer, "POST", "/api/v1/keys", body)["key"]
        first, second = token(customer, key), token(customer, key)
        assert [create(customer, key=first["token"])[0] for _ in range(2)] == [200, 200]
        assert create(customer, key=second["token"])[0] == 200
        assert create(customer, key=second["token"])[1]["code"] == "spending_cap_reached"

    def test_a_request_cannot_replace_its_labels(self, customer: OpenedAccount, aws: Aws) -> None:
        made = token(customer)
        create(customer, "user=bob,agent=b,team=x", key=made["token"])
        (entry,) = [
            one for one in ok(customer, "GET", "/api/v1/ledger")["entries"] if one["kind"] == "charge"
        ]
        assert (entry["user"], entry["tags"]) == ("alice", {"agent": "a1", "team": "x"})
        assert entry["tokenId"] == made["id"]
        assert record(counted_records(aws)) == {"batchItemFailures": []}
        groups = ok(customer, "GET", "/api/v1/stats?range=7d&groupBy=token")["groups"]
        assert [(one["value"], one["spentCents"]) for one in groups] == [(made["id"], 1)]


class TestEnds:
    def test_by_its_time(self, customer: OpenedAccount, clock: ManualClock) -> None:
        made = token(customer, expiresInS=60)
        clock.advance_ms(60 * MS_PER_S - 1)
        assert create(customer, key=made["token"])[0] == 200
        clock.advance_ms(1)
        assert create(customer, key=made["token"])[1]["code"] == "invalid_api_key"
        assert ok(customer, "GET", f"{TOKENS}/{made['id']}")["state"] == "expired"

    def test_by_its_revocation_even_twice(self, customer: OpenedAccount, clock: ManualClock) -> None:
        made = token(customer)
        first = ok(customer, "DELETE", f"{TOKENS}/{made['id']}")
        assert first["state"] == "revoked"
        clock.advance_ms(KEY_CACHE_MS)
        assert ok(customer, "DELETE", f"{TOKENS}/{made['id']}") == first
        assert refused(made) == (401, "invalid_api_key")
        events = [row.action for row in api_parts.api().audit.page(customer.account_id).rows]
        assert events[:2] == ["token.revoked", "token.created"]

    def test_with_the_key_that_created_it(self, customer: OpenedAccount, clock: ManualClock) -> None:
        key = ok(customer, "POST", "/api/v1/keys", {"name": "ops", "scopes": ["media", "account"]})
        made = token(customer, key["key"])
        assert create(customer, key=made["token"])[0] == 200
        ok(customer, "DELETE", f"/api/v1/keys/{key['id']}")
        clock.advance_ms(KEY_CACHE_MS)
        assert refused(made) == (401, "invalid_api_key")


class TestPermissions:
    def test_it_manages_nothing(self, customer: OpenedAccount) -> None:
        made = token(customer)
        for method, path in (("GET", TOKENS), ("POST", TOKENS), ("GET", BUDGETS), ("GET", "/api/v1/keys")):
            assert refused(made, method, path, TWO_CENTS if method == "POST" else None) == (403, "forbidden")
        # Nor do the routes of keys know it.
        key_id = made["id"].replace("tok_", "key_")
        assert call("DELETE", f"/api/v1/keys/{key_id}", customer.api_key)[0] == 404
        ok(customer, "DELETE", f"{TOKENS}/{made['id']}")
        assert call("DELETE", f"/api/v1/keys/{key_id}", customer.api_key)[0] == 404

    def test_only_its_models(self, customer: OpenedAccount) -> None:
        made = token(customer, models=["test-chat"])
        assert create(customer, key=made["token"])[1]["code"] == "forbidden"
        assert ok(customer, "GET", f"{TOKENS}/{made['id']}")["models"] == ["test-chat"]

    def test_never_more_than_its_key(self, customer: OpenedAccount, clock: ManualClock) -> None:
        body = {"name": "ops", "scopes": ["media", "account"], "models": [PAID_IMAGE]}
        key = ok(customer, "POST", "/api/v1/keys", body)
        for models in (None, ["test-chat"]):
            status, answer, _ = call("POST", TOKENS, key["key"], {**TWO_CENTS, "models": models})
            assert (status, answer["error"]["code"]) == (403, "forbidden")
            assert "models" in answer["error"]["message"]
        made = token(customer, key["key"], models=[PAID_IMAGE])
        assert create(customer, key=made["token"])[0] == 200
        # A key that loses a right takes it from its tokens.
        ok(customer, "PATCH", f"/api/v1/keys/{key['id']}", {"models": ["test-chat"]})
        clock.advance_ms(KEY_CACHE_MS)
        assert create(customer, key=made["token"])[1]["code"] == "forbidden"

    def test_a_key_without_media_and_text_makes_none(self, customer: OpenedAccount) -> None:
        key = ok(customer, "POST", "/api/v1/keys", {"name": "ops", "scopes": ["account"]})
        assert call("POST", TOKENS, key["key"], TWO_CENTS)[0] == 403

    def test_a_weaker_key_does_not_revoke_it(self, customer: OpenedAccount) -> None:
        body = {"name": "ops", "scopes": ["account"]}
        key, made = ok(customer, "POST", "/api/v1/keys", body), token(customer)
        assert call("DELETE", f"{TOKENS}/{made['id']}", key["key"])[0] == 403

    def test_a_stranger_finds_none(self, aws: Aws, customer: OpenedAccount) -> None:
        made, stranger = token(customer), api_parts.api().accounts.open(10_000)
        for method in ("GET", "DELETE"):
            status, answer, _ = call(method, f"{TOKENS}/{made['id']}", stranger.api_key)
            assert (status, answer["error"]["code"]) == (404, "token_not_found")
        assert ok(stranger, "GET", TOKENS) == {"tokens": []}


class TestReports:
    def test_a_list_of_them_by_pages(self, customer_of: OpenedAccount, clock: ManualClock) -> None:
        customer, made = customer_of, []
        for _ in range(3):
            made.append(token(customer))
            create(customer, key=made[-1]["token"])
            clock.advance_ms(MS_PER_S)
        first = ok(customer, "GET", f"{TOKENS}?limit=2")
        rest = ok(customer, "GET", f"{TOKENS}?limit=2&cursor={first['cursor']}")
        newest_first = sorted((one["id"] for one in made), reverse=True)
        assert [one["id"] for one in first["tokens"] + rest["tokens"]] == newest_first
        assert "cursor" not in rest
        assert {one["spentCents"] for one in first["tokens"]} == {1}

    def test_its_own_key_in_openrouters_shape(self, customer: OpenedAccount) -> None:
        made = token(customer)
        create(customer, key=made["token"])
        status, answer, _ = call("GET", "/api/v1/key", made["token"])
        found = answer["data"]
        assert (status, found["limit"], found["limit_remaining"], found["usage"]) == (200, 0.02, 0.01, 0.01)
        assert found["expires_at"] == made["expiresAt"]

    def test_a_webhook_at_50_and_100_percent(self, aws: Aws, customer: OpenedAccount) -> None:
        made = token(customer, webhook="https://example.com/hook")
        for _ in range(2):
            create(customer, key=made["token"])
            record(counted_records(aws))
        found = aws.clients.dynamodb.scan(TableName=aws.stack.refs["DeliveriesTable"])["Items"]
        data = [row["data"] for row in map(from_attributes, found) if row["event"] == "budget.reached"]
        assert sorted((one["budgetId"], one["scope"], one["percent"]) for one in data) == [
            (made["id"], "run", 50),
            (made["id"], "run", 100),
        ]
        # Tokens of programs are too many for mails.
        events = [row.action for row in api_parts.api().audit.page(customer.account_id).rows]
        assert "budget.reached" not in events

    def test_there_is_an_end_to_them(self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tollgate.run_tokens.repository.MAX_TOKENS_PER_HOUR", 2)
        token(customer), token(customer)
        status, answer, _ = call("POST", TOKENS, customer.api_key, TWO_CENTS)
        assert (status, answer["error"]["code"]) == (409, "token_limit_reached")

    def test_a_number_out_of_bounds_is_answered_with_the_bounds(self, customer: OpenedAccount) -> None:
        for body in ({"maxCostCents": 0, "expiresInS": 59}, {"maxCostCents": 10**12, "expiresInS": 86_401}):
            _, answer, _ = call("POST", TOKENS, customer.api_key, body)
            assert details(answer) == {
                "/maxCostCents": f"Must be a whole number, 1 to {MAX_CAP_CENTS}.",
                "/expiresInS": "Must be a whole number, 60 to 86400.",
            }
        for path in (TOKENS, "/api/v1/subaccounts"):
            _, answer, _ = call("GET", f"{path}?limit=1000", customer.api_key)
            (message,) = details(answer).values()
            assert message.startswith("Must be a whole number, 1 to ")
        _, answer, _ = call("POST", "/api/v1/budgets", customer.api_key, {"limitCents": -1})
        assert details(answer)["/limitCents"] == f"Must be a whole number, 0 to {MAX_LIMIT_CENTS}."

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, {"/maxCostCents"}),
            ({"maxCostCents": 0}, {"/maxCostCents"}),
            ({"maxCostCents": 1.5, "expiresInS": 59}, {"/maxCostCents", "/expiresInS"}),
            ({**TWO_CENTS, "expiresInS": 86_401}, {"/expiresInS"}),
            ({**TWO_CENTS, "models": ["no-such-model"]}, {"/models/0"}),
            ({**TWO_CENTS, "tags": {"Agent": "x"}}, {"/tags"}),
            ({**TWO_CENTS, "tags": {"agent": "a b", "team": 1}}, {"/tags/agent", "/tags/team"}),
            ({**TWO_CENTS, "tags": {f"t{n}": "x" for n in range(9)}}, {"/tags"}),
            ({**TWO_CENTS, "name": "", "more": 1}, {"/name", "/more"}),
            ({**TWO_CENTS, "webhook": "http://127.0.0.1/"}, {"/webhook"}),
        ],
    )
    def test_a_wrong_body_is_named(self, customer: OpenedAccount, body: Any, paths: set[str]) -> None:
        status, answer, _ = call("POST", TOKENS, customer.api_key, body)
        assert (status, set(details(answer))) == (400, paths)
