"""HTTP towards providers, against real servers: what was sent, what came back, what a status means."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.http_server import HANG, Answer, Raw, Received, Reply, http_server
from tollgate.providers.runtime.answers import failure_of
from tollgate.providers.runtime.http import NoAnswerError, NotSentError, ProviderHttp
from tollgate.providers.runtime.outcomes import FailureKind
from tollgate.providers.runtime.reply import Reply as ProviderReply

KEY = "sk-very-secret-0123456789"


def api(base_url: str, **bounds: Any) -> ProviderHttp:
    return ProviderHttp(base_url, KEY, {"authorization": f"Key {KEY}"}, **bounds)


def call(answer: Answer, **bounds: Any) -> ProviderReply:
    with http_server(answer) as url:
        return api(url, **bounds).call("POST", "/submit", {"prompt": "a fox"})


class TestCall:
    def test_the_request_is_json_under_the_base_url_with_our_credentials(self) -> None:
        received: list[Received] = []

        def keep(request: Received) -> Reply:
            received.append(request)
            return Reply(200, b'{"id": 1}')

        reply = call(keep)
        (request,) = received
        assert (request.method, request.path) == ("POST", "/hook/submit")
        assert request.body == b'{"prompt":"a fox"}'
        assert request.headers["content-type"] == "application/json"
        assert request.headers["authorization"] == f"Key {KEY}"
        assert (reply.status, reply.json, reply.ok) == (200, {"id": 1}, True)

    def test_a_form_and_headers_besides_the_usual(self) -> None:
        received: list[Received] = []

        def keep(request: Received) -> Reply:
            received.append(request)
            return Reply(200)

        with http_server(keep) as url:
            api(url).call(
                "POST", "/upload", form={"image_url": "https://a.test/a.png"}, headers={"x-one": "1"}
            )
        (request,) = received
        assert request.headers["content-type"].startswith("multipart/form-data; boundary=")
        assert b'name="image_url"\r\n\r\nhttps://a.test/a.png\r\n' in request.body
        assert request.headers["x-one"] == "1"
        assert request.headers["authorization"] == f"Key {KEY}"

    def test_a_whole_url_of_the_same_api_is_called_as_it_is(self) -> None:
        with http_server(lambda request: Reply(200, f'"{request.path}"'.encode())) as url:
            assert api(url).call("GET", f"{url}/status?logs=1").json == "/hook/status?logs=1"

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_redirects_are_not_followed_with_our_key(self, status: int) -> None:
        received: list[Received] = []

        def keep(request: Received) -> Reply:
            received.append(request)
            return Reply(200)

        with http_server(keep) as elsewhere:
            assert call(lambda _: Reply(status, headers={"location": elsewhere})).status == status
        assert received == []

    @pytest.mark.parametrize(
        "body", [b"", b"<html>", b'{"a": ', b'{"a": NaN', b"[" * 100_000, b"1" * 5_000, b"\xff\xfe"]
    )
    def test_an_answer_that_is_no_json_is_an_answer_without_json(self, body: bytes) -> None:
        reply = call(lambda _: Reply(200, body))
        assert (reply.status, reply.json) == (200, None)

    def test_half_a_surrogate_pair_becomes_something_that_can_be_stored(self) -> None:
        reply = call(lambda _: Reply(200, rb'{"msg": "cut \ud83d", "\udc00": "\ud83d\ude00"}'))
        assert reply.json == {"msg": "cut ?", "?": "\U0001f600"}


class TestNotSent:
    def test_nobody_listens(self) -> None:
        with http_server(lambda _: 200) as url:
            pass
        with pytest.raises(NotSentError, match="ConnectError"):
            api(url).call("POST", "/submit")

    def test_an_address_that_is_none(self) -> None:
        with pytest.raises(NotSentError):
            api("http://127.0.0.1:1").call("GET", "http://[::1")


class TestNoAnswer:
    """It went out, so the provider may have it."""

    @pytest.mark.parametrize(
        "answer",
        [
            Raw((b"",)),
            Raw((b"no HTTP\r\n\r\n",)),
            Raw((b"HTTP/1.1 200 OK\r\ncontent-le",)),
            Reply(200, b"{}", {"content-length": "100"}),
            Reply(200, b"not gzip", {"content-encoding": "gzip"}),
        ],
        ids=["closed", "not HTTP", "half the headers", "half the body", "a body that does not unpack"],
    )
    def test_it_breaks_off(self, answer: Reply | Raw) -> None:
        with pytest.raises(NoAnswerError):
            call(lambda _: answer)

    def test_it_never_comes(self) -> None:
        with pytest.raises(NoAnswerError, match="ReadTimeout"):
            call(lambda _: HANG, answer_timeout_s=0.1)

    def test_it_drips(self) -> None:
        def drip() -> Iterator[bytes]:
            yield b"HTTP/1.1 200 OK\r\n\r\n"
            while True:
                yield b" "

        with pytest.raises(NoAnswerError, match="took longer"):
            call(lambda _: Raw(drip(), 0.02), answer_timeout_s=0.2)

    def test_it_does_not_end(self) -> None:
        def endless() -> Iterator[bytes]:
            yield b"HTTP/1.1 200 OK\r\n\r\n"
            while True:
                yield b" " * 65_536

        with pytest.raises(NoAnswerError, match="larger than 1000000 bytes"):
            call(lambda _: Raw(endless()), max_answer_bytes=1_000_000)


class TestOwns:
    @pytest.mark.parametrize(
        "url", ["https://api.test/x", "https://api.test:443/", "HTTPS://API.TEST/y?z", "https://api.test"]
    )
    def test_what_is_of_the_same_origin(self, url: str) -> None:
        assert api("https://api.test/base").owns(url)

    @pytest.mark.parametrize(
        "url",
        [
            "http://api.test/x",
            "https://api.test:8443/x",
            "https://api.test.evil.test/x",
            "https://evil.test/api.test",
            "https://api.test@evil.test/",
            "https://sub.api.test/",
            "//api.test/x",
            "/x",
            "",
            "https://",
            "https://[::1",
            "https://api.test:99999/",
            None,
            5,
            ["https://api.test/x"],
        ],
    )
    def test_what_is_not(self, url: object) -> None:
        assert not api("https://api.test/base").owns(url)


class TestDetail:
    def test_it_is_short(self) -> None:
        reply = call(lambda _: Reply(500, b"x" * 10_000))
        assert reply.detail() == "HTTP 500: " + "x" * 300

    def test_a_key_that_the_provider_repeats_is_not_noted(self) -> None:
        body = b"x" * 290 + f" wrong key: {KEY}".encode()
        for answer in (Reply(401, f"wrong key: {KEY}".encode()), Reply(401, body)):
            with http_server(lambda _, given=answer: given) as url:  # type: ignore[misc]
                assert KEY[:8] not in api(url).call("GET", "/").detail()

    def test_nor_is_it_in_what_is_read_of_the_answer(self) -> None:
        spelled = KEY.replace("-", "\\u002d")
        reply = call(lambda _: Reply(400, f'{{"error": {{"message": "wrong key {spelled}"}}}}'.encode()))
        assert reply.string("error", "message") == "wrong key [key]"


class TestGet:
    REPLY = ProviderReply(200, {"data": {"id": "x", "n": 1, "none": None}, "list": [{"id": 1}]}, {}, "")

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            (("data", "id"), "x"),
            (("data", "n"), 1),
            (("data", "none"), None),
            (("data", "gone"), None),
            (("gone", "id"), None),
            (("list", "id"), None),
            (("data", "id", "deeper"), None),
        ],
    )
    def test_it_follows_objects_and_gives_none_where_they_end(
        self, path: tuple[str, ...], value: object
    ) -> None:
        assert self.REPLY.get(*path) == value

    def test_a_string_is_a_string_or_nothing(self) -> None:
        assert self.REPLY.string("data", "id") == "x"
        assert self.REPLY.string("data", "n") is self.REPLY.string("list") is None


class TestFailureOf:
    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            (301, FailureKind.NOT_CONFIGURED),
            (302, FailureKind.NOT_CONFIGURED),
            (401, FailureKind.REFUSED_US),
            (402, FailureKind.REFUSED_US),
            (403, FailureKind.REFUSED_US),
            (404, FailureKind.NOT_CONFIGURED),
            (408, FailureKind.PROVIDER_ERROR),
            (409, FailureKind.PROVIDER_ERROR),
            (425, FailureKind.PROVIDER_ERROR),
            (429, FailureKind.LIMITED),
            (500, FailureKind.PROVIDER_ERROR),
            (502, FailureKind.PROVIDER_ERROR),
            (503, FailureKind.PROVIDER_ERROR),
            (504, FailureKind.PROVIDER_ERROR),
            (524, FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_what_is_about_the_provider_or_about_us_leads_to_the_next_route(
        self, status: int, kind: FailureKind
    ) -> None:
        failed = failure_of(ProviderReply(status, None, {}, "words"))
        assert failed is not None
        assert failed.kind is kind
        assert failed.detail == f"HTTP {status}: words"

    @pytest.mark.parametrize("status", [400, 413, 422])
    def test_what_is_about_the_request_is_left_to_the_adapter(self, status: int) -> None:
        assert failure_of(ProviderReply(status, None, {}, "")) is None
