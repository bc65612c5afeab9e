"""Copying results into the bucket (moto) from real servers on loopback."""

import hashlib
import io
import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws
from PIL import Image

from tests.support.http_server import HANG, Answer, Raw, Received, Reply, http_server
from tests.support.losses import OneLoss
from tests.support.lossy_botocore import losing
from tollgate.artifacts import store as store_module
from tollgate.artifacts.store import PART_BYTES, ArtifactStore, CopyError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.http.outbound import Outbound
from tollgate.providers.runtime.outcomes import InlineFile, ResultFile

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

STORAGE_URL = "https://files.test"
MIB = 1024 * 1024
MOST_CALLS = 20


@cache
def png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 8), (200, 30, 30)).save(file, "PNG")
    return file.getvalue()


@cache
def film(size_bytes: int) -> bytes:
    """Return boxes as a whole MP4 of a size has them; no two parts of its samples are alike."""
    start = b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2" + b"\x00\x00\x00\x08moov"
    start += (size_bytes - len(start)).to_bytes(4) + b"mdat"
    return start + random.Random(7).randbytes(size_bytes - len(start))  # noqa: S311 - not a secret


@dataclass(frozen=True)
class Bucket:
    """The bucket, and a store on it."""

    s3: "S3Client"
    name: str
    store: ArtifactStore

    def keys(self) -> list[str]:
        return [found["Key"] for found in self.s3.list_objects_v2(Bucket=self.name).get("Contents", [])]

    def uploads(self) -> int:
        return len(self.s3.list_multipart_uploads(Bucket=self.name).get("Uploads", []))

    def body(self, key: str) -> bytes:
        return self.s3.get_object(Bucket=self.name, Key=key)["Body"].read()

    def refusal(self, answer: Answer) -> CopyError:
        """Copy what a server answers; give why it did not work, and see that nothing is left."""
        with http_server(answer) as url, pytest.raises(CopyError) as caught:
            self.store.copy([ResultFile(url)], "task_1")
        assert self.keys() == []
        assert self.uploads() == 0
        return caught.value


@pytest.fixture(scope="module")
def s3() -> Iterator["S3Client"]:
    with mock_aws():
        yield boto3.client("s3", region_name="us-east-1")


@pytest.fixture
def bucket(s3: "S3Client") -> Bucket:
    name = f"media-{uuid.uuid4()}"
    s3.create_bucket(Bucket=name)
    outbound = Outbound(AddressGuard(allow_loopback=True))
    return Bucket(s3, name, ArtifactStore(s3, name, STORAGE_URL, outbound))


