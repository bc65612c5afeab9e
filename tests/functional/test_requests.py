"""Records of requests by any of their ids, and in lists, through the handler of `functions/api`."""

import csv
from io import StringIO
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import create, running_text, with_prompt
from tests.functional.test_api import call
from tests.functional.test_openrouter_account import ask, ok, restricted
from tests.functional.test_run_task import run_to_end
from tests.functional.test_run_tokens import token
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.keys import key_id_of
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.holds import is_end_requested
from tollgate.ledger.trace import RouteCall, Trace

# 11 × 0.75 + 4 × 0.075 + 20 × 4.5 = 98.55 micro-USD, rounded up.
# Well-formed, and nobody's
UNKNOWN = "req_01M81VJ6AEDTJ68M4TNHBHFDSH"
PRICES = {"input_tokens": "0.75", "cache_read_tokens": "0.075", "output_tokens": "4.5"}
COST_MICRO_USD = 99
CALLS = (RouteCall("openai", 5, 300, "provider_unavailable"), RouteCall("openrouter", 301))
TRACE = Trace("chat", 4, 5_000, CALLS, prices=PRICES)
FACTS = {
    "provider": "openrouter",
    "latency_ms": 900,
    "first_byte_ms": 500,
    "attribution": Attribution("alice", {"team": "search", "env": "test"}),
}


@pytest.fixture
def text_id(aws: Aws, customer: OpenedAccount) -> str:
    """Return the id of a text request that its second provider answered."""
    return ask(aws, customer, COST_MICRO_USD, trace=TRACE, **FACTS)


def found_ids(key: str, query: str) -> list[str]:
    return [one["id"] for one in ok(key, f"requests?{query}")["requests"]]


class TestText:
    def test_the_record_explains_the_cost_and_the_way(self, customer: OpenedAccount, text_id: str) -> None:
        found = ok(customer.api_key, f"requests/{text_id}")
        lines = [
            ("inputTokens", "11", "0.75", "0.00000825"),
            ("cacheReadTokens", "4", "0.075", "0.0000003"),
            ("outputTokens", "20", "4.5", "0.00009"),
        ]
        assert found == {
            "id": text_id,
            "kind": "text",
            "api": "chat",
            "model": "gpt-5.4-mini",
            "status": "completed",
            "createdAt": "2023-11-14T22:13:19.100Z",
            "endedAt": "2023-11-14T22:13:20.000Z",
            "latencyMs": 900,
            "firstByteMs": 500,
            "streamed": True,
            "route": "openrouter",
            "routes": [
                {
                    "route": "openai",
                    "startedAt": "2023-11-14T22:13:19.105Z",
                    "endedAt": "2023-11-14T22:13:19.400Z",
                    "code": "provider_unavailable",
                },
                {"route": "openrouter", "startedAt": "2023-11-14T22:13:19.401Z"},
            ],
            "usage": {
                "inputTokens": 11,
                "cacheReadTokens": 4,
                "cacheWriteTokens": 0,
                "cacheWrite1hTokens": 0,
                "outputTokens": 20,
                "reasoningTokens": 8,
                "estimated": False,
            },
            "price": [
                {"key": key, "quantity": n, "unit": "token", "unitPriceUsd": price, "per": 1_000_000}
                | {"amountUsd": amount}
                for key, n, price, amount in lines
            ],
            "costMicroUsd": 99,
            "costUsd": "0.000099",
            "refundedMicroUsd": 0,
            "refundedUsd": "0",
            "keyId": key_id_of(customer.api_key),
            "user": "alice",
            "tags": {"team": "search", "env": "test"},
            "events": [
                {"event": "received", "happenedAt": "2023-11-14T22:13:19.100Z"},
                {"event": "held", "happenedAt": "2023-11-14T22:13:19.104Z", "amountMicroUsd": 5_000},
                {"event": "sent", "happenedAt": "2023-11-14T22:13:19.105Z", "route": "openai"},
                {"event": "not_answered", "happenedAt": "2023-11-14T22:13:19.400Z", "route": "openai"}
                | {"code": "provider_unavailable"},
                {"event": "sent", "happenedAt": "2023-11-14T22:13:19.401Z", "route": "openrouter"},
                {"event": "first_byte", "happenedAt": "2023-11-14T22:13:19.600Z", "route": "openrouter"},
                {"event": "ended", "happenedAt": "2023-11-14T22:13:20.000Z", "code": "completed"},
                {"event": "charged", "happenedAt": "2023-11-14T22:13:20.000Z", "amountMicroUsd": 99},
                {"event": "released", "happenedAt": "2023-11-14T22:13:20.000Z", "amountMicroUsd": 4_901},
            ],
            "entryIds": [f"{text_id}#text"],
        }

    @pytest.mark.parametrize("prefix", ["req_", "chatcmpl-", "cmpl-", "msg_", "resp_"])
    def test_the_ids_of_its_response_lead_to_it(
        self, customer: OpenedAccount, text_id: str, prefix: str
    ) -> None:
        asked_id = text_id.replace("req_", prefix)
        assert ok(customer.api_key, f"requests/{asked_id}")["id"] == text_id
        found = ok(customer.api_key, f"generation?id={asked_id}")
        assert (found["id"], found["request_id"], found["total_cost"]) == (asked_id, text_id, 0.000099)
        assert (found["cancelled"], found["api_type"]) == (False, "completions")


