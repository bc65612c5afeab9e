"""`functions/serve_mcp` through its handler, with API Gateway's own event."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from local.machine.events import Context
from local.template import ROOT
from serve_mcp import app as serve_mcp_app
from serve_mcp.app import handler
from tests.support.http_server import Received, Reply, http_server
from tollgate.composition.parts import cors_headers
from tollgate.kit import money
from tollgate.kit.http.base_url import base_url
from tollgate.mcp.http import MAX_BODY_BYTES
from tollgate.mcp.tools import cents_of, dollars

EVENT: dict[str, Any] = json.loads((ROOT / "events/serve_mcp.json").read_text())
CONTEXT: Any = Context("ServeMcpFunction")


GOOD, UNSCOPED = "tg_live_good", "tg_live_without_account"


@pytest.fixture(autouse=True)
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Received]]:
    """Let the function start as the template has it, beside an API that knows two keys."""
    monkeypatch.setenv("STAGE", "local")
    cors_headers.cache_clear()
    asked: list[Received] = []

    def answer(request: Received) -> Reply:
        asked.append(request)
        statuses = {f"Bearer {GOOD}": 200, f"Bearer {UNSCOPED}": 403}
        status = statuses.get(request.headers["authorization"], 401)
        return Reply(status, b"{}", {"content-type": "application/json"})

    with http_server(answer) as url:
        monkeypatch.setattr(serve_mcp_app.app._app, "_base_url_of", lambda _: url.removesuffix("/hook"))
        yield asked


def with_key(key: str, **changed: Any) -> dict[str, Any]:
    """Return the event with a key."""
    event = {**deepcopy(EVENT), **changed}
    for headers, value in (("headers", f"Bearer {key}"), ("multiValueHeaders", [f"Bearer {key}"])):
        event[headers]["Authorization"] = value
    return event


def asking(**message: Any) -> str:
    """Return the body of a message."""
    return json.dumps({"jsonrpc": "2.0", **message})


def challenge(reason: str = "") -> str:
    """Return the challenge, which names the document about the sign-in (RFC 9728, section 5.1)."""
    base = serve_mcp_app.app._app._base_url_of({})  # type: ignore[attr-defined]
    document = f"{base}/.well-known/oauth-protected-resource/mcp"
    return f'Bearer realm="tollgate", {reason}resource_metadata="{document}", scope="media text"'


def call(event: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Call the handler; give status and parsed body."""
    answer = handler(event, CONTEXT)
    return answer["statusCode"], json.loads(answer["body"])


class TestRequests:
    def test_the_tools_are_listed_and_say_what_costs_money(self) -> None:
        status, body = call(with_key(GOOD))
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
        assert [call(with_key(GOOD))[0] for _ in range(3)] == [200, 200, 200]

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
        status, body = call(with_key(GOOD, body="{"))
        assert status == 400
        assert body["error"]["code"] == -32700

    def test_an_unknown_argument_is_refused_before_anything_is_generated(self, api: list[Received]) -> None:
        # An ignored `private` would publish the file.
        asked = {"model": "test-image", "input": {"prompt": "x"}, "private": True}
        body = asking(id=1, method="tools/call", params={"name": "generate", "arguments": asked})
        _, answer = call(with_key(GOOD, body=body))
        assert answer["result"]["isError"]
        assert "has no argument private" in answer["result"]["content"][0]["text"]
        assert not [one for one in api if one.path.endswith("/create")]

    @pytest.mark.parametrize(
        "request_id", ["1e999", "{}", "[]", "null", "true", "1.5", "1.0", "-1e999", '["a"]', '{"a": 1}']
    )
    @pytest.mark.parametrize("method", ["tools/list", "initialize", "nothing"])
    def test_an_id_that_cannot_be_answered_is_no_request(self, request_id: str, method: str) -> None:
        body = f'{{"jsonrpc": "2.0", "id": {request_id}, "method": "{method}"}}'
        status, answer = call(with_key(GOOD, body=body))
        assert (status, answer["error"]["code"], answer["id"]) == (400, -32600, None)

    @pytest.mark.parametrize("request_id", [0, -7, 2**53, "", "abc", "1e999"])
    def test_any_other_id_comes_back(self, request_id: int | str) -> None:
        status, answer = call(with_key(GOOD, body=asking(id=request_id, method="tools/list")))
        assert (status, answer["id"]) == (200, request_id)

    def test_a_notification_is_accepted(self) -> None:
        answer = handler(with_key(GOOD, body=asking(method="notifications/initialized")), CONTEXT)
        assert answer["statusCode"] == 202

    def test_a_body_that_is_too_large_is_413(self) -> None:
        answer = handler(with_key(GOOD, body=asking(id=1, method="x" * MAX_BODY_BYTES)), CONTEXT)
        assert answer["statusCode"] == 413


