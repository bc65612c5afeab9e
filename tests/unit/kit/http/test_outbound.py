"""The outbound client against real servers on loopback: guarded, pinned, bounded."""

import time
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore
import httpx
import pytest

from tests.support.http_server import HANG, Answer, Raw, Received, Reply, http_server
from tests.support.resolver import resolving
from tollgate.kit.http.addresses import AddressGuard, ForbiddenAddressError
from tollgate.kit.http.outbound import MAX_REDIRECTS, Outbound

OUTBOUND = Outbound(AddressGuard(allow_loopback=True))
CLOSED = Outbound(AddressGuard())
DEADLINE_S = 0.3
PATIENCE_S = 10.0
"""Far above any deadline here, far below what an unbounded client would wait."""


def post(url: str, timeout_s: float = PATIENCE_S, max_answer_bytes: int = 1024) -> tuple[int, bytes]:
    answer = OUTBOUND.post(url, b"body", {"x-test": "1"}, timeout_s, max_answer_bytes)
    return answer.status, answer.body


def download(url: str, timeout_s: float = PATIENCE_S) -> tuple[int, bytes]:
    with OUTBOUND.download(url, timeout_s) as response:
        return response.status_code, b"".join(response.iter_raw())


class Keeper:
    """A server's behaviour that keeps what it received."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.received: list[Received] = []

    def __call__(self, request: Received) -> int | Reply | Raw:
        self.received.append(request)
        return self._answer(request)


class TestPost:
    def test_the_request_arrives_as_it_was_given(self) -> None:
        keeper = Keeper(lambda _: Reply(200, b"thanks"))
        with http_server(keeper) as url:
            assert post(f"{url}/path?q=1") == (200, b"thanks")
        (request,) = keeper.received
        assert (request.method, request.path, request.body) == ("POST", "/hook/path?q=1", b"body")
        assert request.headers["x-test"] == "1"
        assert request.headers["host"] == url.split("/")[2]

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_a_redirect_is_an_answer_and_is_not_followed(self, status: int) -> None:
        keeper = Keeper(lambda _: 200)
        with (
            http_server(keeper) as elsewhere,
            http_server(lambda _: Reply(status, headers={"location": elsewhere})) as url,
        ):
            assert post(url) == (status, b"")
        assert keeper.received == []

    @pytest.mark.parametrize(("limit", "read"), [(0, 0), (1, 1), (1024, 1024), (200_000, 100_000)])
    def test_only_the_first_bytes_of_an_answer_are_read(self, limit: int, read: int) -> None:
        with http_server(lambda _: Reply(200, b"x" * 100_000)) as url:
            assert post(url, max_answer_bytes=limit) == (200, b"x" * read)

    def test_an_answer_without_end_is_cut_off(self) -> None:
        def endless() -> Iterator[bytes]:
            yield b"HTTP/1.1 200 OK\r\n\r\n"
            while True:
                yield b"x" * 65_536

        with http_server(lambda _: Raw(endless())) as url:
            assert post(url, max_answer_bytes=10) == (200, b"x" * 10)


class TestAddress:
    def test_a_literal_that_is_not_public_is_never_called(self) -> None:
        keeper = Keeper(lambda _: 200)
        with http_server(keeper) as url:
            with pytest.raises(ForbiddenAddressError):
                CLOSED.post(url, b"", {}, PATIENCE_S, 10)
            with pytest.raises(ForbiddenAddressError), CLOSED.download(url, PATIENCE_S):
                pass
        assert keeper.received == []

    @pytest.mark.parametrize("spelling", ["0x7f.1", "2130706433", "localhost"])
    def test_nor_is_a_name_for_one(self, monkeypatch: pytest.MonkeyPatch, spelling: str) -> None:
        keeper = Keeper(lambda _: 200)
        with http_server(keeper) as url:
            resolving(monkeypatch, {spelling: [["127.0.0.1"]]})
            with pytest.raises(ForbiddenAddressError):
                CLOSED.post(url.replace("127.0.0.1", spelling), b"", {}, PATIENCE_S, 10)
        assert keeper.received == []

    def test_a_name_without_an_address_is_a_connection_that_failed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        resolving(monkeypatch, {})
        with pytest.raises(httpx.ConnectError, match=r"nowhere\.test"):
            post("http://nowhere.test/")

    def test_nobody_listening_is_a_connection_that_failed(self) -> None:
        with http_server(lambda _: 200) as url:
            pass
        with pytest.raises(httpx.ConnectError):
            post(url)


class TestRebinding:
    """A name that answers with a good address to the check, and with another one afterwards."""

    def test_the_name_is_resolved_once_and_the_checked_address_is_called(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        keeper = Keeper(lambda _: 200)
        with http_server(keeper) as url:
            resolver = resolving(monkeypatch, {"rebind.test": [["127.0.0.1"], ["10.0.0.1"]]})
            assert post(url.replace("127.0.0.1", "rebind.test"))[0] == 200
        assert resolver.asked == ["rebind.test"]
        assert keeper.received[0].headers["host"] == url.split("/")[2].replace("127.0.0.1", "rebind.test")

    def test_the_address_that_was_public_is_called_not_the_one_it_turned_into(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        called = connections_to(monkeypatch)
        resolving(monkeypatch, {"rebind.test": [["93.184.216.34"], ["127.0.0.1"]]})
        with pytest.raises(httpx.ConnectError):
            CLOSED.post("http://rebind.test:8080/", b"", {}, PATIENCE_S, 10)
        assert called == [("93.184.216.34", 8080)]

    def test_one_private_address_among_public_ones_and_nothing_is_called(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        called = connections_to(monkeypatch)
        resolving(monkeypatch, {"mixed.test": [["93.184.216.34", "10.0.0.1"]]})
        with pytest.raises(ForbiddenAddressError):
            CLOSED.post("http://mixed.test/", b"", {}, PATIENCE_S, 10)
        assert called == []


def connections_to(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Refuse every connection, and keep where it would have gone."""
    called: list[tuple[str, int]] = []

    def connect(_: httpcore.SyncBackend, host: str, port: int, *__: Any) -> httpcore.NetworkStream:
        called.append((host, port))
        raise httpcore.ConnectError("refused by the test")

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", connect)
    return called


