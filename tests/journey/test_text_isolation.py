"""Many customers in one process of the text function: nothing of one is ever seen at another.

Forty accounts stream, answer whole and fail at once, in both protocols, against a far end that says each
request's own word back. Whatever comes out of the process is looked through for another's: bodies, headers,
request ids, usage, money, holds, lines of the log, and what the provider was sent.
"""

import asyncio
import io
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from local.machine.clients import Clients
from local.machine.emulator import Emulator
from tests.support.serving import running, server_of
from tests.support.text_app import USD, TextClient
from tollgate.kit.observability import logger
from tollgate.text.routes.breaker import Breaker

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

CUSTOMERS = 40
ROUTES = ("openai", "azure", "openrouter")
"""Of the model, best first."""
MODEL = "gpt-5.4-mini"
PIECES = 8
KINDS = ("chat", "chat-stream", "messages-stream")
WORD = re.compile(r"word-\d{3}")


@dataclass
class FarEnd:
    """All three providers: each says the word that it was sent, or fails where the prompt says so."""

    received: list[str] = field(default_factory=list)

    def app(self) -> FastAPI:
        app = FastAPI()
        app.add_api_route("/{provider}/chat/completions", self.answer, methods=["POST"])
        return app

    async def answer(self, provider: str, request: Request) -> Response:
        body = await request.body()
        self.received.append(body.decode() + repr(sorted(request.headers.items())))
        asked = json.loads(body)
        word, *fails = asked["messages"][-1]["content"].split()
        await asyncio.sleep(random.uniform(0, 0.02))  # noqa: S311
        if provider in fails:
            return JSONResponse({"error": {"message": f"{word} failed"}}, 500, {"x-secret": word})
        usage = {"prompt_tokens": 100 + int(word[-3:]), "completion_tokens": PIECES, "total_tokens": 0}
        head = {"id": f"chatcmpl-{word}", "created": 1, "model": asked["model"]}
        if not asked.get("stream"):
            message = {"role": "assistant", "content": f"{word} {provider} " * PIECES}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            return JSONResponse({**head, "choices": [choice], "usage": usage}, headers={"x-secret": word})
        said = self.events(head, f"{word} {provider} ", usage)
        return StreamingResponse(said, media_type="text/event-stream", headers={"x-secret": word})

    async def events(self, head: dict[str, Any], words: str, usage: dict[str, int]) -> AsyncIterator[bytes]:
        for at in range(PIECES):
            finish = "stop" if at == PIECES - 1 else None
            choice = {"index": 0, "delta": {"content": words}, "finish_reason": finish}
            whole = f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode()
            # Cut somewhere, so that what is kept of one stream meets the pieces of others.
            cut = random.randrange(1, len(whole))  # noqa: S311
            yield whole[:cut]
            await asyncio.sleep(random.uniform(0, 0.01))  # noqa: S311
            yield whole[cut:]
        yield f"data: {json.dumps({**head, 'choices': [], 'usage': usage})}\n\ndata: [DONE]\n\n".encode()


@pytest.fixture(scope="module")
def far_end(emulator: Emulator, stack_environment: dict[str, str]) -> Iterator[FarEnd]:
    """Put the far end in the place of the providers."""
    made = FarEnd()
    secrets = Clients.at(emulator.endpoint).secrets
    arn = stack_environment["PROVIDER_SECRET_ARN"]
    before = secrets.get_secret_value(SecretId=arn)["SecretString"]
    with running(server_of(made.app())) as url:
        ours = {name: {"key": f"key-of-{name}", "baseUrl": f"{url}/{name}"} for name in ROUTES}
        secrets.put_secret_value(SecretId=arn, SecretString=json.dumps(ours))
        yield made
        secrets.put_secret_value(SecretId=arn, SecretString=before)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """Return what the process logs, from level INFO on."""
    lines = io.StringIO()
    handler = cast("Any", logger.registered_handler)
    monkeypatch.setattr(handler, "stream", lines)
    level = logger.log_level
    logger.setLevel("INFO")
    yield lines
    logger.setLevel(level)


@dataclass(frozen=True)
class Asked:
    """One request of a customer's, and what came of it."""

    customer: int
    kind: str
    fails: tuple[str, ...]
    status: int
    headers: httpx.Headers
    text: str

    @property
    def request_id(self) -> str:
        return str(self.headers["x-request-id"])


def word_of(customer: int) -> str:
    return f"word-{customer:03}"


def fails_of(customer: int) -> tuple[str, ...]:
    """Return the providers that fail for a customer: for most none, for one in ten all."""
    return ROUTES[: (0, 1, 0, 2, 0, 1, 0, 2, 0, 3)[customer % 10]]


async def ask(http: httpx.AsyncClient, url: str, client: TextClient, customer: int, kind: str) -> Asked:
    fails = fails_of(customer)
    body = {
        "model": MODEL,
        "max_tokens": 50 + customer,
        "stream": kind.endswith("stream"),
        "messages": [{"role": "user", "content": " ".join([word_of(customer), *fails])}],
    }
    path = "/api/v1/messages" if kind.startswith("messages") else "/api/v1/chat/completions"
    sent = {"authorization": f"Bearer {client.account.api_key}", "x-own": word_of(customer)}
    answer = await http.post(f"{url}{path}", json=body, headers=sent)
    return Asked(customer, kind, fails, answer.status_code, answer.headers, answer.text)


