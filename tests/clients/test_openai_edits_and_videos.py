"""The official SDK makes images and videos on the running service: `images` and `videos`."""

import base64
import io
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import APIStatusError, BadRequestError, NotFoundError, OpenAI
from PIL import Image

from local.template import ROOT
from tests.support.samples import PAID_IMAGE

pytestmark = [pytest.mark.clients, pytest.mark.ministack, pytest.mark.xdist_group("local-service")]

PROMPT = "a lighthouse at dusk"


@pytest.fixture(scope="module")
def service(shared_service: dict[str, Any]) -> dict[str, Any]:
    """Return what `service.json` says of the running service."""
    return shared_service


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

    def test_openais_options_reach_the_provider_and_the_price(
        self, client: OpenAI, service: dict[str, Any]
    ) -> None:
        before = charges(service)
        options: Any = {"output_format": "webp", "output_compression": 60, "background": "opaque"}
        made = client.images.generate(
            model="gpt-image-2", prompt=PROMPT, size="1536x1024", quality="high", moderation="low", **options
        )
        assert made.data is not None
        assert made.data[0].b64_json
        assert charges(service) == [-220_000, *before]

    def test_a_stream_has_the_image_and_says_that_there_are_no_partial_ones(self, client: OpenAI) -> None:
        asked: Any = {"stream": True, "partial_images": 2, "quality": "low"}
        with client.images.with_streaming_response.generate(
            model="gpt-image-2", prompt=PROMPT, **asked
        ) as response:
            assert response.headers["x-tollgate-ignored"] == "partial_images"
            lines = [line for line in response.iter_lines() if line.startswith("event:")]
        assert lines == ["event: image_generation.completed"]

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

    def test_rejected_content_is_a_bad_request(self, client: OpenAI, service: dict[str, Any]) -> None:
        balance = read(service, "/api/v1/user/me")["balance"]
        before = len(charges(service))
        with pytest.raises(BadRequestError) as raised:
            client.images.generate(model=PAID_IMAGE, prompt="[[reject]]")
        assert raised.value.code == "moderation_blocked"
        assert len(charges(service)) == before + 1, "the SDK did not repeat it by itself"
        assert read(service, "/api/v1/user/me")["balance"] == balance

    @pytest.mark.parametrize(
        ("wrong", "pointer"),
        [
            ({"n": 11}, "/n"),
            ({"n": 0}, "/n"),
            ({"quality": "high"}, "/quality"),
            ({"background": "transparent"}, "/background"),
            ({"output_format": "webp"}, "/output_format"),
            ({"output_compression": 50}, "/output_compression"),
            ({"partial_images": 2}, "/partial_images"),
            ({"n": True}, "/n"),
            ({"extra_body": {"stream": 0}}, "/stream"),
            ({"size": "1000x999"}, "/size"),
            ({"model": "kling-3.0"}, "/model"),
            ({"model": "nothing"}, "/model"),
            ({"extra_body": {"partial_images": 4, "stream": True}}, "/partial_images"),
            ({"response_format": "png"}, "/response_format"),
            ({"extra_body": {"colour": "red"}}, "/colour"),
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


@pytest.fixture(scope="module")
def source() -> bytes:
    """Return a PNG that a customer has, of the size that models take."""
    made = io.BytesIO()
    Image.new("RGB", (512, 512), "navy").save(made, "PNG")
    return made.getvalue()


class TestEdit:
    def test_a_file_at_the_price_of_a_create(
        self, client: OpenAI, service: dict[str, Any], source: bytes
    ) -> None:
        before = charges(service)
        made = client.images.edit(
            model=PAID_IMAGE, image=("dusk.png", source, "image/png"), prompt="the same at night", n=1
        )
        assert made.data is not None
        assert made.data[0].url is not None
        found = httpx.get(made.data[0].url)
        assert found.headers["content-type"].startswith("image/")
        assert base64.b64decode(made.data[0].b64_json or "") == found.content
        (task,) = read(service, "/api/v1/tasks?limit=1")["tasks"]
        assert charges(service) == [-task["costCents"] * 10_000, *before]

    def test_several_files_and_its_bytes(self, client: OpenAI, source: bytes) -> None:
        files = [(f"{number}.png", source, "image/png") for number in range(2)]
        made = client.images.edit(
            model="nano-banana-2", image=files, prompt="both", size="1024x1024", response_format="b64_json"
        )
        assert made.data is not None
        assert base64.b64decode(made.data[0].b64_json or "")

    def test_rejected_content_is_a_bad_request(self, client: OpenAI, source: bytes) -> None:
        with pytest.raises(BadRequestError) as raised:
            client.images.edit(model=PAID_IMAGE, image=source, prompt="[[reject]]")
        assert raised.value.code == "moderation_blocked"

    def test_bytes_without_a_name_are_what_they_are(self, client: OpenAI, source: bytes) -> None:
        for image in (source, io.BytesIO(source)):
            assert client.images.edit(model=PAID_IMAGE, image=image, prompt="the same at night").data

    @pytest.mark.parametrize(
        ("wrong", "pointer"),
        [
            ({"model": "flux-3-klein"}, "/image"),
            ({"model": "gpt-image-2", "quality": "high"}, "/quality"),
            ({"model": "gpt-image-2", "extra_body": {"output_format": "webp"}}, "/output_format"),
            ({"model": "gpt-image-2", "mask": ("mask.png", b"\x89PNG", "image/png")}, "/mask"),
            ({"mask": ("mask.png", b"\x89PNG", "image/png")}, "/mask"),
            ({"n": 11}, "/n"),
            ({"image": ("a.txt", b"hello", "text/plain")}, "/image/0"),
        ],
    )
    def test_what_cannot_be_is_named_and_not_charged(
        self, client: OpenAI, service: dict[str, Any], source: bytes, wrong: dict[str, Any], pointer: str
    ) -> None:
        before = charges(service)
        asked: Any = {"model": PAID_IMAGE, "image": ("a.png", source, "image/png"), "prompt": PROMPT, **wrong}
        with pytest.raises(BadRequestError) as raised:
            client.images.edit(**asked)
        body: Any = raised.value.body
        assert pointer in [each["path"] for each in body["details"]]
        assert charges(service) == before

    def test_too_large_a_file_is_refused(self, client: OpenAI) -> None:
        with pytest.raises(APIStatusError) as raised:
            client.images.edit(
                model=PAID_IMAGE, image=("a.png", bytes(5_000_000), "image/png"), prompt=PROMPT
            )
        assert raised.value.status_code == 413

    def test_a_form_that_is_none_is_named(self, service: dict[str, Any]) -> None:
        headers = {"authorization": f"Bearer {service['apiKey']}", "content-type": "multipart/form-data"}
        answer = httpx.post(service["baseUrl"] + "/api/v1/images/edits", content=b"--x", headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")
        many = {f"image{number}": ("a.png", b"x", "image/png") for number in range(21)}
        answer = httpx.post(answer.url, files=many, headers={"authorization": headers["authorization"]})
        assert "Maximum number of files is 20" in answer.json()["error"]["message"]


@pytest.mark.filterwarnings("ignore:The Sora API is scheduled:DeprecationWarning")
class TestVideos:
    def test_create_poll_and_download(self, client: OpenAI, service: dict[str, Any], source: bytes) -> None:
        before = charges(service)
        asked: Any = {"model": "kling-3.0", "prompt": "waves", "seconds": "5", "size": "1280x720"}
        reference: Any = ("start.png", source, "image/png")
        made = client.videos.create_and_poll(**asked, input_reference=reference, poll_interval_ms=200)
        assert (made.object, made.status, made.progress) == ("video", "completed", 100)
        (task,) = read(service, "/api/v1/tasks?limit=1")["tasks"]
        assert task["taskId"] == made.id
        assert charges(service) == [-task["costCents"] * 10_000, *before]
        content = client.videos.download_content(made.id).read()
        assert content[4:8] == b"ftyp"
        assert len(content) == task["files"][0]["bytes"]
        assert client.videos.delete(made.id).deleted
        assert httpx.get(task["files"][0]["fileUrl"]).status_code == 404
        with pytest.raises(NotFoundError):
            client.videos.download_content(made.id)

    def test_the_price_is_the_estimate_s(self, client: OpenAI, service: dict[str, Any]) -> None:
        body = {"model": "kling-3.0", "input": {"prompt": "waves", "duration": 5, "resolution": "720p"}}
        headers = {"authorization": f"Bearer {service['apiKey']}"}
        told = httpx.post(service["baseUrl"] + "/api/v1/generation/estimate", json=body, headers=headers)
        asked: Any = {"model": "kling-3.0", "prompt": "waves", "seconds": "5", "size": "1280x720"}
        made = client.videos.create(**asked)
        assert (made.status, made.seconds, made.size) == ("queued", "5", "1280x720")
        assert charges(service)[0] == -told.json()["data"]["price"] * 10_000

    def test_a_failure_is_said_and_the_money_is_back(self, client: OpenAI, service: dict[str, Any]) -> None:
        balance = read(service, "/api/v1/user/me")["balance"]
        asked: Any = {"model": "kling-3.0", "prompt": "[[fail]]"}
        made = client.videos.create_and_poll(**asked, poll_interval_ms=200)
        assert made.status == "failed"
        assert made.error is not None
        assert made.error.code == "providers_exhausted"
        assert read(service, "/api/v1/user/me")["balance"] == balance
        with pytest.raises(APIStatusError) as raised:
            client.videos.download_content(made.id)
        # Not a 5xx, which the SDK would repeat.
        assert (raised.value.status_code, raised.value.code) == (404, "file_not_found")

    def test_a_remix_and_the_list(self, client: OpenAI) -> None:
        asked: Any = {"model": "seedance-2.0", "prompt": "waves", "seconds": "4", "size": "1280x720"}
        repeated: Any = {"extra_headers": {"idempotency-key": "remix"}}
        first = client.videos.create_and_poll(**asked, poll_interval_ms=200)
        assert (first.seconds, first.size, first.prompt) == ("4", "1280x720", "waves")
        remixed = client.videos.remix(first.id, prompt="at night", **repeated)
        assert (remixed.remixed_from_video_id, remixed.prompt) == (first.id, "at night")
        again = client.videos.remix(first.id, prompt="at night", **repeated)
        assert again.id == remixed.id
        client.images.generate(model="test-image", prompt="no video")
        newest = client.videos.list(limit=1)
        assert (newest.data[0].id, newest.has_more) == (remixed.id, True)
        every = [one.id for one in newest]
        assert every[:2] == [remixed.id, first.id]
        assert [one.id for one in client.videos.list(limit=2, order="asc")] == every[::-1]

    def test_a_video_of_a_model_that_changes_none_is_not_charged(
        self, client: OpenAI, service: dict[str, Any]
    ) -> None:
        asked: Any = {"model": "kling-3.0", "prompt": "waves"}
        made = client.videos.create_and_poll(**asked, poll_interval_ms=200)
        before = charges(service)
        with pytest.raises(BadRequestError) as raised:
            client.videos.remix(made.id, prompt="at night")
        body: Any = raised.value.body
        assert [each["path"] for each in body["details"]] == ["/model"]
        assert charges(service) == before

    @pytest.mark.parametrize(
        "seconds", ["abc", "9" * 5_000, "-1", "7.5"], ids=["word", "long", "below", "part"]
    )
    def test_a_length_that_is_none_is_named(
        self, client: OpenAI, service: dict[str, Any], seconds: str
    ) -> None:
        before = charges(service)
        asked: Any = {"model": "kling-3.0", "prompt": "waves", "seconds": seconds}
        with pytest.raises(BadRequestError) as raised:
            client.videos.create(**asked)
        body: Any = raised.value.body
        assert [each["path"] for each in body["details"]] == ["/seconds"]
        assert charges(service) == before

    def test_one_that_is_not_ready_or_not_there(self, client: OpenAI) -> None:
        asked: Any = {"model": "kling-3.0", "prompt": "[[slow 60]]"}
        made = client.videos.create(**asked)
        with pytest.raises(APIStatusError) as raised:
            client.videos.download_content(made.id)
        assert raised.value.code == "task_pending"
        with pytest.raises(NotFoundError):
            client.videos.retrieve("task_01M7Y320TY6K5J1TP5KNRBNYR5")
