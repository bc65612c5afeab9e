"""`functions/make_thumbnails`: from a finished task's files to what pages show of them."""

import io
import json
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from PIL import Image

from local.machine.events import Context
from local.template import ROOT
from make_thumbnails.app import handler
from tests.conftest import Aws
from tests.support.iam import recorder
from tests.support.overrides import STORAGE_URL
from tests.unit.probing.media_files import mp4, picture
from tollgate.artifacts.models import thumbnail_of
from tollgate.kit.aws import sdk
from tollgate.thumbnails.renderer import render
from tollgate.thumbnails.response import NoThumbnail, Thumbnail

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/make_thumbnails.json").read_text())
TASK = "task_01ARZ3NDEKTSV4RRFFQ69G5FAV"
KEY = f"media/{TASK}/1f2e3d4c-0.png"
DONE: dict[str, Any] = {"batchItemFailures": []}
AGAIN = {"batchItemFailures": [{"itemIdentifier": EVENT["Records"][0]["messageId"]}]}


class Drawing:
    """Lambda, with a `draw_thumbnail` that paints what the bucket has, or says `answers` in its place."""

    def __init__(self, aws: Aws) -> None:
        self.s3 = aws.clients.s3
        self.bucket = aws.stack.refs["MediaBucket"]
        self.asked: list[str] = []
        self.answers: dict[str, Any] | None = None
        self.before: Callable[[], object] = lambda: None
        self.key_of: Callable[[str], str] = lambda url: url.removeprefix(f"{STORAGE_URL}/")

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 - boto3's names
        assert FunctionName == "DrawThumbnailFunction"
        recorder.judge("lambda", "Invoke", FunctionName=FunctionName)
        url = json.loads(Payload)["url"]
        self.asked.append(url)
        if self.answers is not None:
            failed = {"FunctionError": "Unhandled"} if "errorType" in self.answers else {}
            return {"Payload": io.BytesIO(json.dumps(self.answers).encode()), **failed}
        key = self.key_of(url)
        data = self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        drawn = Thumbnail(render(key.rpartition(".")[2], io.BytesIO(data)))
        self.before()
        return {"Payload": io.BytesIO(json.dumps(drawn.body()).encode())}


@pytest.fixture
def drawing(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> Drawing:
    found = Drawing(aws)
    monkeypatch.setattr(sdk, "lambda_for_thumbnails", cache(lambda: found))
    return found


def put(aws: Aws, data: bytes, key: str = KEY) -> None:
    aws.clients.s3.put_object(Bucket=aws.stack.refs["MediaBucket"], Key=key, Body=data)


def make(key: str = KEY, address: str = STORAGE_URL) -> Any:
    record = {**EVENT["Records"][0], "body": json.dumps({"task_id": TASK, "url": f"{address}/{key}"})}
    return handler({"Records": [record]}, Context("MakeThumbnailsFunction"))


class TestMake:
    def test_a_result_from_when_the_files_had_another_address_has_one_too(
        self, aws: Aws, drawing: Drawing
    ) -> None:
        put(aws, picture("png"))
        assert make(address="https://files.example.com") == DONE
        assert drawing.asked == [f"{STORAGE_URL}/{KEY}"]
        assert aws.files() == [KEY, thumbnail_of(KEY)]

    @pytest.mark.parametrize(("key", "data"), [(KEY, picture), (KEY.replace("png", "mp4"), mp4)])
    def test_it_lies_beside_the_result_and_is_served_like_it(
        self, aws: Aws, drawing: Drawing, key: str, data: Callable[..., bytes]
    ) -> None:
        put(aws, data() if data is mp4 else data("PNG"), key)
        assert make(key) == DONE
        found = aws.clients.s3.get_object(Bucket=drawing.bucket, Key=f"{key}.thumb.webp")
        assert found["ContentType"] == "image/webp"
        assert "immutable" in found["CacheControl"]
        with Image.open(io.BytesIO(found["Body"].read())) as image:
            assert (image.format, image.size) == ("WEBP", (320, 180))
        # Whatever goes by the task's prefix, as its deletion and its life span, takes both
        assert all(each.startswith(f"media/{TASK}/") for each in aws.files())

    def test_a_repeat_changes_nothing(self, aws: Aws, drawing: Drawing) -> None:
        put(aws, picture("PNG"))
        assert make() == DONE
        first = aws.clients.s3.get_object(Bucket=drawing.bucket, Key=thumbnail_of(KEY))["ETag"]
        assert make() == DONE
        assert aws.clients.s3.get_object(Bucket=drawing.bucket, Key=thumbnail_of(KEY))["ETag"] == first
        assert len(aws.files()) == 2


class TestNone:
    @pytest.mark.usefixtures("drawing")
    def test_a_result_that_was_deleted_is_not_drawn(self, aws: Aws, drawing: Drawing) -> None:
        assert make() == DONE
        assert drawing.asked == []
        assert aws.files() == []

    def test_one_that_is_deleted_meanwhile_leaves_nothing(self, aws: Aws, drawing: Drawing) -> None:
        put(aws, picture("PNG"))
        drawing.before = lambda: aws.clients.s3.delete_object(Bucket=drawing.bucket, Key=KEY)
        assert make() == DONE
        assert aws.files() == []

    @pytest.mark.parametrize(
        "answers",
        [NoThumbnail("pixels").body(), {"errorType": "Sandbox.Timedout"}, {"errorType": "Runtime.ExitError"}],
    )
    def test_one_that_cannot_be_decoded_is_no_fault(
        self, aws: Aws, drawing: Drawing, caplog: pytest.LogCaptureFixture, answers: dict[str, Any]
    ) -> None:
        put(aws, b"\x89PNG\r\n\x1a\n and no more")
        drawing.answers = answers
        assert make() == DONE
        assert aws.files() == [KEY]
        assert "make_thumbnails.none" in [record.getMessage() for record in caplog.records]


class TestFaults:
    @pytest.mark.parametrize(
        "answers",
        [
            {"again": "unreachable"},
            {"errorType": "ParserFaultError"},
            {"image": b64encode(b"<svg onload=alert(1)>").decode()},
            {"image": b64encode(b"RIFF\0\0\0\0WEBP" + bytes(50_000)).decode()},
            {"something": "else"},
        ],
    )
    def test_the_message_comes_again(self, aws: Aws, drawing: Drawing, answers: dict[str, Any]) -> None:
        put(aws, picture("PNG"))
        drawing.answers = answers
        assert make() == AGAIN
        assert aws.files() == [KEY]

    def test_storage_that_fails_is_not_taken_for_a_deletion(
        self, aws: Aws, drawing: Drawing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(aws, picture("PNG"))

        def refuse(**_: Any) -> Any:
            raise ClientError({"Error": {"Code": "AccessDenied"}}, "ListObjectsV2")

        monkeypatch.setattr(aws.clients.s3, "list_objects_v2", refuse)
        assert make() == AGAIN
        assert drawing.asked == []
