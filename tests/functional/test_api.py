"""`functions/api` through its handler, with API Gateway's own event."""

import asyncio
import base64
import json
from copy import deepcopy
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qsl

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError

from api.app import app as api_app
from api.app import handler
from dashboard.app import app as dashboard_app
from get_status.app import handler as status_handler
from local.machine.events import Context
from local.machine.server import WAITING_PATHS
from local.template import ROOT
from tests.conftest import Aws
from tests.functional.conftest import balance_cents, create
from tests.support.samples import PAID_BODY, PAID_IMAGE
from tests.support.tasks import estimated_cents
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/api.json").read_text())
BODY_LIMIT = 5 * 1024 * 1024
"""Of a generation, which may have media inside."""
CONTEXT: Any = Context("ApiFunction")
MEDIA_PATHS = ("/api/v1/user/me", f"/api/v1/task/status/task_{'1' * 26}")


def call(
    method: str, path: str, key: str | None = None, body: Any = None, headers: dict[str, str] | None = None
) -> tuple[int, Any, dict[str, str]]:
    """Call the handler; give status, parsed body and headers (lower case). `path` may have a query."""
    event = deepcopy(EVENT)
    path, _, query = path.partition("?")
    parameters: Any = dict(parse_qsl(query, keep_blank_values=True)) or None
    sent = {"content-type": "application/json", **(headers or {})}
    if key is not None:
        sent["authorization"] = f"Bearer {key}"
    event |= {
        "httpMethod": method,
        "path": path,
        "headers": sent,
        "multiValueHeaders": {name: [value] for name, value in sent.items()},
        "queryStringParameters": parameters,
        "multiValueQueryStringParameters": parameters and {name: [one] for name, one in parameters.items()},
        "body": body if isinstance(body, str) or body is None else json.dumps(body),
    }
    answer = handler_of(path)(event, CONTEXT)
    text = base64.b64decode(answer["body"]) if answer.get("isBase64Encoded") else answer["body"]
    found = {name.lower(): value for name, value in answer.get("headers", {}).items()}
    found |= {name.lower(): values[0] for name, values in answer.get("multiValueHeaders", {}).items()}
    is_table = found["content-type"].startswith("text/csv")
    return answer["statusCode"], text if is_table else json.loads(text), found


def handler_of(path: str) -> Any:
    """Return the handler that the gateway has for a path."""
    return status_handler if path.startswith(WAITING_PATHS) else handler


def details(body: Any) -> dict[str, str]:
    """Return the problems of an `invalid_input` body by their path."""
    assert body["error"]["code"] == "invalid_input"
    return {problem["path"]: problem["message"] for problem in body["error"]["details"]}


class TestTheEventFile:
    def test_its_well_formed_but_unknown_key_is_refused(self, aws: Aws) -> None:
        answer = handler(EVENT, CONTEXT)
        assert answer["statusCode"] == 401
        assert json.loads(answer["body"])["error"]["code"] == "invalid_api_key"


class TestAccount:
    def test_me_has_the_contracts_fields(self, customer: OpenedAccount) -> None:
        status, body, headers = call("GET", "/api/v1/user/me", customer.api_key)
        assert (status, body["code"]) == (200, 200)
        assert body["data"].keys() == {"id", "balance", "createdAt"}
        assert body["data"]["id"] == customer.account_id
        assert body["data"]["balance"] == 100
        assert headers["x-request-id"].startswith("req_")

    @pytest.mark.parametrize("key", [None, "", "nonsense", "tg_live_x_y"])
    def test_without_a_good_key_it_is_401_with_the_contracts_body(self, aws: Aws, key: str | None) -> None:
        status, body, headers = call("GET", "/api/v1/user/me", key)
        assert status == 401
        assert body["code"] == 401
        assert body["error"]["type"] == "Unauthorized"
        wrong = ', error="invalid_token"' if key else ""
        assert headers["www-authenticate"] == f'Bearer realm="tollgate"{wrong}'

    @pytest.mark.parametrize("path", MEDIA_PATHS)
    def test_the_key_may_be_in_x_api_key(self, customer: OpenedAccount, path: str) -> None:
        status, body, _ = call("GET", path, headers={"x-api-key": customer.api_key})
        # No such task, so the key was accepted.
        assert (status, body["code"]) == ((404, 404) if "task" in path else (200, 200))
        assert "type" not in body

    @pytest.mark.parametrize("path", MEDIA_PATHS)
    def test_a_key_in_another_place_is_named(self, customer: OpenedAccount, path: str) -> None:
        for headers, query, named in (
            ({"x-goog-api-key": customer.api_key}, "", "x-goog-api-key"),
            ({"authorization": customer.api_key}, "", "Bearer"),
            ({}, f"?key={customer.api_key}", "URL"),
        ):
            status, body, sent = call("GET", path + query, headers=headers)
            assert (status, body["error"]["code"]) == (401, "invalid_api_key")
            assert named in body["error"]["message"]
            assert body["error"]["message"].endswith("Send it as: Authorization: Bearer <API_KEY>.")
            assert sent["www-authenticate"] == 'Bearer realm="tollgate"'

    def test_a_key_whose_account_is_gone_is_404(self, aws: Aws, customer: OpenedAccount) -> None:
        aws.clients.dynamodb.delete_item(
            TableName=aws.stack.refs["AccountsTable"], Key={"account_id": {"S": customer.account_id}}
        )
        status, body, _ = call("GET", "/api/v1/user/me", customer.api_key)
        assert (status, body["error"]["code"]) == (404, "user_not_found")


