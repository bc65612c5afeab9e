"""The API as the gateway serves it: the contract's routes, and its errors where the gateway answers alone."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from local.machine.server import TEXT_PATHS, WAITING_PATHS
from local.template import Template
from tollgate.kit.errors import TYPES
from tollgate.reference import HERE
from tollgate.reference.errors import errors

TEXT = {
    ("POST", "/api/v1/chat/completions"),
    ("POST", "/api/v1/completions"),
    ("POST", "/api/v1/messages"),
    ("POST", "/api/v1/messages/count_tokens"),
    ("POST", "/api/v1/responses"),
    ("POST", "/api/v1/responses/compact"),
    ("POST", "/api/v1/responses/input_tokens"),
    ("POST", "/api/v1/embeddings"),
    ("POST", "/api/v1/rerank"),
    ("POST", "/api/v1/moderations"),
    *(("POST", f"/api/v1/audio/{name}") for name in ("speech", "transcriptions", "translations")),
    ("GET", "/api/v1/responses/{id}"),
    ("DELETE", "/api/v1/responses/{id}"),
    ("GET", "/api/v1/responses/{id}/input_items"),
    ("POST", "/api/v1/responses/{id}/cancel"),
    ("POST", "/api/v1/conversations"),
    *((method, "/api/v1/conversations/{id}") for method in ("GET", "POST", "DELETE")),
    *((method, "/api/v1/conversations/{id}/items") for method in ("GET", "POST")),
    *((method, "/api/v1/conversations/{id}/items/{itemId}") for method in ("GET", "DELETE")),
    *(
        (method, path)
        for method in ("GET", "POST")
        for path in ("/api/v1/batches", "/api/v1/messages/batches")
    ),
    ("GET", "/api/v1/batches/{id}"),
    *((method, "/api/v1/messages/batches/{id}") for method in ("GET", "DELETE")),
    ("GET", "/api/v1/messages/batches/{id}/results"),
    *(("POST", f"/api/v1/{name}/{{id}}/cancel") for name in ("batches", "messages/batches")),
    ("GET", "/api/v1/models"),
    ("GET", "/api/v1/models/{id}"),
    ("GET", "/api/v1/models/{id}/endpoints"),
    ("GET", "/api/v1/models/{id}/{slug}/endpoints"),
}

OF_OTHERS = {("POST", "/api/v1/callbacks/{provider}/{token}"), ("POST", "/api/v1/payments/stripe")}
"""What providers and Stripe call."""
DESCRIBED = yaml.safe_load((HERE / "operations.yaml").read_text())["operations"]
LINKED = {("HEAD", path) for path in ("/api/v1/catalog", "/api/v1/openapi.json", "/llms.txt")}
"""Documents to which pages link, so link checkers ask for their heads."""
ROOT_OPENAPI = {("GET", "/openapi.json")}
"""A second path of the document, where tools look for it."""
ROUTES = {tuple(route.split(" ")) for route in DESCRIBED} - TEXT - {("GET", "/docs")}
ROUTES |= OF_OTHERS | LINKED | ROOT_OPENAPI
"""What is described for customers, and no route besides."""

WAITING = {
    ("GET", "/api/v1/task/status/{taskId}"),
    ("GET", "/api/v1/task/stream/{taskId}"),
    ("GET", "/api/v1/workflow/stream/{id}"),
    ("POST", "/api/v1/images/generations"),
    ("POST", "/api/v1/images/edits"),
}

BUILT_FILES = {
    (method, path) for method in ("GET", "HEAD") for path in ("/clients/{file}", "/previews/{file}")
}
"""The packages of our clients, and the images of link previews."""

V1_TWICE = "/api/v1/v1/{proxy+}"
TEXT_OF_OTHER_BASES = {
    ("POST", "/api/chat/completions"),
    ("POST", "/api/completions"),
    ("POST", "/api/messages"),
    ("POST", "/api/messages/count_tokens"),
    ("POST", "/api/responses"),
    ("POST", "/api/embeddings"),
    ("POST", "/api/rerank"),
    ("POST", "/api/v2/rerank"),
    ("POST", "/api/v1/v2/rerank"),
    ("POST", "/api/moderations"),
    ("POST", "/api/audio/{proxy+}"),
    ("POST", "/api/responses/{proxy+}"),
    ("GET", "/api/responses/{proxy+}"),
    ("DELETE", "/api/responses/{proxy+}"),
    ("POST", "/api/conversations"),
    *((method, "/api/conversations/{proxy+}") for method in ("POST", "GET", "DELETE")),
    ("GET", "/api/models"),
    ("GET", "/api/models/{id}"),
    ("POST", V1_TWICE),
    ("GET", V1_TWICE),
    ("DELETE", V1_TWICE),
}
"""The same where a client joins its base URL in another way."""

DASHBOARD = {
    *(
        (method, path)
        for path in ("/", "/docs", "/docs/{proxy+}", "/models/{proxy+}", "/status")
        for method in ("GET", "HEAD", "OPTIONS")
    ),
    *((method, path) for path in ("/dashboard", "/models") for method in ("GET", "OPTIONS")),
    *((method, "/dashboard/{proxy+}") for method in ("GET", "HEAD", "POST", "OPTIONS")),
}

PUBLIC_FILES = {
    (method, path)
    for method in ("GET", "HEAD")
    for path in (
        *("/robots.txt", "/sitemap.xml", "/favicon.ico", "/.well-known/security.txt"),
        "/.well-known/tollgate-ledger-key.json",
        *("/terms", "/privacy", "/contact"),
    )
}
"""Files without cookies, so pages of any origin may read them."""

ADMIN = {
    *((method, "/admin") for method in ("GET", "OPTIONS")),
    *((method, "/admin/{proxy+}") for method in ("GET", "POST", "OPTIONS")),
}

MCP = {("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp")}
OAUTH = {("GET", "/.well-known/{proxy+}"), ("POST", "/oauth/{proxy+}")}
SCIM = {(method, "/scim/v2/{proxy+}") for method in ("GET", "POST", "PUT", "PATCH", "DELETE")}

GATEWAY_ONLY = {("rate_limited", 429, "TooManyRequests")}
"""Errors (code, status, type) that no code of ours raises (site/errors.md)."""

DOCS = "https://tollgate.test/docs/errors"


class TestRoutes:
    def test_they_are_explicit(self, template: Template) -> None:
        programs = ROUTES | TEXT | TEXT_OF_OTHER_BASES | BUILT_FILES | MCP | OAUTH | SCIM
        known = programs | DASHBOARD | PUBLIC_FILES | ADMIN
        assert known - template.routes() == set(), "add an event to its function in template.yaml"
        assert template.routes() - known == set(), "describe it in operations.yaml, or add it above"

    def test_on_one_machine_the_same_function_answers_text(self) -> None:
        for _, path in TEXT | {route for route in TEXT_OF_OTHER_BASES if route[1] != V1_TWICE}:
            assert path.startswith(TEXT_PATHS), path
        assert f"{V1_TWICE.removesuffix('{proxy+}')}messages".startswith(TEXT_PATHS)
        assert not [path for _, path in ROUTES | MCP if path.startswith(TEXT_PATHS)]

    def test_forms_with_files_reach_a_function_as_bytes(self, template: Template) -> None:
        assert template.openapi()["x-amazon-apigateway-binary-media-types"] == ["multipart/form-data"]

    def test_the_endpoint_is_regional(self, template: Template) -> None:
        api = template.of_type("AWS::ApiGateway::RestApi")["Api"]
        assert api["EndpointConfiguration"] == {"Types": ["REGIONAL"]}

    def test_there_is_one_stage_and_it_is_the_one_in_the_base_url(self, template: Template) -> None:
        (stage,) = template.of_type("AWS::ApiGateway::Stage").values()
        base_url = template.source["Outputs"]["BaseUrl"]["Value"]
        assert stage["StageName"] == "live"
        assert base_url == {
            "Fn::If": [
                "HasDomain",
                {"Fn::Sub": "https://${DomainName}"},
                {"Fn::Sub": "https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}/live"},
            ]
        }

    def test_on_one_machine_the_same_function_waits(self) -> None:
        for _, path in WAITING | BUILT_FILES:
            assert path.startswith(WAITING_PATHS), path
        assert not [path for _, path in (ROUTES | MCP | TEXT) - WAITING if path.startswith(WAITING_PATHS)]

    def test_text_what_is_waited_for_and_packages_are_streamed_and_no_other(self, template: Template) -> None:
        text = TEXT | TEXT_OF_OTHER_BASES
        for method, path in (ROUTES | BUILT_FILES | text) & template.routes():
            on = template.openapi()["paths"][path][method.lower()]["x-amazon-apigateway-integration"]
            streamed = (method, path) in text | WAITING | BUILT_FILES
            # Any other word than RESPONSE_STREAM in the template would quietly give the buffered address.
            address = "response-streaming-invocations" if streamed else "/invocations"
            assert on["uri"]["Fn::Sub"].endswith(address)
            assert on.get("responseTransferMode") == ("STREAM" if streamed else None)

    def test_what_is_waited_for_may_take_as_long_as_its_function(self, template: Template) -> None:
        timeout_s = template.functions()["GetStatusFunction"]["Timeout"]
        for method, path in WAITING:
            on = template.openapi()["paths"][path][method.lower()]["x-amazon-apigateway-integration"]
            assert on["timeoutInMillis"] == timeout_s * 1000


class TestCrossOrigin:
    """By the Fetch standard: https://fetch.spec.whatwg.org/#http-cors-protocol."""

    def test_the_gateway_answers_preflights_of_every_path_but_the_dashboard_s(
        self, template: Template
    ) -> None:
        preflights = template.preflights()
        known = ROUTES | TEXT | TEXT_OF_OTHER_BASES | MCP | OAUTH | SCIM | PUBLIC_FILES | BUILT_FILES
        routes = known & template.routes()
        assert set(preflights) == {path for _, path in routes}
        for method, path in routes:
            headers = preflights[path]
            assert method in headers["access-control-allow-methods"].strip("'").split(",")
            # A wildcard stands for every header but this one.
            assert headers["access-control-allow-headers"] == "'*,Authorization'"
            assert headers["access-control-allow-origin"] == {"Fn::Sub": "'${AllowedOrigin}'"}

    def test_no_answer_lets_a_page_send_cookies(self, template: Template) -> None:
        for headers in (*template.preflights().values(), *map(_parameters, _responses(template).values())):
            assert not [name for name in headers if "credentials" in name.lower()]

    def test_what_the_gateway_answers_by_itself_can_be_read_by_a_page(self, template: Template) -> None:
        for response in _responses(template).values():
            parameters = response["responseParameters"]
            named = parameters["gatewayresponse.header.Access-Control-Allow-Origin"]
            assert named == {"Fn::Sub": "'${AllowedOrigin}'"}

    @pytest.mark.parametrize(
        ("origin", "taken"),
        [
            ("*", True),
            ("https://shop.example", True),
            ("http://localhost:3000", True),
            ("https://[::1]:3000", True),
            ("https://shop.example/", False),
            ("https://a.example,https://b.example", False),
            ("shop.example", False),
            ("https://*", False),
            ("", False),
        ],
    )
    def test_one_origin_or_all(self, template: Template, origin: str, taken: bool) -> None:
        pattern = template.source["Parameters"]["AllowedOrigin"]["AllowedPattern"]
        assert bool(re.fullmatch(pattern, origin)) is taken

    def test_each_function_is_told(self, template: Template) -> None:
        for function in ("ApiFunction", "GetStatusFunction", "TextFunction", "ServeMcpFunction"):
            assert template.variables(function)["ALLOWED_ORIGIN"] == {"Ref": "AllowedOrigin"}


