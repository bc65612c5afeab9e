"""Every parameter of the OpenAPI document, with long, odd and broken values: no answer is a fault of ours."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.conftest import Aws
from tests.functional.test_api import call
from tests.support.laws import PART
from tollgate.catalog.loader import Catalog
from tollgate.composition import api as api_parts
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.money import micro_usd_of_cents
from tollgate.reference.document import openapi

DOCUMENT = openapi(Catalog.shipped())
NOT_HERE = "/api/v1/callbacks/{provider}/{token}"
"""For providers, so it is in no document for customers."""
TEXT = ("/api/v1/chat", "/api/v1/messages", "/api/v1/models", "/api/v1/responses")
"""Of another function, whose tests ask it."""
PAGES = ("/docs", "/llms.txt")
MAX_KEY_BYTES = 2048
"""Of a partition key in DynamoDB, which refuses to look for a longer one."""
MAX_ANSWER_BYTES = 64 * 1024
OK, SERVER_ERROR = 200, 500
VALUES = [
    "x" * 2049,
    "x" * 9_000,
    "task_" + "0" * 5_000,
    "9" * 5_000,
    "task_01JD0000000000000000000000x",
    "TASK_01JD0000000000000000000000",
    "task_",
    "_",
    "-1",
    "+1",
    "1_0",
    "0x10",
    "1e9",
    "NaN",
    "null",
    "none",
    "\u0661",
    " ",
    "\t",
    "a\nb",
    "\n",
    "a\x00b",
    "\ufffd",
    "é" * 1_100,
    "😀",
    "\u202e",
    "..",
    "%",
    "%2e%2e%2f",
    "a/b",
    "a,b",
    "," * 200,
    "task_01JD0000000000000000000000," * 120,
    "'; DROP TABLE tasks; --",
    "<script>alert(1)</script>",
    "{}",
    "2026-13-45",
    "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00+23:59",
    "Kg==",
    "====",
]
FOR_HEADERS = [value for value in VALUES if value.isascii() and value.isprintable()] + ["é", "\xff" * 300]


def parameters() -> Iterator[tuple[str, str, str, str]]:
    """Return method, path, place and name of each parameter, those of text apart."""
    yield "POST", NOT_HERE, "path", "provider"
    yield "POST", NOT_HERE, "path", "token"
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            if path in PAGES or path.startswith(TEXT):
                continue
            for parameter in operation.get("parameters", []):
                found = parameter
                if "$ref" in found:
                    found = DOCUMENT["components"]["parameters"][found["$ref"].rpartition("/")[2]]
                yield method.upper(), path, found["in"], found["name"]


def asked(path: str, place: str, name: str, value: str) -> tuple[str, dict[str, str]]:
    """Return the path with its query, and the headers, of a request with this value in this parameter."""
    filled = path.replace(f"{{{name}}}", quote(value, safe="")) if place == "path" else path
    for other in ("provider", "token", "taskId", "id", "model", "deliveryId"):
        filled = filled.replace(f"{{{other}}}", f"{other}_1")
    query = "?" + urlencode({name.replace("<key>", "x"): value}) if place == "query" else ""
    return filled + query, {name.lower(): value} if place == "header" else {}


@pytest.fixture
def strict(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the database refuse keys as DynamoDB does; moto takes any."""
    get, get_all = Database.get, Database.get_all

    def check(key: dict[str, Any]) -> None:
        for value in key.values():
            assert 0 < len(str(value).encode()) <= MAX_KEY_BYTES, "a key that DynamoDB refuses"

    def strict_get(self: Database, table: str, key: dict[str, Any]) -> Any:
        check(key)
        return get(self, table, key)

    def strict_get_all(self: Database, table: str, keys: list[dict[str, Any]]) -> Any:
        for key in keys:
            check(key)
        return get_all(self, table, keys)

    monkeypatch.setattr(Database, "get", strict_get)
    monkeypatch.setattr(Database, "get_all", strict_get_all)


@pytest.mark.usefixtures("strict")
def test_each_is_answered_in_the_contracts_words() -> None:
    key = api_parts.api().accounts.open(micro_usd_of_cents(100)).api_key
    for number, (method, path, place, name) in enumerate(parameters()):
        body = {"model": "test-image", "input": {"prompt": "a fox"}} if method == "POST" else None
        values = FOR_HEADERS if place == "header" else VALUES
        # Each parameter gets a part of the values, and each value goes to that part of the parameters.
        for value in values[number % PART :: PART]:
            target, headers = asked(path, place, name, value)
            where = f"{method} {path} {name}={value[:40]!r}"
            status, answer, sent = call(method, target, key, body, headers)
            assert status < SERVER_ERROR, (where, answer)
            if status != OK:
                assert sent["content-type"] == "application/json", where
                assert len(str(answer)) < MAX_ANSWER_BYTES, where