class TestEstimate:
    def test_it_gives_the_price_and_charges_nothing(self, customer: OpenedAccount) -> None:
        status, body, _ = call("POST", "/api/v1/generation/estimate", customer.api_key, PAID_BODY)
        assert status == 200
        assert body["data"].keys() == {"model", "price", "currency", "breakdown", "priceVersion"}
        assert (body["data"]["price"], body["data"]["currency"]) == (1, "USD")
        assert balance_cents(customer) == 100


class TestCreate:
    def test_it_charges_and_answers_with_the_contracts_fields(self, customer: OpenedAccount) -> None:
        status, body, _ = call("POST", "/api/v1/generation/create", customer.api_key, PAID_BODY)
        assert status == 200
        assert body["data"].keys() == {"taskId", "status", "createdAt"}
        assert body["data"]["status"] == "not_started"
        assert balance_cents(customer) == 99

    def test_every_problem_of_the_body_comes_at_once(self, customer: OpenedAccount) -> None:
        broken = {
            "model": PAID_IMAGE,
            "input": {"prompt": 5, "size": "16:10", "color": "red"},
            "webhook": "ftp://example.com",
            "metadata": [],
            "maxCostCents": "7",
            "extra": 1,
        }
        status, body, _ = call("POST", "/api/v1/generation/create", customer.api_key, broken)
        assert status == 400
        assert body["error"]["type"] == "BadRequest"
        assert details(body).keys() == {
            "/extra",
            "/webhook",
            "/metadata",
            "/maxCostCents",
            "/input/prompt",
            "/input/size",
            "/input/color",
        }
        assert balance_cents(customer) == 100

    @pytest.mark.parametrize(
        ("body", "path"),
        [
            ({}, "/model"),
            ({"model": "test-image"}, "/input"),
            ({"model": "no-such-model", "input": {}}, "/model"),
            ({"model": 7, "input": {}}, "/model"),
            ({"model": "test-image", "input": "a lighthouse"}, "/input"),
            ({**PAID_BODY, "webhook": None}, "/webhook"),
            ({**PAID_BODY, "webhook": "https://user:pw@example.com/"}, "/webhook"),
            ({**PAID_BODY, "webhook": "http://127.0.0.1/hook"}, "/webhook"),
            ({**PAID_BODY, "webhook": "http://169.254.169.254/latest"}, "/webhook"),
            ({**PAID_BODY, "metadata": {f"k{n}": 1 for n in range(17)}}, "/metadata"),
            ({**PAID_BODY, "maxCostCents": 1.5}, "/maxCostCents"),
            ({**PAID_BODY, "maxCostCents": True}, "/maxCostCents"),
            ({**PAID_BODY, "maxCostCents": -1}, "/maxCostCents"),
            # The model has 300 s.
            ({**PAID_BODY, "finishByS": 99}, "/finishByS"),
            ({**PAID_BODY, "finishByS": 301}, "/finishByS"),
            ({**PAID_BODY, "finishByS": "100"}, "/finishByS"),
            # An hour to a year.
            ({**PAID_BODY, "expiresInS": 3_599}, "/expiresInS"),
            ({**PAID_BODY, "expiresInS": 31_536_001}, "/expiresInS"),
            ({**PAID_BODY, "priority": "high"}, "/priority"),
            ({**PAID_BODY, "webhookProgress": "yes"}, "/webhookProgress"),
            ({**PAID_BODY, "webhookProgress": True}, "/webhookProgress"),
        ],
    )
    def test_a_problem_names_its_field(self, customer: OpenedAccount, body: Any, path: str) -> None:
        status, answer, _ = call("POST", "/api/v1/generation/create", customer.api_key, body)
        assert status == 400
        assert path in details(answer)

    @pytest.mark.parametrize(
        "body", ["", "[]", "7", "{", '{"model": NaN}', '{"a": "\\ud800"}', "[" * 5000, '{"metadata": 1e999}']
    )
    def test_what_is_not_a_json_object_is_400(self, customer: OpenedAccount, body: str) -> None:
        status, answer, _ = call("POST", "/api/v1/generation/create", customer.api_key, body)
        assert (status, answer["error"]["code"]) == (400, "invalid_input")

    def test_numbers_that_json_cannot_echo_are_refused_in_metadata(self, customer: OpenedAccount) -> None:
        body = json.dumps(PAID_BODY)[:-1] + ', "metadata": {"n": 1e999}}'
        status, answer, _ = call("POST", "/api/v1/generation/create", customer.api_key, body)
        assert (status, list(details(answer))) == (400, [""])

    def test_sixteen_metadata_keys_and_a_cost_bound_as_a_whole_float_are_fine(
        self, customer: OpenedAccount
    ) -> None:
        body = {**PAID_BODY, "metadata": {f"k{n}": n for n in range(16)}, "maxCostCents": 1.0}
        status, _, _ = call("POST", "/api/v1/generation/create", customer.api_key, body)
        assert status == 200

    def test_a_body_above_the_limit_is_413(self, customer: OpenedAccount) -> None:
        status, body, _ = call("POST", "/api/v1/generation/create", customer.api_key, " " * (BODY_LIMIT + 1))
        assert (status, body["error"]["code"]) == (413, "payload_too_large")

    def test_more_than_the_balance_is_402_and_charges_nothing(self, customer: OpenedAccount) -> None:
        dear = {"model": "seedance-1.5-pro", "input": {"prompt": "x", "duration": 12, "resolution": "1080p"}}
        price = estimated_cents(customer.account_id, dear)
        status, body, _ = call("POST", "/api/v1/generation/create", customer.api_key, dear)
        assert (status, body["error"]["code"]) == (402, "insufficient_balance")
        assert body["error"]["balanceCents"] == 100
        assert body["error"]["requiredCents"] == price
        assert body["error"]["shortfallCents"] == price - 100
        assert balance_cents(customer) == 100

    def test_above_its_own_cost_bound_it_is_refused(self, customer: OpenedAccount) -> None:
        body = {**PAID_BODY, "maxCostCents": 0}
        status, answer, _ = call("POST", "/api/v1/generation/create", customer.api_key, body)
        assert (status, answer["error"]["code"]) == (400, "max_cost_exceeded")
        assert balance_cents(customer) == 100


