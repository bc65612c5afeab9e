"""MiniStack in this process, without sockets: our clients of AWS call it.

    botocore's session ─┐
                        ├─► answered ─► MiniStack's ASGI app, one request at a time, as its own server has it
    kit/http's client ──┘

A request to it over sockets costs three times as much CPU as its answer. The journeys run it as a process.
"""

import asyncio
import io
import sys
import threading
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session

from local.machine.emulator import PROGRAM
from tollgate.kit.http.client import HttpClient
from tollgate.kit.http.response import Response

ENDPOINT = "http://127.0.0.1:4566"
"""MiniStack's own port, to which nothing listens here."""
_SERVICES = ("dynamodb", "s3", "secretsmanager", "sqs")
_SETTINGS = {"LOG_LEVEL": "WARNING"}
_one_at_a_time = threading.Lock()
_send: Any = URLLib3Session.send
_request: Any = HttpClient.request


class Answer(NamedTuple):
    """Status, headers and body."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


@contextmanager
def emulator_here() -> Iterator[str]:
    """Have MiniStack answer what is sent to the address that this yields."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(URLLib3Session, "send", _send_here)
        patch.setattr(HttpClient, "request", _request_here)
        yield ENDPOINT


def answered(method: str, url: str, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> Answer:
    """Return MiniStack's answer to a request."""
    target = urlsplit(url)
    scope = {
        "type": "http",
        "method": method,
        "path": unquote(target.path) or "/",
        "raw_path": target.path.encode(),
        "query_string": target.query.encode(),
        "headers": [(b"host", target.netloc.encode()), *headers],
    }
    sent: list[Mapping[str, Any]] = []

    async def receive() -> Mapping[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    with _one_at_a_time:
        copy_context().run(_run, _app()(scope, receive, send))
    start, *parts = sent
    return Answer(start["status"], start["headers"], b"".join(part.get("body", b"") for part in parts))


def _run(coroutine: Coroutine[Any, Any, None]) -> None:
    try:
        coroutine.send(None)
    except StopIteration:
        return
    coroutine.close()
    raise NotImplementedError("this request waits, for which MiniStack needs a process of its own")


@cache
def _app() -> Any:
    # In an environment of its own. Packages that we have too are ours.
    (packages,) = PROGRAM.parents[1].glob("lib/python3*/site-packages")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in _SETTINGS.items():
            patch.setenv(name, value)
        patch.setattr(sys, "path", [*sys.path, str(packages)])
        for service in _SERVICES:
            import_module(f"ministack.services.{service}")
        return import_module("ministack.app").app


def _send_here(session: URLLib3Session, request: AWSPreparedRequest) -> Any:
    if not request.url.startswith(ENDPOINT):
        return _send(session, request)
    headers = [(name.lower().encode(), _bytes(value)) for name, value in request.headers.items()]
    body: Any = request.body or b""
    whole = body.read() if hasattr(body, "read") else _bytes(body)
    answer = answered(request.method, request.url, headers, whole)
    names: Any = {name.decode().lower(): value.decode() for name, value in answer.headers}
    return AWSResponse(request.url, answer.status, names, _Raw(answer.body))


async def _request_here(
    client: HttpClient,
    method: str,
    url: str,
    lines: str,
    body: bytes = b"",
    *,
    timeout_s: float,
    **limits: Any,
) -> Any:
    if not url.startswith(ENDPOINT):
        return await _request(client, method, url, lines, body, timeout_s=timeout_s, **limits)
    named = [line.split(b":", 1) for line in lines.encode().split(b"\r\n") if line]
    # Others run on while a request is on its way, and while its answer is.
    await asyncio.sleep(0)
    answer = answered(method, url, [(name.strip().lower(), value.strip()) for name, value in named], body)
    await asyncio.sleep(0)
    response = Response(client, asyncio.get_running_loop(), timeout_s, None)  # type: ignore[arg-type]
    head = b"".join(b"%s: %s\r\n" % header for header in answer.headers)
    response.take_whole(answer.status, head, answer.body)
    return response


class _Raw(io.BytesIO):
    """A body as urllib3 has it."""

    def stream(self, size: int = 2**16, **_: Any) -> Iterator[bytes]:
        while piece := self.read(size):
            yield piece


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value