class TestStage:
    def test_it_is_throttled(self, template: Template) -> None:
        (stage,) = template.of_type("AWS::ApiGateway::Stage").values()
        (settings,) = stage["MethodSettings"]
        assert settings["ThrottlingRateLimit"] == {"Ref": "RequestsPerSecond"}
        assert settings["ThrottlingBurstLimit"] == 2000

    def test_large_answers_are_compressed(self, template: Template) -> None:
        assert template.of_type("AWS::ApiGateway::RestApi")["Api"]["MinimumCompressionSize"] == 1024

    def test_execution_logs_which_hold_bodies_are_off(self, template: Template) -> None:
        (stage,) = template.of_type("AWS::ApiGateway::Stage").values()
        (settings,) = stage["MethodSettings"]
        assert (settings["LoggingLevel"], settings["DataTraceEnabled"]) == ("OFF", False)

    def test_the_access_log_is_json_without_query_or_headers(self, template: Template) -> None:
        (stage,) = template.of_type("AWS::ApiGateway::Stage").values()
        line = json.loads(stage["AccessLogSetting"]["Format"])
        assert set(line) == {
            *("requestId", "ip", "method", "route", "status", "latencyMs", "gatewayError"),
            *("transfer", "firstContentMs"),
        }
        assert not any("header" in value or "query" in value.lower() for value in line.values())