class TestStatus:
    def test_a_new_task_shows_what_it_is_and_what_it_cost(self, customer: OpenedAccount) -> None:
        task_id = create(customer, metadata={"order": 7})
        status, body, _ = call("GET", f"/api/v1/task/status/{task_id}", customer.api_key)
        assert status == 200
        shown = body["data"]
        assert shown.pop("createdAt") == shown["createdTime"]
        assert shown.pop("createdTime").endswith("Z")
        assert shown == {
            "taskId": task_id,
            "status": "not_started",
            "model": PAID_IMAGE,
            "costCents": 1,
            "refundedCents": 0,
            "metadata": {"order": 7},
            "queue": {"position": 1, "estimatedWaitS": 0},
            "pollAfterS": 2,
        }

    def test_another_accounts_task_is_as_if_it_did_not_exist(self, customer: OpenedAccount) -> None:
        task_id = create(customer)
        stranger = api_parts.api().accounts.open(0)
        theirs = call("GET", f"/api/v1/task/status/{task_id}", stranger.api_key)
        nobodys = call("GET", "/api/v1/task/status/task_nope", stranger.api_key)
        # The only difference, as in any two responses.
        assert theirs[1]["error"].pop("requestId") != nobodys[1]["error"].pop("requestId")
        assert theirs[:2] == nobodys[:2]
        assert theirs[0] == 404
        assert theirs[1]["error"]["code"] == "task_not_found"
        assert theirs[1]["error"]["type"] == "NotFound"


