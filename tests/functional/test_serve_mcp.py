"""`functions/serve_mcp` through its handler, with API Gateway's own event."""

import json
from copy import deepcopy
from typing import Any

import pytest

from local.events import Context
from local.template import ROOT
from serve_mcp.app import handler
from tollgate.composition.parts import cors_headers
from tollgate.kit.base_url import base_url
from tollgate.mcp.tools import cents_of

EVENT: dict[str, Any] = json.loads((ROOT / "events/serve_mcp.json").read_text())
CONTEXT: Any = Context("ServeMcpFunction")


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the function start as the template has it."""
    monkeypatch.setenv("STAGE", "local")
    cors_headers.cache_clear()


def call(event: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Call the handler; give status and parsed body."""
    answer = handler(event, CONTEXT)
    return answer["statusCode"], json.loads(answer["body"])


class TestRequests:
    def test_the_tools_are_listed_and_say_what_costs_money(self) -> None:
        status, body = call(deepcopy(EVENT))
        assert status == 200
        tools = {one["name"]: one for one in body["result"]["tools"]}
        assert set(tools) == {
            *("list_models", "describe_model", "estimate", "generate", "get_task", "cancel_task", "chat"),
            *("balance", "delete_task_files"),
        }
        assert {name for name, one in tools.items() if "COSTS MONEY" in one["description"]} == {
            "generate",
            "chat",
        }
        read_only = {name for name, one in tools.items() if one["annotations"]["readOnlyHint"]}
        assert read_only == set(tools) - {"generate", "cancel_task", "chat", "delete_task_files"}
        destructive = {name for name, one in tools.items() if one["annotations"].get("destructiveHint")}
        assert destructive == {"delete_task_files"}

    def test_requests_one_after_the_other_stand_by_themselves(self) -> None:
        assert [call(deepcopy(EVENT))[0] for _ in range(3)] == [200, 200, 200]

    @pytest.mark.parametrize("authorization", [None, "", "Basic abc", "Bearer"])
    def test_without_a_key_there_is_nothing(self, authorization: str | None) -> None:
        event = deepcopy(EVENT)
        for headers, value in (("headers", authorization), ("multiValueHeaders", [authorization])):
            del event[headers]["Authorization"]
            if authorization is not None:
                event[headers]["Authorization"] = value
        status, body = call(event)
        assert (status, body["error"]["code"]) == (401, "invalid_api_key")

    @pytest.mark.parametrize("method", ["GET", "DELETE"])
    def test_there_are_no_sessions(self, method: str) -> None:
        status, body = call({**deepcopy(EVENT), "httpMethod": method})
        assert (status, body["error"]["code"]) == (405, "method_not_allowed")

    def test_what_is_no_request_is_an_error_of_the_protocol(self) -> None:
        status, body = call({**deepcopy(EVENT), "body": "{"})
        assert status == 400
        assert body["error"]["code"] == -32700


@pytest.mark.parametrize(("usd", "cents"), [(0.29, 29), (0.57, 57), (1, 100), (0.019, 1), (0.005, 0)])
def test_a_bound_in_dollars_is_the_cents_that_it_says(usd: float, cents: int) -> None:
    assert cents_of(usd) == cents


class TestWhereTheKeyGoes:
    def scope(self, **context: str) -> dict[str, Any]:
        event = {"path": "/mcp", "requestContext": {"path": "/mcp", **context}}
        return {"aws.event": event, "headers": [(b"host", b"evil.test")], "server": ("evil.test", 80)}

    def test_it_goes_where_the_gateway_says_and_never_where_the_caller_says(self) -> None:
        assert base_url(self.scope(domainName="api.example.com")) == "https://api.example.com"
        with_stage = self.scope(domainName="x.execute-api.eu-central-1.amazonaws.com", path="/live/mcp")
        assert base_url(with_stage) == "https://x.execute-api.eu-central-1.amazonaws.com/live"

    def test_on_one_machine_it_goes_to_the_socket(self) -> None:
        scope = {"headers": [(b"host", b"evil.test")], "server": ("127.0.0.1", 8080)}
        assert base_url(scope) == "http://127.0.0.1:8080"
