"""Reading an S3 object without the SDK: the signature against botocore's own, and what S3 may answer."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from tests.support.http_server import HANG, Answer, Received, Reply, http_server
from tollgate.kit.aws.s3_get import S3Get, object_url
from tollgate.kit.aws.sigv4 import signed_request_headers
from tollgate.kit.http.client import HttpClient
from tollgate.kit.http.response import HttpError
from tollgate.kit.remote_document import MAX_DOCUMENT_BYTES, DocumentTooLargeError, Fetched, Found, Nothing

# The hash of no bytes (FIPS 180-4).
NO_BODY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
words = st.text(st.characters(min_codepoint=48, max_codepoint=122), min_size=1, max_size=40)


@dataclass(frozen=True)
class Key:
    access_key: str = "id"
    secret_key: str = "secret"
    token: str | None = "token"


def read(answer: Answer, etag: str | None = None, timeout_s: float = 5.0) -> Fetched:
    """Read the object of a server that answers so."""

    async def reading(url: str) -> Fetched:
        http = HttpClient()
        try:
            return await S3Get(http, url, "us-east-1", Key, timeout_s).read(etag)
        finally:
            http.close()

    with http_server(answer) as url:
        return asyncio.run(reading(url))


class TestSignedGetHeaders:
    @given(words, words, st.none() | words.map(str.strip).filter(bool))
    def test_the_authorization_is_the_one_botocore_makes(
        self, access_key: str, secret_key: str, token: str | None
    ) -> None:
        host = "bucket.s3.eu-west-1.amazonaws.com"
        request = AWSRequest("GET", f"https://{host}/catalog.json", headers={"x-amz-content-sha256": NO_BODY})
        SigV4Auth(Credentials(access_key, secret_key, token), "s3", "eu-west-1").add_auth(request)
        stamp = datetime.strptime(request.headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        ours = signed_request_headers(
            Key(access_key, secret_key, token),
            region="eu-west-1",
            service="s3",
            url=f"https://{host}/catalog.json",
            now_s=stamp.timestamp(),
        )
        assert ours["authorization"] == request.headers["Authorization"]
        assert ours["x-amz-content-sha256"] == NO_BODY
        assert ours.get("x-amz-security-token") == token


class TestRead:
    def test_gives_the_bytes_and_their_etag(self) -> None:
        reply = Reply(200, b"{}", {"etag": '"1"'})
        assert read(lambda _: reply) == Found('"1"', b"{}")

    def test_asks_for_another_than_the_one_it_has(self) -> None:
        seen: list[Received] = []

        def answer(request: Received) -> Reply:
            seen.append(request)
            return Reply(304)

        assert read(answer, '"1"') is Nothing.UNCHANGED
        assert (seen[0].method, seen[0].path) == ("GET", "/hook")
        assert seen[0].headers["if-none-match"] == '"1"'
        assert seen[0].headers["x-amz-security-token"] == "token"

    def test_none_is_missing(self) -> None:
        assert read(lambda _: Reply(404, b"<Error/>")) is Nothing.MISSING

    @pytest.mark.parametrize("status", [301, 403, 500, 503])
    def test_any_other_answer_is_an_error(self, status: int) -> None:
        with pytest.raises(HttpError, match=str(status)):
            read(lambda _: status)

    def test_no_more_than_a_document_is_read(self) -> None:
        reply = Reply(200, b"x" * (MAX_DOCUMENT_BYTES + 1), {"etag": '"1"'})
        with pytest.raises(DocumentTooLargeError):
            read(lambda _: reply)

    def test_a_server_that_says_nothing_is_given_up_on(self) -> None:
        with pytest.raises(TimeoutError):
            read(lambda _: HANG, timeout_s=0.05)


class TestObjectUrl:
    def test_on_aws_the_bucket_is_in_the_name_of_the_host(self) -> None:
        url = object_url("b-1", "catalog.json", "eu-west-1", None)
        assert url == "https://b-1.s3.eu-west-1.amazonaws.com/catalog.json"

    def test_an_emulator_has_it_in_the_path(self) -> None:
        url = object_url("b-1", "catalog.json", "us-east-1", "http://127.0.0.1:4566")
        assert url == "http://127.0.0.1:4566/b-1/catalog.json"