class TestCopied:
    def test_a_small_file_has_its_bytes_type_size_and_hash(self, bucket: Bucket) -> None:
        with http_server(lambda _: Reply(200, png(), {"content-type": "text/html"})) as url:
            (file,) = bucket.store.copy([ResultFile(url)], "task_1")
        (key,) = bucket.keys()
        assert file.url == f"{STORAGE_URL}/{key}"
        assert key.startswith("media/task_1/")
        assert key.endswith("-0.png")
        # The type is told by the bytes, whatever the server said.
        assert (file.file_type, file.content_type) == ("image", "image/png")
        assert file.size_bytes == len(png())
        assert file.sha256 == hashlib.sha256(png()).hexdigest()
        stored = bucket.s3.get_object(Bucket=bucket.name, Key=key)
        assert stored["Body"].read() == png()
        assert stored["ContentType"] == "image/png"
        assert stored["CacheControl"] == "public, max-age=31536000, immutable"

    @pytest.mark.parametrize(
        "size_bytes", [PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES, 17 * MIB]
    )
    def test_a_large_one_goes_in_parts_and_is_the_same_file(self, bucket: Bucket, size_bytes: int) -> None:
        content = film(size_bytes)
        with http_server(lambda _: Reply(200, content)) as url:
            (file,) = bucket.store.copy([ResultFile(url)], "task_1")
        (key,) = bucket.keys()
        assert bucket.body(key) == content
        assert file.size_bytes == size_bytes
        assert file.sha256 == hashlib.sha256(content).hexdigest()
        head = bucket.s3.head_object(Bucket=bucket.name, Key=key)
        assert head["ContentType"] == "video/mp4"
        assert head["CacheControl"] == "public, max-age=31536000, immutable"
        # S3 marks a multipart object by the number of its parts.
        assert ("-" in head["ETag"]) is (size_bytes > PART_BYTES)
        assert bucket.uploads() == 0

    def test_a_file_whose_length_was_not_told(self, bucket: Bucket) -> None:
        with http_server(lambda _: Raw((b"HTTP/1.0 200 OK\r\n\r\n", png()))) as url:
            (file,) = bucket.store.copy([ResultFile(url)], "task_1")
        assert file.sha256 == hashlib.sha256(png()).hexdigest()

    def test_several_files_keep_their_order(self, bucket: Bucket) -> None:
        answers = {"/hook/0": png(), "/hook/1": film(100)}
        with http_server(lambda request: Reply(200, answers[request.path])) as url:
            files = bucket.store.copy(
                [ResultFile(f"{url}/0"), ResultFile(f"{url}/1"), ResultFile(f"{url}/0")], "task_1"
            )
        assert [file.content_type for file in files] == ["image/png", "video/mp4", "image/png"]
        assert [file.url.rpartition("-")[2] for file in files] == ["0.png", "1.mp4", "2.png"]
        assert len(bucket.keys()) == 3

    def test_a_repeat_touches_no_file_of_the_first_run(self, bucket: Bucket) -> None:
        contents = iter([png(), film(100)])
        with http_server(lambda _: Reply(200, next(contents))) as url:
            (first,) = bucket.store.copy([ResultFile(url)], "task_1")
            (second,) = bucket.store.copy([ResultFile(url)], "task_1")
        assert first.url != second.url
        assert bucket.body(first.url.removeprefix(f"{STORAGE_URL}/")) == png()

    def test_a_redirect_is_followed(self, bucket: Bucket) -> None:
        def behaviour(request: Received) -> Reply:
            if request.path == "/file":
                return Reply(200, png())
            return Reply(302, headers={"location": "/file"})

        with http_server(behaviour) as url:
            (file,) = bucket.store.copy([ResultFile(url)], "task_1")
        assert file.content_type == "image/png"


class TestInline:
    def test_a_file_that_came_with_the_answer_is_stored_the_same(self, bucket: Bucket) -> None:
        (file,) = bucket.store.copy([InlineFile(png())], "task_1")
        assert bucket.body(file.url.removeprefix(f"{STORAGE_URL}/")) == png()
        assert (file.file_type, file.content_type, file.size_bytes) == ("image", "image/png", len(png()))
        assert file.sha256 == hashlib.sha256(png()).hexdigest()

    def test_what_is_no_media_is_refused_for_good(self, bucket: Bucket) -> None:
        with pytest.raises(CopyError, match="not media") as caught:
            bucket.store.copy([InlineFile(b"<html>")], "task_1")
        assert not caught.value.retryable

    @pytest.mark.parametrize("whole", [png(), film(PART_BYTES + 5)], ids=["small", "in parts"])
    @pytest.mark.parametrize("left_out", [1, 20])
    def test_one_that_is_cut_off_is_never_stored(self, bucket: Bucket, whole: bytes, left_out: int) -> None:
        with pytest.raises(CopyError, match="cut off"):
            bucket.store.copy([InlineFile(whole[:-left_out])], "task_1")
        assert bucket.keys() == []
        assert bucket.uploads() == 0