class TestGatewayResponses:
    def test_each_body_has_the_shape_of_the_contract(self, template: Template) -> None:
        for response, body in _answers(template):
            assert set(body) == {"code", "error"}
            assert set(body["error"]) == {"message", "type", "code", "docsUrl", "requestId"}
            assert str(body["code"]) == response["statusCode"]

    def test_each_code_is_one_of_ours_with_its_status_and_type(self, template: Template) -> None:
        known = {(error.code, error.status, TYPES[error.status]) for error in errors().values()}
        used = {
            (body["error"]["code"], body["code"], body["error"]["type"]) for _, body in _answers(template)
        }
        assert used <= known | GATEWAY_ONLY

    def test_each_names_its_docs_and_the_request(self, template: Template) -> None:
        for response, body in _answers(template):
            assert body["error"]["docsUrl"] == f"{DOCS}#{body['error']['code']}"
            parameters = response["responseParameters"]
            request_id = parameters["gatewayresponse.header.x-request-id"]
            assert body["error"]["requestId"] == f"${request_id}"

    def test_the_docs_are_at_the_domain_or_at_the_stage(self, template: Template) -> None:
        for response in _responses(template).values():
            _, variables = response["responseTemplates"]["application/json"]["Fn::Sub"]
            domain, stage = (
                "https://${DomainName}/docs/errors",
                "https://$context.domainName/$context.stage/docs/errors",
            )
            assert variables == {"Docs": {"Fn::If": ["HasDomain", {"Fn::Sub": domain}, stage]}}

    def test_a_browser_is_led_to_the_pages_at_the_domain_or_at_the_stage(self, template: Template) -> None:
        missing = _responses(template)["MISSING_AUTHENTICATION_TOKEN"]
        page, variables = missing["responseTemplates"]["text/html"]["Fn::Sub"]
        assert 'href="${Home}"' in page
        assert 'href="${Home}docs"' in page
        domain, stage = "https://${DomainName}/", "https://$context.domainName/$context.stage/"
        assert variables == {"Home": {"Fn::If": ["HasDomain", {"Fn::Sub": domain}, stage]}}

    def test_each_kind_of_refusal_has_the_status_a_client_expects(self, template: Template) -> None:
        assert {kind: int(each["statusCode"]) for kind, each in _responses(template).items()} == {
            "DEFAULT_4XX": 400,
            "DEFAULT_5XX": 500,
            "INTEGRATION_TIMEOUT": 500,
            "INTEGRATION_FAILURE": 503,
            "MISSING_AUTHENTICATION_TOKEN": 404,
            "INVALID_SIGNATURE": 404,
            "REQUEST_TOO_LARGE": 413,
            "THROTTLED": 429,
            "WAF_FILTERED": 429,
        }

    def test_each_answer_has_a_request_id(self, template: Template) -> None:
        for response in _responses(template).values():
            parameters = response["responseParameters"]
            assert parameters["gatewayresponse.header.x-request-id"] == "context.requestId"

    @pytest.mark.parametrize(
        # Lambda's own throttle comes as the second: https://repost.aws/knowledge-center/api-gateway-internal-server-error
        ("kind", "seconds"),
        [("THROTTLED", 1), ("INTEGRATION_FAILURE", 5), ("WAF_FILTERED", 60)],
    )
    def test_a_throttled_client_is_told_when_to_come_back(
        self, template: Template, kind: str, seconds: int
    ) -> None:
        parameters = _responses(template)[kind]["responseParameters"]
        assert parameters["gatewayresponse.header.Retry-After"] == f"'{seconds}'"


def _responses(template: Template) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = template.openapi()["x-amazon-apigateway-gateway-responses"]
    return found


def _parameters(response: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = response["responseParameters"]
    return found


def _answers(template: Template) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for response in _responses(template).values():
        text, _ = response["responseTemplates"]["application/json"]["Fn::Sub"]
        yield response, json.loads(text.replace("${Docs}", DOCS))