INITIALIZE = asking(
    id=1,
    method="initialize",
    params={"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
)
TOOL = asking(id=1, method="tools/call", params={"name": "list_models", "arguments": {}})


class TestKeys:
    @pytest.mark.parametrize(
        "body",
        [
            INITIALIZE,
            asking(id=1, method="tools/list"),
            TOOL,
            asking(method="notifications/initialized"),
            "{",
        ],
        ids=["initialize", "tools/list", "tools/call", "notification", "no JSON"],
    )
    def test_a_wrong_one_is_refused_from_the_first_request_on(self, body: str) -> None:
        answer = handler(with_key("tg_live_nobody", body=body), CONTEXT)
        assert answer["statusCode"] == 401
        assert json.loads(answer["body"])["error"]["code"] == "invalid_api_key"
        headers = {name.lower(): value for name, value in answer["headers"].items()}
        assert headers["www-authenticate"] == challenge('error="invalid_token", ')

    def test_none_hears_how_to_send_one_and_no_error(self) -> None:
        event = with_key(GOOD)
        del event["headers"]["Authorization"], event["multiValueHeaders"]["Authorization"]
        answer = handler(event, CONTEXT)
        headers = {name.lower(): value for name, value in answer["headers"].items()}
        assert (answer["statusCode"], headers["www-authenticate"]) == (401, challenge())
        error = json.loads(answer["body"])["error"]
        assert error["docsUrl"].endswith("/docs/errors#invalid_api_key")

    def test_one_in_x_api_key_is_read(self) -> None:
        event = with_key(GOOD, body=INITIALIZE)
        for headers in (event["headers"], event["multiValueHeaders"]):
            headers["x-api-key"] = headers.pop("Authorization")
        event["headers"]["x-api-key"], event["multiValueHeaders"]["x-api-key"] = GOOD, [GOOD]
        assert call(event)[0] == 200

    @pytest.mark.parametrize("key", [GOOD, UNSCOPED])
    def test_a_good_one_is_let_in_whatever_it_may_be_used_for(self, key: str, api: list[Received]) -> None:
        status, body = call(with_key(key, body=INITIALIZE))
        assert (status, body["result"]["serverInfo"]["name"]) == (200, "tollgate")
        assert [request.path for request in api] == ["/api/v1/user/me"]

    def test_where_the_api_is_away_the_tools_say_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(serve_mcp_app.app._app, "_base_url_of", lambda _: "http://127.0.0.1:9")
        assert call(with_key(GOOD, body=INITIALIZE))[0] == 200


@pytest.mark.parametrize(("usd", "cents"), [(0.29, 29), (0.57, 57), (1, 100), (0.019, 1), (0.005, 0)])
def test_a_bound_in_dollars_is_the_cents_that_it_says(usd: float, cents: int) -> None:
    assert cents_of(usd) == cents


@pytest.mark.parametrize("cents", [0, 5, 105, 123_405, 1_000_000_00])
def test_cents_are_written_like_in_the_rest_of_the_service(cents: int) -> None:
    assert dollars(cents) == money.dollars(cents)


class TestWhereTheKeyGoes:
    def scope(self, **context: str) -> dict[str, Any]:
        event = {"path": "/mcp", "requestContext": {"path": "/mcp", **context}}
        return {"aws.event": event, "headers": [(b"host", b"evil.test")], "server": ("evil.test", 80)}

    def test_it_goes_where_the_gateway_says_and_never_where_the_caller_says(self) -> None:
        assert base_url(self.scope(domainName="api.example.com")) == "https://api.example.com"
        with_stage = self.scope(
            domainName="x.execute-api.eu-central-1.amazonaws.com", path="/live/mcp", stage="live"
        )
        assert base_url(with_stage) == "https://x.execute-api.eu-central-1.amazonaws.com/live"

    def test_on_one_machine_it_goes_to_the_socket(self) -> None:
        scope = {"headers": [(b"host", b"evil.test")], "server": ("127.0.0.1", 8080)}
        assert base_url(scope) == "http://127.0.0.1:8080"
