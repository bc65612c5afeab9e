"""The official SDK makes images: `images.generate` on the running service."""

import base64
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import APIStatusError, BadRequestError, OpenAI

from local.template import ROOT
from tests.support.local_service import running_service
from tests.support.samples import PAID_IMAGE

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

PROMPT = "a lighthouse at dusk"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Return what `service.json` says of a running service."""
    with running_service(Path(tmp_path_factory.mktemp("local"))) as running:
        yield running


@pytest.fixture
def client(service: dict[str, Any]) -> Iterator[OpenAI]:
    """Return the SDK as its documentation sets it up."""
    with OpenAI(base_url=service["baseUrl"] + "/api/v1", api_key=service["apiKey"]) as made:
        yield made


def read(service: dict[str, Any], path: str) -> Any:
    """Return the `data` of a route."""
    headers = {"authorization": f"Bearer {service['apiKey']}"}
    return httpx.get(service["baseUrl"] + path, headers=headers).json()["data"]


def charges(service: dict[str, Any]) -> list[int]:
    """Return what the account's charges come to."""
    return [one["amountMicroUsd"] for one in read(service, "/api/v1/ledger?kind=charge")["entries"]]


class TestVersion:
    def test_it_is_that_of_the_project(self, service: dict[str, Any]) -> None:
        project = tomllib.loads((Path(ROOT) / "pyproject.toml").read_text())["project"]
        told = httpx.get(service["baseUrl"] + "/api/v1/version").json()
        assert told == {"code": 200, "data": {"version": project["version"]}}


class TestGenerate:
    def test_an_image_by_its_address_at_the_price_of_a_create(
        self, client: OpenAI, service: dict[str, Any]
    ) -> None:
        before = charges(service)
        made = client.images.generate(model=PAID_IMAGE, prompt=PROMPT, size="1024x1024", n=1, user="ada")
        assert made.data is not None
        (image,) = made.data
        assert image.url is not None
        assert httpx.get(image.url).headers["content-type"].startswith("image/")
        assert charges(service) == [-10_000, *before]
        (task,) = read(service, "/api/v1/tasks?limit=1")["tasks"]
        assert [file["fileUrl"] for file in task["files"]] == [image.url]

    def test_its_bytes(self, client: OpenAI) -> None:
        made = client.images.generate(
            model="test-image", prompt=PROMPT, response_format="b64_json", size="auto"
        )
        assert made.data is not None
        assert base64.b64decode(made.data[0].b64_json or "")[:4] in (b"\x89PNG", b"\xff\xd8\xff\xe0", b"RIFF")

    def test_a_repeat_with_the_same_key_is_the_same_image(
        self, client: OpenAI, service: dict[str, Any]
    ) -> None:
        key = {"Idempotency-Key": "poster-1"}
        first, second = (
            client.images.generate(model="test-image", prompt=PROMPT, extra_headers=key) for _ in range(2)
        )
        assert first.data == second.data

    def test_a_failure_is_told_once_and_the_money_is_back(
        self, client: OpenAI, service: dict[str, Any]
    ) -> None:
        balance = read(service, "/api/v1/user/me")["balance"]
        before = len(charges(service))
        with pytest.raises(APIStatusError) as raised:
            client.images.generate(model=PAID_IMAGE, prompt="[[fail]]")
        assert raised.value.status_code == 502
        assert raised.value.code == "generation_failed"
        assert len(charges(service)) == before + 1, "the SDK did not repeat it by itself"
        assert read(service, "/api/v1/user/me")["balance"] == balance

    def test_what_takes_longer_names_its_task_and_goes_on(
        self, client: OpenAI, service: dict[str, Any]
    ) -> None:
        before = len(charges(service))
        with pytest.raises(APIStatusError) as raised:
            client.images.generate(model="test-image", prompt="[[slow 60]]")
        assert (raised.value.status_code, raised.value.code) == (504, "task_pending")
        body: Any = raised.value.body
        assert read(service, f"/api/v1/task/status/{body['taskId']}")["status"] in ("running", "not_started")
        assert len(charges(service)) == before + 1

    @pytest.mark.parametrize(
        ("wrong", "pointer"),
        [
            ({"n": 2}, "/n"),
            ({"size": "1000x999"}, "/input/size"),
            ({"model": "kling-3.0"}, "/model"),
            ({"model": "nothing"}, "/model"),
            ({"extra_body": {"stream": True}}, "/stream"),
            ({"response_format": "png"}, "/response_format"),
            ({"extra_body": {"colour": "red"}}, "/input/colour"),
        ],
    )
    def test_what_cannot_be_is_named_and_not_charged(
        self, client: OpenAI, service: dict[str, Any], wrong: dict[str, Any], pointer: str
    ) -> None:
        before = charges(service)
        with pytest.raises(BadRequestError) as raised:
            client.images.generate(**{"model": "test-image", "prompt": PROMPT, **wrong})
        body: Any = raised.value.body
        assert pointer in [each["path"] for each in body["details"]]
        assert charges(service) == before