class TestCatalogAndCost:
    def test_the_catalog_is_a_bare_array_without_a_key(self, aws: Aws) -> None:
        status, body, _ = call("GET", "/api/v1/catalog")
        assert status == 200
        assert {"test-image", "seedance-1.5-pro", "suno"} <= {model["id"] for model in body}

    def test_an_unknown_filter_of_the_catalog_is_refused_by_name(self, aws: Aws) -> None:
        status, body, _ = call("GET", "/api/v1/catalog?foo=1")
        assert (status, body["error"]["code"]) == (400, "invalid_input")
        assert body["error"]["details"][0]["path"] == "/foo"

    def test_one_model_is_a_bare_object(self, aws: Aws) -> None:
        status, body, _ = call("GET", "/api/v1/catalog/seedance-1.5-pro")
        assert (status, body["id"], body["priceUnit"]) == (200, "seedance-1.5-pro", "second")

    def test_costs_are_by_model_and_for_one(self, aws: Aws) -> None:
        _, everything, _ = call("GET", "/api/v1/cost")
        _, one, _ = call("GET", f"/api/v1/cost/{PAID_IMAGE}")
        assert one == {"model": PAID_IMAGE, **everything[PAID_IMAGE]}
        assert one["prices"][0]["price"] == "0.01"

    @pytest.mark.parametrize("path", ["/api/v1/catalog/nope", "/api/v1/cost/nope"])
    def test_an_unknown_model_is_404(self, aws: Aws, path: str) -> None:
        status, body, _ = call("GET", path)
        assert (status, body["error"]["code"]) == (404, "model_not_found")

    @pytest.mark.parametrize("path", ["/api/v1/generation/estimate", "/api/v1/generation/create"])
    @pytest.mark.parametrize(
        ("model", "message"),
        [
            ("gpt-5.4-mini", "gpt-5.4-mini is a text model. Use POST /api/v1/chat/completions."),
            ("GPT-5.4-mini", "gpt-5.4-mini is a text model. Use POST /api/v1/chat/completions."),
            (
                "text-embedding-3-small",
                "text-embedding-3-small is an embedding model. Use POST /api/v1/embeddings.",
            ),
        ],
    )
    def test_a_model_of_another_kind_names_its_endpoint(
        self, customer: OpenedAccount, path: str, model: str, message: str
    ) -> None:
        body = json.dumps({"model": model, "input": {"prompt": "a fox"}})
        status, answer, _ = call("POST", path, customer.api_key, body)
        assert status == 400
        assert {"path": "/model", "message": message} in answer["error"]["details"]

    @pytest.mark.parametrize(
        ("model", "use"),
        [("gpt-5.4-mini", "/api/v1/chat/completions"), ("text-embedding-3-small", "/api/v1/embeddings")],
    )
    def test_a_text_model_has_no_schema_and_says_its_endpoint(self, aws: Aws, model: str, use: str) -> None:
        status, body, _ = call("GET", f"/api/v1/catalog/{model}/schema")
        assert (status, body["error"]["code"]) == (404, "model_not_found")
        kind = "a text" if use.endswith("completions") else "an embedding"
        assert body["error"]["message"] == (
            f"{model} is {kind} model. Use POST {use}. Only media models have an input schema."
        )