@dataclass(frozen=True)
class Story:
    clients: list[TextClient]
    asked: list[Asked]
    lines: list[dict[str, Any]]
    received: list[str]


@pytest.fixture
def story(
    far_end: FarEnd,
    text_url: str,
    open_client: Callable[[int], TextClient],
    log: io.StringIO,
    monkeypatch: pytest.MonkeyPatch,
) -> Story:
    """Let all customers ask at once, each in every way."""
    # What is known of a provider's health is everybody's, on purpose; here each failure is one customer's.
    monkeypatch.setattr(Breaker, "allows", lambda *_: True)
    clients = [open_client(USD) for _ in range(CUSTOMERS)]

    async def all_at_once() -> list[Asked]:
        async with httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=None)) as http:
            asking = [
                ask(http, text_url, client, customer, kind)
                for kind in KINDS
                for customer, client in enumerate(clients)
            ]
            return await asyncio.gather(*asking)

    asked = asyncio.run(all_at_once())
    deadline = time.monotonic() + 60
    while not all(client.settled() for client in clients) and time.monotonic() < deadline:
        time.sleep(0.05)
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    return Story(clients, asked, lines, far_end.received)


def test_nothing_of_one_customer_is_seen_at_another(story: Story) -> None:
    assert len({asked.request_id for asked in story.asked}) == CUSTOMERS * len(KINDS)
    for asked in story.asked:
        shown = asked.text + repr(sorted(asked.headers.items()))
        assert set(WORD.findall(asked.text)) <= {word_of(asked.customer)}
        # What a provider says beside its answer stays with us.
        assert not WORD.search(repr(asked.headers))
        assert not [name for name in ROUTES if f"key-of-{name}" in shown]
        used = int(asked.headers["x-ratelimit-limit"]) - int(asked.headers["x-ratelimit-remaining"])
        # None where the rate window rolled over between the request and its headers: on a busy machine.
        assert 0 <= used <= len(KINDS)
        if len(asked.fails) == len(ROUTES):
            assert asked.status == 503 or "error" in asked.text
        else:
            assert asked.status == 200, asked.text
            answering = ROUTES[len(asked.fails)]
            assert asked.text.count(answering) == PIECES
            assert not [name for name in ROUTES if name != answering and name in asked.text]
    _check_books(story)
    _check_log(story)
    _check_what_was_sent(story)


def _check_books(story: Story) -> None:
    """Each account paid for its own answers, by its own usage, and nothing is held."""
    for customer, client in enumerate(story.clients):
        own = {
            asked.request_id: asked
            for asked in story.asked
            if asked.customer == customer and len(asked.fails) < len(ROUTES)
        }
        assert client.settled()
        entries = {str(entry.request_id): entry for entry in client.texts()}
        assert entries.keys() == own.keys()
        for request_id, entry in entries.items():
            assert entry.usage == {"input_tokens": 100 + customer, "output_tokens": PIECES}
            assert entry.provider == ROUTES[len(fails_of(customer))]
            cost = own[request_id].headers.get("x-tollgate-cost-micro-usd")
            assert cost in (None, str(-entry.amount_micro_usd))
        assert client.balance() == USD + sum(entry.amount_micro_usd for entry in entries.values())


def _check_log(story: Story) -> None:
    """Each line about a request is about it alone, and each request has its own lines."""
    events: dict[str, list[str]] = defaultdict(list)
    charges = {
        entry.request_id: -entry.amount_micro_usd for client in story.clients for entry in client.texts()
    }
    for line in story.lines:
        assert not WORD.search(json.dumps(line))
        if "message" in line:
            events[line.get("correlation_id", "")].append(line["message"])
            if line["message"] in ("text.answered", "text.streamed"):
                assert line["charge_micro_usd"] == charges[line["correlation_id"]]
    for asked in story.asked:
        seen = events[asked.request_id]
        failed = len(asked.fails) + (len(asked.fails) == len(ROUTES))
        assert seen.count("text.attempt_failed") == failed
        if asked.status == 200 and failed < len(ROUTES):
            ends = "text.streamed" if asked.kind.endswith("stream") else "text.answered"
            assert seen.count(ends) == 1


def _check_what_was_sent(story: Story) -> None:
    """A provider is sent one customer's words, and nobody's key but ours."""
    attempts: dict[str, int] = defaultdict(int)
    for received in story.received:
        (word,) = set(WORD.findall(received))
        attempts[word] += 1
        assert "tg_live_" not in received
        assert "x-own" not in received
        assert re.search(rf'_tokens": ?{50 + int(word[-3:])}[,}}]', received)
    for customer in range(CUSTOMERS):
        fails = len(fails_of(customer))
        # Where all fail the last one is asked once more.
        assert attempts[word_of(customer)] == len(KINDS) * (fails + 1)
