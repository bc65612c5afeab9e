"""Forms with files as API Gateway hands them over: in base64, by `BinaryMediaTypes` of the template."""

import base64
from copy import deepcopy
from typing import Any

import httpx
import pytest

from tests.conftest import Aws
from tests.functional.test_api import CONTEXT, EVENT, handler_of
from tests.functional.test_run_task import ledger_of, task_of
from tests.support.overrides import STORAGE_URL
from tests.unit.artifacts.test_store import png
from tollgate.accounts.service import OpenedAccount


def post_form(
    key: str, path: str, fields: dict[str, str], files: Any, *, is_base64: bool = True
) -> tuple[int, Any]:
    """Send a form through the gateway; give status and parsed body."""
    sent = httpx.Request("POST", f"https://tollgate.test{path}", data=fields, files=files)
    headers = {"content-type": sent.headers["content-type"], "authorization": f"Bearer {key}"}
    event = deepcopy(EVENT) | {
        "httpMethod": "POST",
        "path": path,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "body": base64.b64encode(sent.read()).decode() if is_base64 else sent.read().decode("latin-1"),
        "isBase64Encoded": is_base64,
    }
    answer = handler_of(path)(event, CONTEXT)
    return answer["statusCode"], httpx.Response(200, content=answer["body"]).json()


VIDEO = {"model": "kling-3.0", "prompt": "waves", "seconds": "5"}


class TestForms:
    def test_a_file_comes_through_byte_for_byte(self, aws: Aws, customer: OpenedAccount) -> None:
        files = {"input_reference": ("start.png", png(), "image/png")}
        status, video = post_form(customer.api_key, "/api/v1/videos", VIDEO, files)
        assert status == 200, video
        (name,) = task_of(video["id"]).values["imageUrls"]
        stored = aws.clients.s3.get_object(
            Bucket=aws.stack.refs["MediaBucket"], Key=name.removeprefix(f"{STORAGE_URL}/")
        )
        assert stored["Body"].read() == png()

    @pytest.mark.parametrize("name", ["start.png", "start", "start.txt"])
    def test_its_type_is_that_of_its_bytes(self, aws: Aws, customer: OpenedAccount, name: str) -> None:
        files = {"input_reference": (name, png(), "application/octet-stream")}
        assert post_form(customer.api_key, "/api/v1/videos", VIDEO, files)[0] == 200

    def test_bytes_that_a_gateway_spoiled_are_refused(self, aws: Aws, customer: OpenedAccount) -> None:
        """Without `BinaryMediaTypes` it hands over text."""
        files = {"input_reference": ("start.png", png(), "image/png")}
        status, answer = post_form(customer.api_key, "/api/v1/videos", VIDEO, files, is_base64=False)
        assert (status, [each["path"] for each in answer["error"]["details"]]) == (
            400,
            ["/input_reference/0"],
        )
        assert ledger_of(customer) == []

    @pytest.mark.parametrize("declared", ["image/png", "text/html"])
    def test_a_file_that_is_no_image_is_called_a_file(self, customer: OpenedAccount, declared: str) -> None:
        files = {"image": ("start.png", b"<html>", declared)}
        fields = {"model": "seedream-4.5", "prompt": "at night"}
        status, answer = post_form(customer.api_key, "/api/v1/images/edits", fields, files)
        (problem,) = answer["error"]["details"]
        assert (status, problem["path"]) == (400, "/image/0")
        assert problem["message"].startswith(("A file ", "The file "))

    @pytest.mark.parametrize(
        ("wishes", "path"),
        [
            ('{"only": ["nobody"]}', "/provider/only"),
            ("fal", "/provider"),
            # No provider of this model is known to keep nothing.
            ('{"zdr": true}', "/provider/zdr"),
        ],
    )
    def test_routing_wishes_are_refused_by_name(
        self, customer: OpenedAccount, wishes: str, path: str
    ) -> None:
        files = {"input_reference": ("start.png", png(), "image/png")}
        status, answer = post_form(customer.api_key, "/api/v1/videos", {**VIDEO, "provider": wishes}, files)
        assert status == 400, answer
        assert answer["error"]["details"][0]["path"].startswith(path)
        assert ledger_of(customer) == []
