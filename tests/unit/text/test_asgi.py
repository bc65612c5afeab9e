"""The way from ASGI to a handler and back."""

import asyncio
from typing import Any

import pytest

from tollgate.kit.errors import MethodNotAllowedError, PayloadTooLargeError, RouteNotFoundError
from tollgate.text.serving import asgi
from tollgate.text.serving.asgi import ClientLeftError, Message, Reply, Request, Routes

LEAVES: Message = {"type": "http.disconnect"}


async def echo(request: Request) -> Reply:
    body = await request.body(5)
    shown = [
        request.method,
        request.path_id,
        request.headers.get("x-n"),
        request.query.get("q"),
        request.peer,
    ]
    return Reply(f"{shown} {body!r}".encode(), headers={"X-Own": "1"})


async def nothing(_: Request) -> Reply:
    return Reply(status=204)


def routes(closed: list[str]) -> Routes:
    async def close() -> None:
        closed.append("closed")

    table = [("POST", "/plain", echo), ("GET HEAD", "/of/{id}", echo), ("GET", "/none", nothing)]
    return Routes(table, close)


def serve(scope: dict[str, Any], *received: Message, closed: list[str] | None = None) -> list[Message]:
    """Serve one scope; give what was sent."""
    sent: list[Message] = []
    left = list(received)

    async def receive() -> Message:
        return left.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    whole = {"type": "http", "headers": [], "query_string": b"", "state": {}, **scope}
    asyncio.run(routes([] if closed is None else closed)(whole, receive, send))
    return sent


def part(body: bytes, *, more: bool = False) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


class TestRoutes:
    def test_a_request_comes_to_its_handler_as_it_was_sent(self) -> None:
        scope = {
            "method": "POST",
            "path": "/plain",
            # Of two of a name the first counts, as for the authentication.
            "headers": [(b"x-n", b"first"), (b"x-n", b"second")],
            "query_string": b"q=a%20b&q=c",
            "client": ("10.0.0.1", 9),
        }
        start, body = serve(scope, part(b"ab", more=True), part(b"c"))
        assert body["body"] == b"['POST', '', 'first', 'c', '10.0.0.1'] b'abc'"
        assert start["status"] == 200
        assert dict(start["headers"]) == {
            b"content-length": str(len(body["body"])).encode(),
            b"content-type": b"application/json",
            b"x-own": b"1",
        }

    def test_a_part_of_a_path_is_its_id(self) -> None:
        _, body = serve({"method": "GET", "path": "/of/a b"}, part(b""))
        assert body["body"].startswith(b"['GET', 'a b'")

    @pytest.mark.parametrize("path", ["/", "/of/", "/of/a/b", "/plain/", "/of/a\n/b"])
    def test_no_such_path(self, path: str) -> None:
        with pytest.raises(RouteNotFoundError):
            serve({"method": "GET", "path": path})

    def test_not_this_method(self) -> None:
        with pytest.raises(MethodNotAllowedError) as refused:
            serve({"method": "POST", "path": "/of/a"})
        assert refused.value.headers() == {"Allow": "GET, HEAD"}

    def test_no_content_has_no_length(self) -> None:
        start, body = serve({"method": "GET", "path": "/none"})
        assert (start["status"], start["headers"], body["body"]) == (204, [], b"")

    def test_a_body_is_bounded_and_a_client_may_leave(self) -> None:
        posted = {"method": "POST", "path": "/plain"}
        with pytest.raises(PayloadTooLargeError):
            serve(posted, part(b"abc", more=True), part(b"def", more=True))
        with pytest.raises(ClientLeftError):
            serve(posted, part(b"abc", more=True), LEAVES)

    def test_a_client_that_does_not_read_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(asgi, "SEND_TIMEOUT_S", 0.01)

        async def never(_: Message) -> None:
            await asyncio.sleep(60)

        async def nobody() -> Message:
            return LEAVES

        with pytest.raises(TimeoutError):
            asyncio.run(Reply(b"x").send(nobody, never))

    def test_what_is_no_http(self) -> None:
        assert serve({"type": "websocket"}) == [{"type": "websocket.close"}]
        closed: list[str] = []
        events = ({"type": "lifespan.startup"}, {"type": "lifespan.shutdown"})
        sent = serve({"type": "lifespan"}, *events, closed=closed)
        assert [message["type"] for message in sent] == [
            "lifespan.startup.complete",
            "lifespan.shutdown.complete",
        ]
        assert closed == ["closed"]