class TestChecksums:
    """S3 refuses what arrives otherwise than it was sent: it is told the checksum and the size."""

    @pytest.mark.parametrize(
        ("size_bytes", "operations"), [(100, ["PutObject"]), (PART_BYTES + 5, ["UploadPart"] * 2)]
    )
    def test_each_body_goes_with_its_own(
        self, bucket: Bucket, size_bytes: int, operations: list[str]
    ) -> None:
        sent: list[str] = []

        def note(request: Any, operation_name: str, **_: Any) -> None:
            if operation_name in operations:
                # Over TLS it follows the body.
                assert request.headers["x-amz-trailer"] == "x-amz-checksum-crc32"
                sent.append(operation_name)

        bucket.s3.meta.events.register("before-sign.s3", note)
        try:
            bucket.store.copy([InlineFile(film(size_bytes))], "task_1")
        finally:
            bucket.s3.meta.events.unregister("before-sign.s3", note)
        assert sent == operations

    def test_the_parts_are_put_together_to_the_size_that_was_read(
        self, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told: list[int] = []
        complete = bucket.s3.complete_multipart_upload

        def note(**call: Any) -> Any:
            told.append(call["MpuObjectSize"])
            return complete(**call)

        monkeypatch.setattr(bucket.s3, "complete_multipart_upload", note)
        bucket.store.copy([InlineFile(film(PART_BYTES + 5))], "task_1")
        assert told == [PART_BYTES + 5]


class TestCredentials:
    def test_a_key_goes_to_the_files_own_origin_and_not_where_that_redirects(self, bucket: Bucket) -> None:
        seen: list[tuple[str, str | None]] = []

        def elsewhere(request: Received) -> Reply:
            seen.append(("elsewhere", request.headers.get("x-key")))
            return Reply(200, png())

        with http_server(elsewhere) as other:

            def here(request: Received) -> Reply:
                seen.append((request.path, request.headers.get("x-key")))
                target = f"{other}/x" if request.path.endswith("/2") else "2"
                return Reply(302, b"", {"location": target})

            with http_server(here) as url:
                bucket.store.copy([ResultFile(f"{url}/1", {"x-key": "secret"})], "task_1")
        assert [key for _, key in seen] == ["secret", "secret", None]


class TestBadSource:
    @pytest.mark.parametrize(
        "content", [b"<!doctype html><script>x</script>", b'{"error": "gone"}', b"\x00" * 64]
    )
    def test_what_is_no_media_is_not_stored_whatever_it_says_it_is(
        self, bucket: Bucket, content: bytes
    ) -> None:
        refusal = bucket.refusal(lambda _: Reply(200, content, {"content-type": "image/png"}))
        assert refusal.detail == "the result is not media"
        assert refusal.retryable is False

    def test_an_empty_file_may_be_whole_the_next_time(self, bucket: Bucket) -> None:
        assert bucket.refusal(lambda _: Reply(200, b"")).retryable is True

    @pytest.mark.parametrize("status", [201, 204, 403, 404, 410, 500, 503])
    def test_any_status_but_200_is_no_file(self, bucket: Bucket, status: int) -> None:
        refusal = bucket.refusal(lambda _: Reply(status, b"" if status == 204 else png()))
        assert refusal.detail == f"the result answers HTTP {status}"
        assert refusal.retryable is True

    @pytest.mark.parametrize(
        ("sent_bytes", "said_bytes"),
        [(40, 100), (PART_BYTES + 5, 2 * PART_BYTES), (2 * PART_BYTES + 5, 3 * PART_BYTES)],
        ids=["in the first part", "in the second part", "in the third part"],
    )
    def test_one_that_breaks_off_is_never_stored_in_part(
        self, bucket: Bucket, sent_bytes: int, said_bytes: int
    ) -> None:
        lie = {"content-length": str(said_bytes)}
        refusal = bucket.refusal(lambda _: Reply(200, film(sent_bytes), lie))
        assert refusal.detail.startswith("the result cannot be read")
        assert refusal.retryable is True

    @pytest.mark.parametrize("left_out", [1, 5, PART_BYTES, PART_BYTES + 5])
    @pytest.mark.parametrize("ends", ["with its connection", "with a last chunk"])
    def test_one_that_ends_early_as_if_it_were_whole_is_never_stored(
        self, bucket: Bucket, left_out: int, ends: str
    ) -> None:
        cut_off = film(2 * PART_BYTES + 5)[:-left_out]
        until_closed = (b"HTTP/1.0 200 OK\r\n\r\n", cut_off)
        chunked = (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            b"%x\r\n%b\r\n0\r\n\r\n" % (len(cut_off), cut_off),
        )
        refusal = bucket.refusal(lambda _: Raw(until_closed if "connection" in ends else chunked))
        assert refusal.detail == "the result is cut off"
        assert refusal.retryable is True

    def test_too_many_redirects(self, bucket: Bucket) -> None:
        refusal = bucket.refusal(lambda request: Reply(302, headers={"location": request.path + "x"}))
        assert refusal.retryable is True

    def test_a_server_that_is_gone(self, bucket: Bucket) -> None:
        with http_server(lambda _: 200) as url:
            pass
        with pytest.raises(CopyError) as caught:
            bucket.store.copy([ResultFile(url)], "task_1")
        assert caught.value.retryable is True

    def test_one_that_is_too_large_is_given_up_on_the_way(
        self, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(store_module, "MAX_FILE_BYTES", 2 * PART_BYTES)
        refusal = bucket.refusal(lambda _: Reply(200, film(17 * MIB)))
        assert refusal.detail == f"the result is larger than {2 * PART_BYTES} bytes"
        assert refusal.retryable is False

    def test_all_files_of_a_task_share_one_deadline(
        self, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(store_module, "COPY_TIMEOUT_S", 0.2)
        assert bucket.refusal(lambda _: HANG).retryable is True

    @pytest.mark.parametrize(
        "url", ["http://10.0.0.1/a.png", "http://169.254.169.254/", "ftp://host.test/a.png", "a.png", ""]
    )
    def test_an_address_that_is_not_allowed_is_never_asked(self, bucket: Bucket, url: str) -> None:
        with pytest.raises(CopyError) as caught:
            bucket.store.copy([ResultFile(url)], "task_1")
        assert caught.value.retryable is False
        assert caught.value.detail.startswith("the result's URL must ")

    def test_nor_is_one_that_a_redirect_leads_to(self, bucket: Bucket) -> None:
        refusal = bucket.refusal(lambda _: Reply(302, headers={"location": "file:///etc/passwd"}))
        assert refusal.retryable is False

    def test_one_bad_file_among_good_ones_fails_the_whole_copy(self, bucket: Bucket) -> None:
        answers = {"/hook/0": Reply(200, png()), "/hook/1": Reply(404)}
        with http_server(lambda request: answers[request.path]) as url, pytest.raises(CopyError):
            bucket.store.copy([ResultFile(f"{url}/0"), ResultFile(f"{url}/1")], "task_1")


class TestOurOwnStorage:
    """A fault of ours is no fault of the source: it passes, and the message comes again."""

    def broken(self, bucket: Bucket, monkeypatch: pytest.MonkeyPatch, operation: str) -> None:
        def fail(**_: Any) -> Any:
            raise ClientError({"Error": {"Code": "SlowDown", "Message": ""}}, operation)

        monkeypatch.setattr(bucket.s3, operation, fail)

    def test_of_a_small_file(self, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
        self.broken(bucket, monkeypatch, "put_object")
        with http_server(lambda _: Reply(200, png())) as url, pytest.raises(ClientError, match="SlowDown"):
            bucket.store.copy([ResultFile(url)], "task_1")

    @pytest.mark.parametrize("operation", ["upload_part", "complete_multipart_upload"])
    def test_of_a_large_one_and_the_upload_is_given_up(
        self, bucket: Bucket, monkeypatch: pytest.MonkeyPatch, operation: str
    ) -> None:
        self.broken(bucket, monkeypatch, operation)
        content = film(PART_BYTES + 1)
        with http_server(lambda _: Reply(200, content)) as url, pytest.raises(ClientError, match="SlowDown"):
            bucket.store.copy([ResultFile(url)], "task_1")
        assert bucket.uploads() == 0


class TestLostAnswers:
    """Whichever answer of S3 gets lost, the file is stored once and no upload stays open."""

    @pytest.mark.parametrize("content", [png(), film(PART_BYTES + 5)], ids=["small", "in parts"])
    def test_a_whole_file_is_stored(self, bucket: Bucket, content: bytes) -> None:
        with losing(asked := OneLoss(MOST_CALLS)):
            bucket.store.copy([InlineFile(content)], "task_0")
        for number in range(len(asked.calls)):
            with losing(OneLoss(number)):
                (file,) = bucket.store.copy([InlineFile(content)], f"task_{number + 1}")
            assert bucket.body(file.url.removeprefix(f"{STORAGE_URL}/")) == content
        # One that was begun by a request whose answer got lost; the bucket's lifecycle ends it.
        assert bucket.uploads() == asked.calls.count("s3.CreateMultipartUpload")

    def test_an_upload_that_an_earlier_try_completed_is_complete(
        self, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        complete = bucket.s3.complete_multipart_upload

        def twice(**asked: Any) -> None:
            complete(**asked)
            # What S3 says to the second try: the upload "might have been aborted or completed".
            raise bucket.s3.exceptions.NoSuchUpload({"Error": {"Code": "NoSuchUpload"}}, "Complete")

        monkeypatch.setattr(bucket.s3, "complete_multipart_upload", twice)
        content = film(PART_BYTES + 5)
        (file,) = bucket.store.copy([InlineFile(content)], "task_1")
        assert bucket.body(file.url.removeprefix(f"{STORAGE_URL}/")) == content

    def test_a_file_that_is_cut_off_is_told_as_that(self, bucket: Bucket) -> None:
        def cut_off(_: Received) -> Reply:
            return Reply(200, film(PART_BYTES + 5)[:-1])

        with losing(asked := OneLoss(MOST_CALLS)):
            bucket.refusal(cut_off)
        with losing(OneLoss(asked.calls.index("s3.AbortMultipartUpload"))):
            refusal = bucket.refusal(cut_off)
        assert refusal.detail == "the result is cut off"


class TestQuick:
    """A quick copy is for a worker that nine others share: one part a file, and some seconds."""

    @pytest.mark.parametrize("is_announced", [True, False])
    @pytest.mark.parametrize("over", [0, 1])
    def test_a_file_of_more_than_one_part_is_refused_and_nothing_is_left(
        self, bucket: Bucket, is_announced: bool, over: int
    ) -> None:
        content = film(PART_BYTES + over)
        answer = Reply(200, content) if is_announced else Raw((b"HTTP/1.0 200 OK\r\n\r\n", content))
        with http_server(lambda _: answer) as url:
            sources = [ResultFile(url)]
            if not over:
                (file,) = bucket.store.copy(sources, "task_1", is_quick=True)
                assert file.sha256 == hashlib.sha256(content).hexdigest()
                return
            with pytest.raises(CopyError, match=f"larger than {PART_BYTES} bytes"):
                bucket.store.copy(sources, "task_1", is_quick=True)
        assert bucket.keys() == []
        assert bucket.uploads() == 0

    def test_one_that_came_with_the_answer_too(self, bucket: Bucket) -> None:
        with pytest.raises(CopyError, match="larger"):
            bucket.store.copy([InlineFile(film(PART_BYTES + 1))], "task_1", is_quick=True)
        assert bucket.keys() == []

    def test_a_source_that_takes_long_is_left(self, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store_module, "QUICK_TIMEOUT_S", 0.2)
        with http_server(lambda _: HANG) as url, pytest.raises(CopyError):
            bucket.store.copy([ResultFile(url)], "task_1", is_quick=True)
