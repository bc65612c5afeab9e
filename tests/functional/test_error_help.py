"""Every error links to its docs, has the id of its request, and ends with the next step."""

import json
import re
from functools import cache
from typing import Any, NoReturn
from urllib.parse import urldefrag

import pytest

from tests.conftest import Aws
from tests.functional.test_api import EVENT, call
from tests.functional.test_landing import get
from tests.support.sample_errors import OTHER_ERRORS, SAMPLE_ERRORS, WITH_NEXT_STEP
from tollgate.accounts.auth import Authenticator
from tollgate.accounts.service import OpenedAccount
from tollgate.kit.errors import TollgateError
from tollgate.kit.http.base_url import adapted_url
from tollgate.kit.http.error_help import REFUSALS

# The stage is in the path of the event only if the gateway's own domain was called.
BASE_URL = "https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/live"
ROUTES = [
    ("GET", "/api/v1/user/me"),
    ("POST", "/api/v1/generation/create"),
    ("GET", f"/api/v1/task/status/task_{'1' * 26}"),
]
ANTHROPIC = {"anthropic-version": "2023-06-01"}
# openrouter 1.3.84 (PyPI).
OPENROUTER = {"user-agent": "speakeasy-sdk/python 1.3.84 2.914.0 1.0.0 openrouter"}


@cache
def anchors() -> frozenset[str]:
    """Return the ids in the errors page as it is served."""
    page = get("/docs/errors")
    assert page["statusCode"] == 200
    return frozenset(re.findall(r'id="([^"]+)"', page["body"]))


def raising(error: TollgateError) -> Any:
    def authenticate(*_: Any) -> NoReturn:
        raise error

    return authenticate


@pytest.mark.usefixtures("dashboard")
class TestThePage:
    @pytest.mark.parametrize("code", [*SAMPLE_ERRORS, REFUSALS])
    def test_has_an_anchor_for_each_code(self, code: str) -> None:
        assert code in anchors()


@pytest.mark.parametrize("error", OTHER_ERRORS.values(), ids=OTHER_ERRORS)
class TestEveryError:
    @pytest.mark.parametrize(("method", "path"), ROUTES)
    def test_links_to_its_docs_and_names_the_request(
        self, aws: Aws, monkeypatch: pytest.MonkeyPatch, method: str, path: str, error: TollgateError
    ) -> None:
        monkeypatch.setattr(Authenticator, "authenticate", raising(error))
        status, body, headers = call(method, path, "tg_live_x", {})
        assert (status, body["code"], body["error"]["code"]) == (error.status, error.status, error.code)
        assert urldefrag(body["error"]["docsUrl"]) == (f"{BASE_URL}/docs/errors", error.code)
        assert body["error"]["requestId"] == headers["x-request-id"]
        assert body["error"]["requestId"].startswith("req_")
        if status in WITH_NEXT_STEP:
            assert body["error"]["message"].endswith(f". {error.next_step}")

    def test_has_the_id_of_the_request_where_anthropics_sdk_reads_it(
        self, aws: Aws, monkeypatch: pytest.MonkeyPatch, error: TollgateError
    ) -> None:
        monkeypatch.setattr(Authenticator, "authenticate", raising(error))
        _, body, headers = call("GET", "/api/v1/user/me", "tg_live_x", headers=ANTHROPIC)
        assert body["request_id"] == headers["x-request-id"]
        assert body["error"]["docsUrl"] == f"{BASE_URL}/docs/errors#{error.code}"
        assert "requestId" not in body["error"]

    def test_has_a_number_for_openrouters_sdks(
        self, aws: Aws, monkeypatch: pytest.MonkeyPatch, error: TollgateError
    ) -> None:
        monkeypatch.setattr(Authenticator, "authenticate", raising(error))
        _, body, _ = call("GET", "/api/v1/credits", "tg_live_x", headers=OPENROUTER)
        assert body["error"]["code"] == error.status
        assert body["error"]["metadata"] == {"code": error.code}


class TestOtherErrors:
    @pytest.mark.parametrize(("method", "path"), [("GET", "/api/v1/nowhere"), ("PUT", "/api/v1/keys")])
    def test_of_the_router_have_both(self, aws: Aws, method: str, path: str) -> None:
        _, body, headers = call(method, path)
        assert body["error"]["docsUrl"] == f"{BASE_URL}/docs/errors#{body['error']['code']}"
        assert body["error"]["requestId"] == headers["x-request-id"]

    def test_of_ours_have_both(self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tollgate.tasks.repository.TaskRepository.get", lambda *_: 1 / 0)
        _, body, headers = call("GET", ROUTES[-1][1], customer.api_key)
        assert body["error"]["docsUrl"] == f"{BASE_URL}/docs/errors#internal_error"
        assert body["error"]["requestId"] == headers["x-request-id"]

    def test_of_an_image_that_another_function_creates_have_both(self, customer: OpenedAccount) -> None:
        status, body, headers = call("POST", "/api/v1/images/generations", customer.api_key, {"model": "x"})
        assert (status, body["error"]["code"]) == (400, "invalid_input")
        assert body["error"]["docsUrl"] == f"{BASE_URL}/docs/errors#invalid_input"
        assert body["error"]["requestId"] == headers["x-request-id"]


class TestAddress:
    def test_of_a_domain_has_no_stage(self) -> None:
        context = {**EVENT["requestContext"], "domainName": "api.example.com", "path": "/api/v1/keys"}
        assert adapted_url(json.dumps(context)) == "https://api.example.com"

    def test_behind_the_adapter_is_the_gateways(self) -> None:
        assert adapted_url(json.dumps(EVENT["requestContext"])) == BASE_URL

    @pytest.mark.parametrize("context", [None, "", '{"identity": {"sourceIp": "203.0.113.7"}}'])
    def test_without_a_gateway_is_relative(self, context: str | None) -> None:
        assert adapted_url(context) == ""
