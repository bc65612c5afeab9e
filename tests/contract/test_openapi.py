"""The OpenAPI document against the template, the error classes and the service that it describes."""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from openapi_schema_validator._dialects import OAS31_BASE_DIALECT_METASCHEMA as DIALECT
from openapi_schema_validator._specifications import REGISTRY as SPECIFICATIONS
from openapi_spec_validator import validate
from openapi_spec_validator.validation.keywords import OpenAPIV31SchemaValidator
from starlette.routing import Route

from local.template import Template
from tests.conftest import Aws
from tests.functional.test_api import CONTEXT, EVENT, call
from tollgate.accounts.scopes import Scope
from tollgate.catalog.loader import Catalog, read_yaml
from tollgate.composition import api as api_parts
from tollgate.kit.errors import TollgateError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.ledger.caps import CapPeriod
from tollgate.providers.runtime.registry import MappingNames
from tollgate.reference import HERE
from tollgate.reference.document import _by_status, openapi
from tollgate.reference.errors import errors
from tollgate.tasks.models import MAX_METADATA_KEYS
from tollgate.tasks.request import FIELDS, MAX_COST_CENTS, parse_request

CATALOG = Catalog.shipped().with_live(frozenset(MappingNames()) | {"anthropic", "deepseek"}, MappingNames())
NOT_FOR_CUSTOMERS = re.compile(
    r"/|/(admin|dashboard|models|status).*|/(clients|docs|previews)/.*|/(terms|privacy|contact|openapi\.json|favicon\.ico|robots\.txt|sitemap\.xml)|"
    r"/\.well-known/.*|/mcp|/oauth/.*|/scim/.*|/api/v1/(callbacks|payments|v1|v2)/.*|/api/(?!v1/).*"
)
"""Routes of pages, images and packages, of another protocol, and second paths of a route."""
UNREACHABLE = {"not_found", "method_not_allowed", "payment_unavailable", "invalid_signature", "request_ended"}
"""Errors of paths and methods that are not in the document, and one that is only an event of a stream."""
MAX_BYTES = 576 * 1024


@cache
def document() -> dict[str, Any]:
    return openapi(CATALOG)


def schemas() -> dict[str, Any]:
    """Return the document's schemas."""
    found: dict[str, Any] = document()["components"]["schemas"]
    return found


def paths() -> dict[str, Any]:
    """Return the document's paths, with what is on each."""
    found: dict[str, Any] = document()["paths"]
    return found


def routes() -> set[tuple[str, str]]:
    """Return each method and path of the document."""
    return {(method.upper(), path) for path, on in paths().items() for method in on}


def _unnamed(path: str) -> str:
    """Return a path without the names of its parameters, which differ in the code and in the document."""
    return re.sub(r"\{\w+\}", "{}", path)