class TestGeneration:
    def test_one_that_was_refunded(self, customer: OpenedAccount, clock: ManualClock) -> None:
        task_id = create(customer, **with_prompt("[[reject]]"))
        clock.advance_ms(1_000)
        run_to_end(task_id, clock)
        found = ok(customer.api_key, f"requests/{task_id}")
        assert (found["kind"], found["status"], found["error"]["code"]) == (
            "task",
            "refused",
            "content_rejected",
        )
        assert (found["costMicroUsd"], found["refundedMicroUsd"]) == (10_000, 10_000)
        (line,) = found["price"]
        assert (line["quantity"], line["unit"], line["per"]) == ("1", "generation", 1)
        names = [event["event"] for event in found["events"]]
        assert names == ["received", "charged", "sent", "not_answered", "ended", "refunded"]
        assert found["entryIds"] == [f"{task_id}#charge", f"{task_id}#refund"]
        estimate = call("POST", "/api/v1/generation/estimate", customer.api_key, body_of())[1]["data"]
        assert (found["priceVersion"], line["amountUsd"]) == (
            estimate["priceVersion"],
            estimate["breakdown"][0]["amountUsd"],
        )

    def test_one_that_runs_and_has_ended(self, customer: OpenedAccount, clock: ManualClock) -> None:
        task_id = create(customer)
        assert ok(customer.api_key, f"requests/{task_id}")["status"] == "running"
        run_to_end(task_id, clock)
        found = ok(customer.api_key, f"requests/{task_id}")
        assert (found["status"], found["refundedMicroUsd"]) == ("completed", 0)
        assert found["route"] == found["routes"][-1]["route"]
        generation = ok(customer.api_key, f"generation?id={task_id}")
        assert (generation["total_cost"], generation["num_media_completion"]) == (0.01, 1)


def body_of() -> dict[str, Any]:
    return {"model": PAID_IMAGE, **with_prompt("a fox")}


class TestAccess:
    def test_nobody_else_reads_a_record(self, customer: OpenedAccount, text_id: str) -> None:
        other = api_parts.api().accounts.open(0).api_key
        stranger = restricted(customer, "text")
        for key in (other, stranger):
            for path in (f"requests/{text_id}", f"generation?id={text_id}"):
                status, body, _ = call("GET", f"/api/v1/{path}", key)
                assert (status, body["error"]["code"]) == (404, "request_not_found")
            assert found_ids(key, "") == []

    def test_a_key_without_the_scope_lists_its_own(self, customer: OpenedAccount, clock: ManualClock) -> None:
        own = restricted(customer, "media")
        create(customer)
        clock.advance_ms(1)
        status, made, _ = call("POST", "/api/v1/generation/create", own, body_of())
        assert status == 200
        assert found_ids(own, "") == [made["data"]["taskId"]]
        assert len(found_ids(customer.api_key, "")) == 2
        status, body, _ = call("GET", f"/api/v1/requests?key={key_id_of(customer.api_key)}", own)
        assert (status, body["error"]["details"][0]["path"]) == (400, "/key")

    @pytest.mark.parametrize("method", ["GET", "DELETE"])
    @pytest.mark.parametrize("asked_id", [UNKNOWN, "req_1", "nonsense", "msg_", "%20", f"task_{UNKNOWN[4:]}"])
    def test_an_unknown_id_is_not_found(self, customer: OpenedAccount, method: str, asked_id: str) -> None:
        status, body, _ = call(method, f"/api/v1/requests/{asked_id}", customer.api_key)
        assert (status, body["error"]["code"]) == (404, "request_not_found")


class TestEnding:
    def test_a_running_request_ends_by_its_whole_id(self, aws: Aws, customer: OpenedAccount) -> None:
        other, running = (running_text(aws, customer.account_id) for _ in range(2))
        path = "/api/v1/requests"
        assert call("DELETE", f"{path}/{running.removeprefix('req_')}", customer.api_key)[0] == 404
        status, body, _ = call("DELETE", f"{path}/{running}", customer.api_key)
        assert (status, body["data"]) == (200, {"requestId": running, "ending": True})
        row = api_parts.api().tasks.ledger.account_row(customer.account_id)
        assert [is_end_requested(row or {}, one) for one in (other, running)] == [False, True]

    def test_a_run_token_ends_only_its_own(self, aws: Aws, customer: OpenedAccount) -> None:
        other, own = token(customer), token(customer)
        path = f"/api/v1/requests/{running_text(aws, customer.account_id, own['id'] + '#0')}"
        assert [call("DELETE", path, one["token"])[0] for one in (other, own)] == [404, 200]


