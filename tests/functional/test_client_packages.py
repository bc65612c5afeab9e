"""`/clients/{file}` of `functions/get_status`: the packages of our clients, in responses for the gateway."""

import base64
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from get_status.app import app, handler
from local.machine.events import Context
from tests.conftest import Aws
from tests.functional.test_get_status import EVENT
from tollgate.composition import parts
from tollgate.kit.version import VERSION
from tollgate.reference import clients

WHEEL = f"tollgate_client-{VERSION}-py3-none-any.whl"
CONTENT = b"PK\x03\x04 not UTF-8: \xff\xfe\x00"
"""Bytes that text would lose."""
GATEWAY = "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com"


@pytest.fixture(autouse=True)
def packages(aws: Aws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one package in the folder."""
    (tmp_path / WHEEL).write_bytes(CONTENT)
    monkeypatch.setattr(clients, "FOLDER", tmp_path)
    clients.packages.cache_clear()


def call(method: str, file: str, **headers: str) -> dict[str, Any]:
    """Return the function's answer for a file of a client."""
    return call_path(method, f"/clients/{file}", **headers)


def call_path(method: str, path: str, **headers: str) -> dict[str, Any]:
    """Return the function's own answer to the gateway, its headers by their names in lower case."""
    event = deepcopy(EVENT)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    event |= {
        "httpMethod": method,
        "path": path,
        "headers": sent,
        "multiValueHeaders": {name: [value] for name, value in sent.items()},
    }
    event["requestContext"]["path"] = f"/live{path}"
    answer: dict[str, Any] = handler(event, Context("GetStatusFunction"))  # type: ignore[arg-type]
    return answer


class TestPackages:
    def test_its_bytes_arrive_in_base64(self) -> None:
        answer = call("GET", WHEEL)
        assert (answer["statusCode"], answer["isBase64Encoded"]) == (200, True)
        assert base64.b64decode(answer["body"]) == CONTENT
        assert answer["headers"]["content-type"] == "application/octet-stream"

    def test_a_cache_has_to_ask_and_is_not_sent_the_same_bytes_again(self, tmp_path: Path) -> None:
        first = call("GET", WHEEL)["headers"]
        assert first["cache-control"] == "no-cache"
        again = call("GET", WHEEL, if_none_match=first["etag"])
        assert (again["statusCode"], again["body"]) == (304, "")
        (tmp_path / WHEEL).write_bytes(CONTENT + b"!")
        clients.packages.cache_clear()
        assert call("GET", WHEEL, if_none_match=first["etag"])["statusCode"] == 200

    def test_head_has_the_size_and_no_body(self) -> None:
        answer = call("HEAD", WHEEL)
        assert (answer["statusCode"], answer["body"]) == (200, "")
        assert answer["headers"]["content-length"] == str(len(CONTENT))
        assert answer["headers"]["etag"] == call("GET", WHEEL)["headers"]["etag"]

    @pytest.mark.parametrize(
        "file",
        ["tollgate_client-0.0.1-py3-none-any.whl", "..", ".gitignore", "clients.py", "tollgate-client"],
    )
    def test_another_name_is_an_error_in_the_contracts_format(self, file: str) -> None:
        answer = call("GET", file)
        assert answer["statusCode"] == 404
        error = json.loads(answer["body"])["error"]
        assert (error["code"], error["type"]) == ("not_found", "NotFound")
        assert file in error["message"]
        assert (call("HEAD", file)["statusCode"], call("HEAD", file)["body"]) == (404, "")

    def test_another_method_is_an_error_too(self) -> None:
        answer = call("POST", WHEEL)
        assert (answer["statusCode"], answer["headers"]["allow"]) == (405, "GET")


class TestRequirementsFiles:
    @pytest.mark.parametrize(
        ("file", "wheel"),
        [
            ("tollgate-client.txt", WHEEL),
            ("tollgate-mcp.txt", f"tollgate_mcp-{VERSION}-py3-none-any.whl"),
        ],
    )
    def test_it_has_the_address_of_the_wheel_by_which_the_gateway_is_called(
        self, file: str, wheel: str
    ) -> None:
        answer = call("GET", file, host="evil.example", x_forwarded_host="evil.example")
        assert answer["body"] == f"https://{GATEWAY}/live/clients/{wheel}\n"
        assert answer["headers"]["content-type"] == "text/plain; charset=utf-8"

    def test_behind_the_web_adapter_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_LAMBDA_EXEC_WRAPPER", "/opt/bootstrap")
        parts.forget()
        context = {"domainName": "api.example.com", "path": "/clients/tollgate-client.txt"}
        sent = {"host": "evil.example", "x-amzn-request-context": json.dumps(context)}
        found = TestClient(app).get("/clients/tollgate-client.txt", headers=sent)
        assert found.text == f"https://api.example.com/clients/{WHEEL}\n"