def _keywords(value: Any) -> Iterator[str]:
    """Return every key below a schema."""
    if isinstance(value, list):
        for one in value:
            yield from _keywords(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            # An example may say anything.
            if name not in ("examples", "default"):
                yield name
                yield from _keywords(one)


def get(path: str, headers: dict[str, str] | None = None, method: str = "GET") -> Any:
    """Return the handler's own answer."""
    from api.app import handler  # noqa: PLC0415 - it takes this thread's loop

    sent = headers or {}
    return handler(
        EVENT | {"httpMethod": method, "path": path, "headers": sent, "multiValueHeaders": {}}, CONTEXT
    )


class TestDocument:
    def test_it_is_valid_openapi(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # The library checks each schema in Python, which takes seconds.
        dialect = Draft202012Validator(DIALECT, retriever=SPECIFICATIONS.contents, validate_formats=True)
        monkeypatch.setattr(OpenAPIV31SchemaValidator, "_get_schema_checker", lambda *_: dialect.validate)
        validate(document())
        assert document()["openapi"] == "3.1.0"
        assert document()["info"]["version"] == "1.0"
        # As the file LICENSE.
        assert document()["info"]["license"] == {"name": "MIT", "identifier": "MIT"}

    def test_it_has_every_route_for_customers_and_no_other(self, template: Template) -> None:
        deployed = {
            (method, path)
            for method, path in template.routes()
            if not NOT_FOR_CUSTOMERS.fullmatch(path) and method not in ("HEAD", "OPTIONS")
        }
        assert deployed - routes() == set(), "describe it in shared/tollgate/reference/operations.yaml"
        assert routes() - deployed == set(), "add an event to its function in template.yaml"

    def test_it_has_every_route_of_the_api_function_behind_a_proxy(self) -> None:
        from api.app import ROUTERS  # noqa: PLC0415 - it takes this thread's loop

        described = {(method, _unnamed(path)) for method, path in routes()}
        left = {
            (method, route.path)
            for router in ROUTERS
            for route in router.routes
            if isinstance(route, Route) and not NOT_FOR_CUSTOMERS.fullmatch(route.path)
            for method in route.methods or ()
            if (method, _unnamed(route.path)) not in described
        }
        assert left == set(), "describe it in shared/tollgate/reference/operations.yaml"

    def test_a_route_names_no_error_that_follows_from_its_lines(self) -> None:
        plain = read_yaml(HERE / "operations.yaml")["operations"]
        following = {
            route: {code for _, codes in _by_status({**source, "errors": []}) for code in codes}
            for route, source in plain.items()
        }
        named = {route: set(source.get("errors", [])) & following[route] for route, source in plain.items()}
        assert {route: codes for route, codes in named.items() if codes} == {}

    def test_every_error_stands_at_a_route(self) -> None:
        named = set()
        for path in paths().values():
            for operation in path.values():
                for response in operation["responses"].values():
                    named |= set(response.get("$ref", "").rpartition("/")[2].split("."))
        assert set(errors()) - UNREACHABLE == named - {"", "text"}

    def test_no_schema_has_a_word_that_is_none_of_json_schema_s(self) -> None:
        """A comma in a text without quotes makes a second word of what is behind it."""
        found = [
            schemas(),
            [one for on in paths().values() for each in on.values() for one in each.get("parameters", [])],
        ]
        assert [words for words in _keywords(found) if " " in words] == []

    def test_no_schema_is_there_twice(self) -> None:
        lines = (HERE / "schemas.yaml").read_text().splitlines()
        names = [line.partition(":")[0] for line in lines if re.match(r"[A-Za-z]\w*:", line)]
        assert sorted(names) == sorted(set(names))

    def test_an_error_says_its_status_and_the_codes_that_come_with_it(self) -> None:
        for code, error in errors().items():
            # No operation answers these: a path is asked for by its methods, text has its own body, and 499
            # is only an event of a stream.
            if error.status in (405, 499, 524):
                continue
            body = schemas()[f"Error{error.status}"]["properties"]
            assert body["code"]["const"] == error.status
            assert code in body["error"]["properties"]["code"]["enum"]

    def test_an_error_stands_at_its_own_status(self) -> None:
        for path in paths().values():
            for operation in path.values():
                for status, response in operation["responses"].items():
                    codes = set(response.get("$ref", "").rpartition("/")[2].split(".")) & set(errors())
                    assert {str(errors()[code].status) for code in codes} <= {status}

    def test_each_example_is_of_its_schema(self) -> None:
        components = {"components": {"schemas": schemas()}}
        shown = 0
        for path in paths().values():
            for operation in path.values():
                body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
                if "example" in body:
                    Draft202012Validator({**body["schema"], **components}).validate(body["example"])
                    shown += 1
        assert shown == 21

    def test_no_two_operations_share_an_id(self) -> None:
        ids = [one["operationId"] for path in paths().values() for one in path.values()]
        assert len(ids) == len(set(ids))

    def test_open_routes_are_those_of_the_contract(self) -> None:
        is_open = {path for path, on in paths().items() for one in on.values() if not one["security"]}
        # The catalog and cost endpoints (site/keys.md), and this reference.
        assert {path.split("/")[3] for path in is_open if path.startswith("/api/")} == {
            "catalog", "cost", "openapi.json", "version",
        }  # fmt: skip
        assert {path for path in is_open if not path.startswith("/api/")} == {"/docs", "/llms.txt"}


class TestWords:
    @pytest.mark.parametrize(
        ("path", "words"),
        [
            (("Scopes", "items"), Scope),
            (("SpendingCap", "properties", "per"), CapPeriod),
        ],
    )
    def test_they_are_those_of_the_code(self, path: tuple[str, ...], words: type[StrEnum]) -> None:
        found: Any = schemas()
        for step in path:
            found = found[step]
        assert set(found["enum"]) == set(words)

    def test_the_bounds_of_a_create_are_those_of_the_code(self) -> None:
        assert schemas()["Metadata"]["maxProperties"] == MAX_METADATA_KEYS
        assert schemas()["MaxCostCents"]["maximum"] == MAX_COST_CENTS
        assert set(schemas()["Generation.test-image"]["properties"]) == set(FIELDS)


class TestOrders:
    def test_there_is_one_for_each_media_model(self) -> None:
        ids = {model.id for model in CATALOG.media_models()}
        assert set(schemas()["Generation"]["discriminator"]["mapping"]) == ids

    @pytest.mark.parametrize("model_id", [model.id for model in CATALOG.media_models()])
    def test_its_example_keeps_to_the_document_and_is_taken(self, model_id: str) -> None:
        order = schemas()[f"Generation.{model_id}"]
        (example,) = order["examples"]
        Draft202012Validator({**order, "components": {"schemas": schemas()}}).validate(example)
        assert parse_request(example, CATALOG, AddressGuard()).model.id == model_id

    def test_what_the_service_refuses_the_document_refuses(self) -> None:
        order = {**schemas()["Generation.test-image"], "components": {"schemas": schemas()}}
        good = {"model": "test-image", "input": {"prompt": "a fox", "size": "1:1"}}
        for bad in (
            {**good, "input": {"prompt": "a fox", "size": "16:10"}},
            {**good, "input": {"size": "1:1"}},
            {**good, "other": 1},
            {"model": "test-image"},
        ):
            assert not Draft202012Validator(order).is_valid(bad)
            with pytest.raises(TollgateError):
                parse_request(bad, CATALOG, AddressGuard())
        assert Draft202012Validator(order).is_valid(good)

    def test_text_examples_name_a_model_of_the_protocol(self) -> None:
        for name in ("ChatRequest", "MessagesRequest", "CountRequest", "ResponsesRequest"):
            schema = {**schemas()[name], "components": {"schemas": schemas()}}
            Draft202012Validator(schema).validate(schemas()[name]["examples"][0])


@pytest.mark.usefixtures("aws")
class TestServed:
    def test_it_needs_no_key_and_is_not_sent_twice(self) -> None:
        status, body, headers = call("GET", "/api/v1/openapi.json")
        assert (status, body["info"]["title"]) == (200, "Tollgate")
        assert headers["content-type"] == "application/json"
        again = get("/api/v1/openapi.json", {"if-none-match": headers["etag"]})
        assert (again["statusCode"], again["body"]) == (304, "")

    def test_it_is_also_where_tools_look_for_it(self, aws: Aws) -> None:
        there, here = get("/openapi.json"), get("/api/v1/openapi.json")
        assert (there["statusCode"], there["body"]) == (200, here["body"])

    @pytest.mark.parametrize("path", ["/api/v1/openapi.json", "/api/v1/catalog", "/llms.txt", "/nothing"])
    def test_its_head_is_that_of_get(self, path: str) -> None:
        whole, head = get(path), get(path, method="HEAD")
        assert (head["statusCode"], head["body"]) == (whole["statusCode"], "")
        assert head["headers"].get("content-length") == whole["headers"].get("content-length")
        assert head["headers"].get("etag") == whole["headers"].get("etag")

    def test_its_size_is_bounded(self, aws: Aws) -> None:
        assert len(get("/api/v1/openapi.json")["body"]) < MAX_BYTES

    def test_the_text_names_every_route_and_model(self) -> None:
        answer = get("/llms.txt")
        assert answer["headers"]["content-type"].startswith("text/plain")
        for method, path in routes():
            assert f"- `{method} {path}`: " in answer["body"]
        for model in api_parts.api().catalog.current.all_models():
            assert f"- [{model.id}](" in answer["body"] or f"- {model.id}: " in answer["body"]
        assert answer["body"].startswith("# Tollgate\n\n> ")
        assert "&" not in answer["body"].replace(" & ", "")

    def test_the_document_is_made_once(self) -> None:
        assert api_parts.api().reference is api_parts.api().reference
        url = "https://api.example"
        assert api_parts.api().reference.openapi(url) is api_parts.api().reference.openapi(url)

    def test_its_server_is_the_address_that_it_was_asked_at(self) -> None:
        # Not `Host`, which is the caller's word.
        answer = get("/api/v1/openapi.json", {"Host": "evil.example"})
        domain = EVENT["requestContext"]["domainName"]
        (server,) = json.loads(answer["body"])["servers"]
        assert server["url"].startswith(f"https://{domain}")
