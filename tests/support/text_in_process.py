"""`functions/text` and the simulator in one process: no server, no database, no money.

The books cover everything, and note each bill. Only one provider has credentials, so every request gets its
answer.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from logging import ERROR
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import httpx

from local.simulator.app import create_app
from tests.support.clock import ManualClock
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import ALL_SCOPES
from tollgate.audit.notes import AuditNotes
from tollgate.catalog.loader import Catalog
from tollgate.composition import text as text_parts
from tollgate.kit.http.response import HttpError
from tollgate.kit.observability import logger
from tollgate.ledger.holds import Hold
from tollgate.providers.runtime.secret import Credentials
from tollgate.providers.runtime.text_registry import BEDROCK, make_bedrock, make_text_upstreams
from tollgate.routing.wishes import NO_WISHES
from tollgate.text.models import TextModel
from tollgate.text.money.placed import Billed, PlacedHold
from tollgate.text.money.route_plan import Choose
from tollgate.text.responses.service import ResponsesService
from tollgate.text.routes.breaker import Breaker
from tollgate.text.routes.calls import RouteCalls
from tollgate.text.routes.switches import Switches
from tollgate.text.service import TextService
from tollgate.text.upstream.exchange import TextUpstream
from tollgate.text.usage import Usage

SIMULATOR = "http://simulator"
NOW_MS = 1_795_000_000_000


@dataclass(slots=True)
class Piped:
    """A provider's answer while it is written: the part of `kit.http.response.Response` that text reads."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    serving: "asyncio.Task[None] | None" = None
    pieces: "asyncio.Queue[bytes | None]" = field(default_factory=asyncio.Queue)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    is_cut: bool = False

    async def readany(self) -> bytes:
        found = await self.pieces.get()
        if self.is_cut and self.pieces.empty():
            raise HttpError("closed")
        return found or b""

    async def read(self, most: int) -> bytes:
        return b"".join([piece async for piece in self._all()])[:most]

    async def _all(self) -> AsyncIterator[bytes]:
        while piece := await self.readany():
            yield piece

    def close(self) -> None:
        if self.serving is not None:
            self.serving.cancel()


class SimulatedHttp:
    """The client of providers: each request is a call of the simulator's app."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def request(self, method: str, url: str, lines: str, body: bytes = b"", **_: object) -> Piped:
        named = [line.split(":", 1) for line in lines.split("\r\n") if line]
        target = httpx.URL(url)
        answer = Piped()

        def cut() -> None:
            answer.is_cut = True

        scope = {
            "type": "http",
            "method": method,
            "path": target.path,
            "raw_path": target.raw_path,
            "query_string": target.query,
            "headers": [(name.strip().lower().encode(), value.strip().encode()) for name, value in named],
            "extensions": {"simulator.close_connection": cut},
        }
        requests = [{"type": "http.request", "body": body}]

        async def receive() -> dict[str, Any]:
            return requests.pop() if requests else {"type": "http.disconnect"}

        async def send(message: Mapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
                answer.started.set()
            elif message["body"]:
                answer.pieces.put_nowait(message["body"])

        async def serve() -> None:
            await self._app(scope, receive, send)
            answer.pieces.put_nowait(None)

        answer.serving = asyncio.ensure_future(serve())
        await answer.started.wait()
        return answer

    def close(self) -> None:
        return


@dataclass
class Books:
    """Billing that covers everything. `billed` are the usages that were settled."""

    billed: list[Usage] = field(default_factory=list)

    async def place(self, account_id: str, request_id: str, choose: Choose, *_: Any, **__: Any) -> PlacedHold:
        hold, routes = Hold(request_id, 1_000, 1), choose(NO_WISHES)
        return PlacedHold(account_id, account_id, hold, routes.full_hold(), routes=routes)

    async def settle(self, placed: PlacedHold, model: TextModel, usage: Usage) -> Billed:
        self.billed.append(usage)
        return Billed(1)

    async def void(self, placed: PlacedHold) -> None:
        return

    async def fail(self, placed: PlacedHold, model: str, reason: str) -> None:
        return

    async def is_end_requested(self, placed: PlacedHold) -> bool:
        return False

    def rate_headers(self, account_id: str) -> Mapping[str, str]:
        return dict.fromkeys(("x-ratelimit-limit", "x-ratelimit-remaining"), "60")


class Known:
    """The key of every caller, the catalog, and the counter of requests."""

    current = Catalog.shipped()
    was_never_read = False

    async def authenticate(self, *_: object) -> ApiKey:
        return ApiKey("key_1", "usr_1", "digest", ALL_SCOPES, 0)

    def is_due(self) -> bool:
        return False

    def follow_days(self) -> None:
        return

    def count(self, account_id: str) -> None:
        return

    def left(self, account_id: str) -> int:
        return 1_000

    tell = count


class Unbroken(Breaker):
    """Skips no provider."""

    def allows(self, provider: str, now_ms: int) -> bool:
        return True


@cache
def _simulator() -> Any:
    return create_app()


def upstream_of(vendor: str) -> TextUpstream:
    """Return a provider with the simulator's address."""
    path = vendor if vendor in ("anthropic", BEDROCK) else f"{vendor}/v1"
    credentials = Credentials(key="key", base_url=f"{SIMULATOR}/{path}")
    if vendor == BEDROCK:
        unused: Any = None
        return make_bedrock(credentials, "us-east-1", unused)
    return make_text_upstreams({vendor: credentials})[vendor]


@dataclass
class TextCustomer:
    """A caller of the text routes, and the books."""

    http: httpx.AsyncClient
    books: Books

    async def post(self, path: str, body: Any) -> httpx.Response:
        return await self.http.post(f"/api/v1/{path}", json=body)

    async def get(self, path: str, **query: Any) -> httpx.Response:
        return await self.http.get(f"/api/v1/{path}", params=query)


async def _nothing_is_off() -> frozenset[str]:
    return frozenset()


@asynccontextmanager
async def text_customer(vendor: str, app: Any) -> AsyncIterator[TextCustomer]:
    """Yield a caller of `functions/text`, which is `app`, with credentials of this vendor only."""
    books, known, clock = Books(), Known(), ManualClock(NOW_MS)
    upstreams = {vendor: upstream_of(vendor)}

    async def made_upstreams() -> Mapping[str, TextUpstream]:
        return upstreams

    # Each of them has the methods that text calls.
    parts: Any = (books, SimulatedHttp(_simulator()), known, SimpleNamespace())
    billing, http, known_parts, unused = parts
    service = TextService(
        text_parts._models(known.current),
        RouteCalls(made_upstreams, billing, http, Unbroken(), clock),
        known.current.use_of,
    )
    responses = ResponsesService(service, unused, unused, AuditNotes("audit", clock))
    loop = asyncio.get_running_loop()
    text_parts._made[loop] = text_parts.TextParts(
        *(known_parts, service, responses, unused, known_parts, known_parts, known.current),
        *(Switches(_nothing_is_off, clock), *[unused] * 6),
    )
    level = logger.log_level
    # A quarter of the time would go into the log.
    logger.setLevel(ERROR)
    options: Any = {"base_url": "http://tollgate", "headers": {"authorization": "Bearer k"}}
    with (
        patch.dict(os.environ, {"STAGE": "local"}),
        patch("tollgate.text.routes.calls.RETRY_PAUSE_S", 0.0),
        patch.object(text_parts, "settings", lambda: SimpleNamespace(aws_lambda_exec_wrapper=None)),
    ):
        try:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), **options) as caller:
                yield TextCustomer(caller, books)
        finally:
            del text_parts._made[loop]
            logger.setLevel(level)