class TestList:
    @pytest.mark.parametrize(
        ("query", "kinds"),
        [
            ("", ["task", "text"]),
            ("kind=text", ["text"]),
            ("kind=task&status=running", ["task"]),
            ("status=completed", ["text"]),
            ("status=failed", []),
            ("model=gpt-5.4-mini", ["text"]),
            ("user=alice", ["text"]),
            ("user=bob", []),
            ("tag=team=search", ["text"]),
            ("tag=team", ["text"]),
            ("tag=team=sales", []),
            ("key=dashboard", ["task"]),
            ("to=2023-11-14T22:13:20.001Z", ["text"]),
            ("from=2023-11-14T22:13:20.001Z", ["task"]),
        ],
    )
    @pytest.mark.usefixtures("text_id")
    def test_filters(self, customer: OpenedAccount, clock: ManualClock, query: str, kinds: list[str]) -> None:
        clock.advance_ms(1_000)
        create(customer)
        found = ok(customer.api_key, f"requests?{query}")["requests"]
        assert [one["kind"] for one in found] == kinds

    def test_pages_are_joined_by_a_cursor(self, customer: OpenedAccount, clock: ManualClock) -> None:
        made: list[str] = []
        for _ in range(3):
            clock.advance_ms(1)
            made.insert(0, create(customer))
        first = ok(customer.api_key, "requests?limit=2")
        rest = ok(customer.api_key, f"requests?limit=2&cursor={first['cursor']}")
        assert [one["id"] for one in first["requests"] + rest["requests"]] == made
        assert "cursor" not in rest

    def test_a_bad_query_names_each_parameter(self, customer: OpenedAccount) -> None:
        query = "kind=image&status=done&tag=Team&from=x&limit=0&cursor=x&colour=red"
        status, body, _ = call("GET", f"/api/v1/requests?{query}", customer.api_key)
        assert status == 400
        wrong = {"/kind", "/status", "/tag", "/from", "/limit", "/cursor", "/colour"}
        assert {each["path"] for each in body["error"]["details"]} == wrong

    @pytest.mark.usefixtures("text_id")
    def test_the_ledger_has_the_same_labels(self, customer: OpenedAccount) -> None:
        found = ok(customer.api_key, "ledger?tag=team=search&user=alice")["entries"]
        assert [entry["kind"] for entry in found] == ["text"]
        assert found[0]["keyId"] == key_id_of(customer.api_key)
        _, table, _ = call("GET", "/api/v1/ledger.csv?user=alice", customer.api_key)
        (row,) = csv.DictReader(StringIO(str(table)))
        labels = row["keyId"], row["user"], row["tags"]
        assert labels == (key_id_of(customer.api_key), "alice", "team=search,env=test")


class TestPage:
    """The page of a record in the dashboard."""

    def test_it_shows_cost_steps_prices_and_labels(self, aws: Aws, browser: Browser, account_id: str) -> None:
        key = api_parts.api().keys.create(account_id, {"name": "Shop", "scopes": ["text"]}, None)
        customer = OpenedAccount(account_id, key["key"], "")
        request_id = ask(aws, customer, COST_MICRO_USD, trace=TRACE, **FACTS)
        text = browser.get(f"/requests/{request_id}").text
        for words in (
            "$0.000099 ",
            "Completed",
            "11 tokens × $0.75 per million tokens",
            "$0.00000825",
            "Held $0.005",
            "No result from openai",
            "provider unavailable",
            "Sent to openrouter",
            "Released $0.004901 of the hold",
            "label=team%3Dsearch",
            f"{request_id}#text",
        ):
            assert words in text
        link = f'href="/live/dashboard/requests/{request_id}"'
        assert link in browser.get("/activity?label=team%3Dsearch").text
        assert request_id not in browser.get("/activity?user=bob").text

    def test_a_generation_and_an_unknown_id(
        self, browser: Browser, account_id: str, clock: ManualClock
    ) -> None:
        task_id = create(OpenedAccount(account_id, "", ""), **with_prompt("[[reject]]"))
        run_to_end(task_id, clock)
        text = browser.get(f"/requests/{task_id}").text
        for words in ("Refused", "content_rejected", "Refunded $0.01", "whole cent"):
            assert words in text
        assert f'href="/live/dashboard/requests/{task_id}"' in browser.get(f"/tasks/{task_id}").text
        assert browser.get("/requests/req_1").status == 404
