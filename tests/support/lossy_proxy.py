"""A proxy that loses answers: before the emulator, the simulator of the providers, or any HTTP server.

    client ─► here ─► upstream
           ◄─ the connection is closed, or nothing comes any more

`Losses` says what gets lost. The client of a lost answer sees its connection closed; sometimes it hears
nothing until its own patience is over. A late request goes to the server a while after its client was left.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from tests.support.losses import Loss, Losses

START_TIMEOUT_S = 60.0
MAX_BODY_BYTES = 2**28
LATE_S = (0.05, 1.0)
HANG_S = 20.0
"""Longer than any client of AWS here waits for an answer."""
KEPT_S = 2.0
END_S = 1.0
_DYNAMODB = "DynamoDB_"
# What one side says to the other about their own connection.
_OF_ONE_CONNECTION = {"connection", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LossyProxy:
    """Carries requests to `upstream`, and loses what `losses` says; a share of the losses hangs.

    Requests to DynamoDB go to `database` where one is given.
    """

    def __init__(
        self, upstream: str, losses: Losses, hanging: float = 0.0, database: str | None = None
    ) -> None:
        self.url = ""
        self.losses = losses
        self._upstream = upstream
        self._database = database or upstream
        self._hanging = hanging
        self._random = Random(hanging)  # noqa: S311 - not a secret
        self._session: aiohttp.ClientSession | None = None
        self._late: set[asyncio.Task[None]] = set()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request, or leave its client without an answer."""
        body = await request.read()
        loss = self.losses.next(call_of(request))
        if loss is None:
            return await self._pass_on(request, body)
        if loss is Loss.UNANSWERED:
            await self._carry_out(request, body)
        if loss is Loss.LATE:
            late = asyncio.ensure_future(self._later(request, body))
            self._late.add(late)
            late.add_done_callback(self._late.discard)
        return await self._silence(request)

    async def _pass_on(self, request: web.Request, body: bytes) -> web.StreamResponse:
        try:
            async with self._sent(request, body) as answer:
                headers = [(n, v) for n, v in answer.headers.items() if n.lower() not in _OF_ONE_CONNECTION]
                passed = web.StreamResponse(
                    status=answer.status, reason=answer.reason, headers=CIMultiDict(headers)
                )
                await passed.prepare(request)
                async for chunk in answer.content.iter_any():
                    await passed.write(chunk)
                await passed.write_eof()
                return passed
        except (aiohttp.ClientError, ConnectionError):
            # One of the two sides left in the middle; so must the other one see it.
            return _left(request)

    async def _carry_out(self, request: web.Request, body: bytes) -> None:
        with suppress(aiohttp.ClientError):
            async with self._sent(request, body) as answer:
                await answer.read()

    async def _later(self, request: web.Request, body: bytes) -> None:
        await asyncio.sleep(self._random.uniform(*LATE_S))
        await self._carry_out(request, body)

    async def _silence(self, request: web.Request) -> web.StreamResponse:
        if self._random.random() < self._hanging:
            await asyncio.sleep(HANG_S)
        return _left(request)

    def _sent(self, request: web.Request, body: bytes) -> Any:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                auto_decompress=False,
                skip_auto_headers=("accept", "accept-encoding", "content-type", "user-agent"),
                timeout=aiohttp.ClientTimeout(total=None),
                # Shorter than the servers here keep a connection.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEPT_S),
            )
        is_database = request.headers.get("x-amz-target", "").startswith(_DYNAMODB)
        upstream = self._database if is_database else self._upstream
        # With the client's own Host: it is part of addresses that are signed.
        headers = [(n, v) for n, v in request.headers.items() if n.lower() not in _OF_ONE_CONNECTION]
        return self._session.request(
            request.method,
            URL(upstream + request.rel_url.raw_path_qs, encoded=True),
            data=body or None,
            headers=headers,
            allow_redirects=False,
        )

    @property
    def is_quiet(self) -> bool:
        """Return whether nothing is held up any more."""
        return not self._late

    async def close(self) -> None:
        """End what is under way."""
        for late in self._late:
            late.cancel()
        if self._session is not None:
            await self._session.close()


def call_of(request: web.Request) -> str:
    """Return what a request asks for: AWS's own name of the operation, else method and first step."""
    target = request.headers.get("x-amz-target", "")
    return target.rpartition(".")[2] or f"{request.method} {request.path.split('/')[1]}"


def _left(request: web.Request) -> web.StreamResponse:
    """Close the connection of a request; what is returned goes nowhere."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


@contextmanager
def lossy_before(
    upstream: str, losses: Losses, hanging: float = 0.0, database: str | None = None
) -> Iterator[LossyProxy]:
    """Run a lossy proxy in a thread; `url` is its address, and `losses` may be changed."""
    proxy = LossyProxy(upstream, losses, hanging, database)
    with served(proxy.handle, proxy.close) as proxy.url:
        yield proxy


@contextmanager
def served(handle: Handler, close: Callable[[], Awaitable[None]]) -> Iterator[str]:
    """Serve a handler of all requests in a thread; give its address."""
    loop, started = asyncio.new_event_loop(), threading.Event()
    at: list[str] = []

    async def start() -> web.AppRunner:
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_route("*", "/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=END_S)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        at.append(f"http://127.0.0.1:{runner.addresses[0][1]}")
        started.set()
        return runner

    def run() -> None:
        runner = loop.run_until_complete(start())
        loop.run_forever()
        loop.run_until_complete(close())
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(START_TIMEOUT_S)
    try:
        yield at[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