class NamesTheServer(httpcore.NetworkStream):
    """A connection that ends when TLS starts, and keeps the name that TLS was started for."""

    def __init__(self) -> None:
        self.server_names: list[str | None] = []

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: Any = None) -> Any:
        self.server_names.append(server_hostname)
        assert ssl_context.check_hostname
        raise httpcore.ConnectError("refused by the test")

    def close(self) -> None:
        pass


class TestTls:
    def test_the_certificate_is_checked_for_the_name_not_for_the_pinned_address(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stream = NamesTheServer()
        monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", lambda *_: stream)
        resolving(monkeypatch, {"shop.test": [["93.184.216.34"]]})
        with pytest.raises(httpx.ConnectError):
            CLOSED.post("https://shop.test/hook", b"", {}, PATIENCE_S, 10)
        assert stream.server_names == ["shop.test"]

    def test_plain_http_behind_https_is_a_connection_that_failed(self) -> None:
        with http_server(lambda _: 200) as url, pytest.raises(httpx.ConnectError):
            post(url.replace("http://", "https://"))


class TestDeadline:
    """One deadline over the whole exchange: no single read is slow, together they are."""

    def drip(self, before: bytes, drops: int, pause_s: float = 0.05) -> Raw:
        def pieces() -> Iterable[bytes]:
            yield before
            for _ in range(drops):
                yield b"x"

        return Raw(pieces(), pause_s)

    @pytest.mark.parametrize(
        "before",
        [
            b"",
            b"HTTP/1.1 200 OK\r\nx-long: ",
        ],
        ids=["status line", "headers"],
    )
    def test_a_slow_drip_ends_at_the_deadline(self, before: bytes) -> None:
        started_s = time.monotonic()
        with http_server(lambda _: self.drip(before, drops=1_000)) as url:
            with pytest.raises(httpx.TimeoutException):
                post(url, timeout_s=DEADLINE_S, max_answer_bytes=10_000)
            with pytest.raises(httpx.TimeoutException):
                download(url, timeout_s=DEADLINE_S)
        assert time.monotonic() - started_s < PATIENCE_S

    def test_a_body_that_drips_fails_a_download_and_ends_what_is_kept_of_an_answer(self) -> None:
        before = b"HTTP/1.1 201 Created\r\ncontent-length: 1000\r\n\r\nfirst"
        started_s = time.monotonic()
        with http_server(lambda _: self.drip(before, drops=1_000)) as url:
            # Long enough for the first bytes on a busy machine.
            status, body = post(url, timeout_s=5 * DEADLINE_S, max_answer_bytes=10_000)
            with pytest.raises(httpx.TimeoutException):
                download(url, timeout_s=DEADLINE_S)
        assert status == 201
        assert body.startswith(b"first")
        assert time.monotonic() - started_s < PATIENCE_S

    def test_a_server_that_hangs_is_left_at_the_deadline(self) -> None:
        with http_server(lambda _: HANG) as url, pytest.raises(httpx.TimeoutException):
            post(url, timeout_s=DEADLINE_S)

    def test_redirects_do_not_start_it_again(self) -> None:
        def behaviour(request: Received) -> Reply | Raw:
            time.sleep(DEADLINE_S / 2)
            return Reply(302, headers={"location": request.path + "x"})

        with http_server(behaviour) as url, pytest.raises(httpx.TimeoutException):
            download(url, timeout_s=DEADLINE_S)


class TestDownload:
    def test_it_gives_status_and_bytes_and_asks_for_them_unpacked(self) -> None:
        keeper = Keeper(lambda _: Reply(200, b"bytes"))
        with http_server(keeper) as url:
            assert download(url) == (200, b"bytes")
        assert keeper.received[0].headers["accept-encoding"] == "identity"

    def test_bytes_that_are_packed_all_the_same_stay_packed(self) -> None:
        with http_server(lambda _: Reply(200, b"not gzip", {"content-encoding": "gzip"})) as url:
            assert download(url) == (200, b"not gzip")

    @pytest.mark.parametrize(
        "answer",
        [
            Reply(200, b"half", {"content-length": "8"}),
            Raw((b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\nhalf",)),
            Raw((b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n",)),
            Raw((b"no HTTP at all\r\n\r\n",)),
            Raw((b"",)),
        ],
        ids=["too short", "chunk too short", "broken chunk", "not HTTP", "closed"],
    )
    def test_a_body_that_breaks_off_is_an_error_never_a_shorter_file(self, answer: Reply | Raw) -> None:
        with http_server(lambda _: answer) as url, pytest.raises(httpx.TransportError):
            download(url)

    def test_headers_without_end_are_an_error(self) -> None:
        def endless() -> Iterator[bytes]:
            yield b"HTTP/1.1 200 OK\r\n"
            while True:
                yield b"x-more: " + b"x" * 8_000 + b"\r\n"

        with http_server(lambda _: Raw(endless())) as url, pytest.raises(httpx.TransportError):
            download(url)


def hops(count: int) -> Answer:
    """Redirect `count` times before the file; the path tells how many are left."""

    def behaviour(request: Received) -> Reply:
        left = int(request.path.rpartition("/")[2])
        if left == 0:
            return Reply(200, b"file")
        return Reply(302, headers={"location": f"/{left - 1}"})

    return behaviour


class TestRedirects:
    @pytest.mark.parametrize("count", [1, MAX_REDIRECTS])
    def test_a_few_are_followed(self, count: int) -> None:
        with http_server(hops(count)) as url:
            assert download(f"{url}/{count}") == (200, b"file")

    def test_one_more_is_too_many(self) -> None:
        with http_server(hops(10)) as url, pytest.raises(httpx.TooManyRedirects):
            download(f"{url}/{MAX_REDIRECTS + 1}")

    @pytest.mark.parametrize(
        "location",
        [
            "http://10.0.0.1/",
            "http://169.254.169.254/latest/meta-data/",
            "http://inside.test/",
            "http://user:password@public.test/",
            "ftp://public.test/",
            "file:///etc/passwd",
        ],
    )
    def test_each_hop_is_checked(self, monkeypatch: pytest.MonkeyPatch, location: str) -> None:
        with http_server(lambda _: Reply(302, headers={"location": location})) as url:
            resolving(monkeypatch, {"inside.test": [["192.168.0.1"]], "public.test": [["93.184.216.34"]]})
            with pytest.raises(ForbiddenAddressError):
                download(url)

    @pytest.mark.parametrize("location", ["http://[::1", "http://exa mple.test/", "http://"])
    def test_a_location_that_is_no_url_is_an_error_like_any_other(self, location: str) -> None:
        with (
            http_server(lambda _: Reply(302, headers={"location": location})) as url,
            pytest.raises((httpx.TransportError, ForbiddenAddressError)),
        ):
            download(url)