class TestFaults:
    def test_an_unknown_path_and_a_wrong_method_have_the_contracts_body(self, aws: Aws) -> None:
        _, body, _ = call("GET", "/api/v2/x")
        assert body["error"]["code"] == "not_found"
        assert body["error"]["message"] == "No such endpoint: GET /api/v2/x."
        # openai 3.57.0 has `videos.edit` and `videos.extend`.
        for path in ("/api/v1/videos/edits", "/api/v1/videos/extensions"):
            status, body, _ = call("POST", path)
            assert (status, body["error"]["message"]) == (404, f"No such endpoint: POST {path}.")
        status, body, headers = call("GET", "/api/v1/generation/create")
        assert (status, body["error"]["code"]) == (405, "method_not_allowed")
        assert body["error"]["message"] == "Use POST for this endpoint."
        assert headers["allow"] == "POST"
        # Two routes of one path, one a method.
        assert call("PUT", "/api/v1/keys")[2]["allow"] == "GET, POST"

    @pytest.mark.parametrize("path", ["/api/v1/catalog/", "/api/v1/catalog/test-image/", "/api/v1/cost/"])
    def test_a_slash_at_the_end_changes_nothing(self, aws: Aws, path: str) -> None:
        assert call("GET", path)[1] == call("GET", path.removesuffix("/"))[1]

    def test_anthropics_sdk_reads_any_error(self, aws: Aws) -> None:
        for method, path in (("GET", "/api/v2/x"), ("GET", "/api/v1/keys"), ("PUT", "/api/v1/keys")):
            _, body, _ = call(method, path, headers={"anthropic-version": "x"})
            assert body["type"] == "error"
            assert body["error"]["type"] in {
                "not_found_error",
                "authentication_error",
                "invalid_request_error",
            }

    def test_a_megabyte_of_wrong_fields_is_answered_with_64_kb(self, customer: OpenedAccount) -> None:
        body = {f"field{n}": 1 for n in range(60_000)}
        status, answer, _ = call("POST", "/api/v1/generation/estimate", customer.api_key, body)
        assert status == 400
        assert len(json.dumps(answer)) < 64 * 1024
        assert len(answer["error"]["details"]) == 50
        assert "and 59,952 more" in answer["error"]["message"]

    def test_a_fault_of_ours_is_a_500_that_says_nothing(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tollgate.tasks.repository.TaskRepository.get", lambda *_: 1 / 0)
        status, body, headers = call("GET", f"/api/v1/task/status/task_{'1' * 26}", customer.api_key)
        assert (status, body["error"]["code"]) == (500, "internal_error")
        assert "division" not in json.dumps(body)
        assert headers["x-request-id"].startswith("req_")

    @pytest.mark.parametrize(
        ("path", "operations"),
        [
            ("/api/v1/user/me", {"GetItem"}),
            (f"/api/v1/task/status/task_{'1' * 26}", {"GetItem"}),
            (f"/api/v1/tasks?ids=task_{'1' * 26}", {"BatchGetItem"}),
            ("/api/v1/ledger", {"Query"}),
            ("/api/v1/keys", {"Query"}),
        ],
    )
    def test_a_database_that_throttles_is_a_503_with_when_to_come_back(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch, path: str, operations: set[str]
    ) -> None:
        call("GET", path, customer.api_key)
        carry_out = BaseClient._make_api_call  # type: ignore[attr-defined]

        def throttled(client: Any, operation: str, request: Any) -> Any:
            if operation not in operations:
                return carry_out(client, operation, request)
            error: Any = {"Error": {"Code": "ThrottlingException", "Message": "Rate exceeded"}}
            raise ClientError(error, operation)

        monkeypatch.setattr(BaseClient, "_make_api_call", throttled)
        status, body, headers = call("GET", path, customer.api_key)
        assert (status, body["error"]["code"]) == (503, "storage_busy")
        assert headers["retry-after"] == "5"

    @pytest.mark.parametrize(
        ("app", "path", "line"),
        [
            (api_app, "/api/v1/payments/stripe", "api.request"),
            (dashboard_app, "/dashboard/sign-in/development/email", "dashboard.request"),
        ],
    )
    def test_a_client_that_leaves_during_its_upload_is_no_fault_of_ours(
        self, aws: Aws, caplog: pytest.LogCaptureFixture, app: Any, path: str, line: str
    ) -> None:
        coming = iter(
            [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
        )
        sent: list[Any] = []

        async def receive() -> Any:
            return next(coming)

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b""}
        with caplog.at_level("INFO"), patch("dashboard.serving.check_change"):
            asyncio.run(
                app({**scope, "root_path": "", "scheme": "http", "server": ("api.test", 80)}, receive, send)
            )
        assert sent[0]["status"] == 499
        assert [one.levelname for one in caplog.records if one.message == line] == ["INFO"]
        assert "ERROR" not in {one.levelname for one in caplog.records}
