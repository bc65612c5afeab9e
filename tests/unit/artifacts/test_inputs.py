"""Media inside a request: what is kept, under which name, and what is refused before anything is."""

import base64
import logging
import time
from collections.abc import Iterator
from itertools import repeat
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws

from tests.support.clock import ManualClock
from tests.unit.artifacts.test_store import png
from tollgate.artifacts import inputs
from tollgate.artifacts.inputs import SIGNED_S, InputStore
from tollgate.artifacts.uploads import Uploads
from tollgate.kit.aws import sdk
from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.callers import Caller

STORAGE = "https://files.test"
ADA = Caller.of_account("usr_1")


def uri(data: bytes, media: str = "image/png") -> str:
    return f"data:{media};base64,{base64.b64encode(data).decode()}"


def store(s3: Any = None) -> InputStore:
    return InputStore(s3, "bucket", STORAGE, Uploads(s3, "bucket", STORAGE, ManualClock()))


def body(**fields: Any) -> dict[str, Any]:
    return {"model": "seedream-4.5", "input": fields}


class TestRead:
    def test_a_data_uri_becomes_an_address_of_our_storage(self) -> None:
        changed, (file,) = store().read(ADA, body(prompt="a fox", urls=[uri(png())]))
        (url,) = changed["input"]["urls"]
        assert url == f"{STORAGE}/{file.key}"
        assert file.key.startswith("inputs/usr_1/")
        assert file.key.endswith(".png")
        assert file.data == png()
        assert changed["input"]["prompt"] == "a fox"

    def test_its_type_is_told_by_its_bytes(self) -> None:
        _, (file,) = store().read(ADA, body(urls=[uri(png(), "image/jpeg")]))
        assert file.kind.content_type == "image/png"

    def test_the_same_bytes_have_one_name_but_another_for_each_account(self) -> None:
        names = [
            store().read(Caller.of_account(account), body(urls=[uri(png())]))[1][0].key
            for account in ("usr_1", "usr_1", "usr_2")
        ]
        assert names[0] == names[1] != names[2]

    def test_it_may_be_nested(self) -> None:
        given_images = [{"url": uri(png()), "role": "first_frame"}]
        changed, _ = store().read(ADA, body(imageWithRoles=given_images))
        assert changed["input"]["imageWithRoles"][0]["url"].startswith(STORAGE)

    @pytest.mark.parametrize(
        "value",
        [uri(b"<html></html>"), "data:image/png;base64,###", "data:image/png;base64,", uri(b"MZ" * 40)],
    )
    def test_what_is_no_media_is_named(self, value: str) -> None:
        with pytest.raises(InvalidInputError) as caught:
            store().read(ADA, body(urls=["https://x.test/a.png", value]))
        assert [problem.path for problem in caught.value.problems] == ["/input/urls/1"]

    @given(
        st.recursive(
            st.none() | st.text() | st.integers(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
        )
    )
    def test_any_other_input_is_as_it_was(self, value: Any) -> None:
        given_body = {"model": "test-image", "input": value}
        assert store().read(ADA, given_body) == (given_body, [])

    def test_a_body_without_input_stays_without(self) -> None:
        assert store().read(ADA, {"model": "test-image"}) == ({"model": "test-image"}, [])


@mock_aws
def test_what_is_kept_is_there_with_its_type_also_after_a_repeat() -> None:
    s3 = boto3.client("s3", region_name="us-east-1")
    s3.create_bucket(Bucket="bucket")
    _, files = store().read(ADA, body(urls=[uri(png())]))
    for _ in range(2):
        store(s3).store(files)
    found = s3.get_object(Bucket="bucket", Key=files[0].key)
    assert (found["Body"].read(), found["ContentType"]) == (png(), "image/png")


def test_an_address_is_signed_as_every_region_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-2")
    sdk.forget_clients()
    monkeypatch.setattr(sdk.s3(), "list_objects_v2", lambda **asked: {"Contents": [{"Key": asked["Prefix"]}]})
    values = {"prompt": "a fox", "urls": [f"{STORAGE}/inputs/usr_1/a.png", f"{STORAGE}/media/t/a.png"]}
    signed = store(sdk.s3()).signed(values)
    sdk.forget_clients()
    assert (signed["prompt"], signed["urls"][1]) == ("a fox", f"{STORAGE}/media/t/a.png")
    query = parse_qs(urlsplit(signed["urls"][0]).query)
    assert query["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]
    assert query["X-Amz-Expires"] == [str(SIGNED_S)]
    assert "X-Amz-Signature" in query


def listing(pages: Iterator[list[Any]]) -> Any:
    """Return a client of S3 that gives these pages, one for each list."""
    s3 = boto3.client("s3", region_name="us-east-1")
    s3.list_objects_v2 = lambda **_: {"Contents": next(pages)}  # type: ignore[assignment,method-assign]
    return s3


class TestAFileThatIsNotThere:
    def test_it_is_waited_for_as_its_create_stores_it_after_the_charge(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looks: Iterator[list[Any]] = iter([[], [], [{"Key": "inputs/usr_1/a.png"}]])
        waits: list[float] = []
        monkeypatch.setattr(time, "sleep", waits.append)
        signed = store(listing(looks)).signed({"url": f"{STORAGE}/inputs/usr_1/a.png"})
        assert waits == [1.0, 1.0]
        assert "Signature=" in signed["url"]

    @pytest.mark.parametrize(
        ("name", "told", "level"),
        [
            (f"{'0af9' * 16}.png", "inputs.missing", logging.ERROR),
            ("file_01KA0000000000000000000000-9.png", "inputs.deleted", logging.INFO),
        ],
    )
    def test_one_that_never_comes_is_told_and_signed_all_the_same(
        self,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
        name: str,
        told: str,
        level: int,
    ) -> None:
        caplog.set_level(logging.INFO)
        waits: list[float] = []
        monkeypatch.setattr(time, "sleep", waits.append)
        signed = store(listing(repeat([]))).signed({"url": f"{STORAGE}/inputs/usr_1/{name}"})
        assert len(waits) == inputs.MAX_READS - 1
        assert "Signature=" in signed["url"]
        assert (told, level) in [(record.message, record.levelno) for record in caplog.records]

    def test_a_right_that_is_missing_is_an_error_and_not_a_file_that_is(self) -> None:
        s3 = boto3.client("s3", region_name="us-east-1")
        with Stubber(s3) as refusing:
            refusing.add_client_error("list_objects_v2", "AccessDenied", http_status_code=403)
            with pytest.raises(ClientError, match="AccessDenied"):
                store(s3).signed({"url": f"{STORAGE}/inputs/usr_1/a.png"})
