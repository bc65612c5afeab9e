"""Clients that go, owners that end an answer, servers that stop: at any moment the money is right.

The real service, billing and stream on a simulated database, in simulated time; the provider is a fake.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.account import MODEL, World
from tests.support.laws import examples
from tests.support.simulated import SimulatedLoop
from tests.unit.text.samples import ANTHROPIC, OPENAI, routed, text_model
from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import AccountRepository
from tollgate.accounts.scopes import Scope
from tollgate.kit.http.client import HttpClient
from tollgate.kit.http.response import HttpError
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import holds_of
from tollgate.ledger.wallets import Limits
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import read_request
from tollgate.text.models import TextModel, TextProtocol, TextRoute
from tollgate.text.routes.breaker import Breaker
from tollgate.text.routes.calls import RouteCalls
from tollgate.text.routes.response import READ_INTERVAL_S
from tollgate.text.service import TextService
from tollgate.text.serving.asgi import Message
from tollgate.text.serving.event_stream import ENDS_ON_HEADER, http_response
from tollgate.text.upstream.counting import is_countable
from tollgate.text.upstream.exchange import Exchange, RoutedRequest, TextUpstream, chat_exchange
from tollgate.text.wire.dialect import ChatDialect
from tollgate.text.wire.rendering import Unchanged

REQUEST = "req_01M81VJ6AEDTJ68M4TNHBHFDSH"
WORDS = 20
WORD_S = 1.0
INPUT_TOKENS = 50
HIDDEN_TOKENS = 300
"""Thought out of sight, as the report says at the end."""
OUTPUT_TOKENS = WORDS + HIDDEN_TOKENS
FULL_CHARGE = 1_478
"""50 tokens of input at 0.75 micro-USD and 320 of output at 4.5: 37.5 + 1,440, rounded up."""
USAGE = {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS}


def chunk(**fields: Any) -> bytes:
    return f"data: {dumps({'id': 'c', 'model': 'm', **fields})}\n\n".encode()


@dataclass
class FakeAnswer:
    """A word a second, then the report. Closed, it ends as a connection does."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    said: int = 0
    is_closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def readany(self) -> bytes:
        with suppress(TimeoutError):
            async with asyncio.timeout(WORD_S):
                await self.is_closed.wait()
            raise HttpError("closed")
        self.said += 1
        if self.said <= WORDS:
            return chunk(choices=[{"index": 0, "delta": {"content": "word"}}])
        return chunk(choices=[], usage=USAGE) + b"data: [DONE]\n\n" if self.said == WORDS + 1 else b""

    def close(self) -> None:
        self.is_closed.set()


@dataclass
class FakeProvider:
    """Answers in this process."""

    countable: bool
    answers: list[FakeAnswer] = field(default_factory=list)

    def exchange(self, routed: RoutedRequest) -> Exchange:
        self.answers.append(FakeAnswer())
        exchange = chat_exchange(routed, self.answers[-1], ChatDialect())
        return replace(exchange, is_countable=self.countable)


@dataclass
class Scene:
    """One streamed request of one account, and its client."""

    world: World
    provider: FakeProvider
    detects_disconnects: bool = True
    sent: list[Message] = field(default_factory=list)
    has_gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self) -> None:
        body = {"model": MODEL.id, "stream": True, "messages": [{"role": "user", "content": "hi"}]}
        request = read_request(OPENAI, dumps(body).encode())

        async def upstreams() -> Mapping[str, TextUpstream]:
            return {"openai": self.provider}

        http: Any = HttpClient()
        calls = RouteCalls(
            upstreams=upstreams,
            billing=self.world.billing(),
            http=http,
            breaker=Breaker(),
            clock=self.world.clock,
            detects_disconnects=self.detects_disconnects,
        )
        service = TextService({MODEL.id: MODEL}, calls, lambda _: None)
        key = ApiKey("key_1", self.world.account_id, "d", frozenset({Scope.TEXT}), 0)
        responding = service.respond(request, key, REQUEST, {})
        end_if_asked = partial(service.end_if_asked, REQUEST)
        answer = await http_response(responding, Unchanged(OPENAI), lambda body, _: body, end_if_asked)
        await answer.send(self.receive, self.send)

    async def receive(self) -> Message:
        await self.has_gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    async def charges(self) -> list[Entry]:
        """Return what the ledger has, once it is proven and nothing is held."""
        row = await self.world.threads.run(lambda: self.world.ledger.account_row(self.world.account_id))
        assert holds_of(row) == []
        assert await self.world.threads.run(self.world.proven)
        entries = await self.world.threads.run(lambda: list(self.world.ledger.entries(self.world.account_id)))
        return [entry for entry in entries if entry.kind is not EntryKind.CREDIT]

    @property
    def ends_on(self) -> str:
        headers: dict[bytes, bytes] = dict(self.sent[0]["headers"])
        return headers[ENDS_ON_HEADER.encode()].decode()

    @property
    def text(self) -> str:
        said = b"".join(message.get("body", b"") for message in self.sent).decode()
        return said.replace(": keep-alive\n\n", "")


def played(
    story: Callable[[Scene], Coroutine[Any, Any, None]],
    *,
    countable: bool = True,
    sees: bool = True,
    completes: bool = False,
) -> None:
    with closing(SimulatedLoop()) as loop, ThreadPoolExecutor(2) as pool:
        loop.set_default_executor(pool)

        async def told() -> None:
            world = World(loop, has_physics=False, balance_micro_usd=1_000_000, limits=Limits())
            await world.open()
            if completes:
                accounts = AccountRepository(world.blocking, "AccountsTable")
                await world.threads.run(lambda: accounts.set_completes_answers(world.account_id, True))
            await story(Scene(world, FakeProvider(countable), sees))

        loop.run_until_complete(told())


class TestAClientThatGoes:
    def test_ends_the_answer_and_pays_for_what_it_was_shown(self) -> None:
        async def story(scene: Scene) -> None:
            scene.world.loop.call_later(5.5 * WORD_S, scene.has_gone.set)
            await scene.serve()
            assert scene.ends_on == "disconnect, delete"
            assert scene.provider.answers[0].is_closed.is_set()
            (charge,) = await scene.charges()
            assert charge.usage is not None
            # Five words of four bytes each, a token for each four bytes.
            assert charge.usage["output_tokens"] == 5
            assert charge.usage["estimated"] is True
            assert 0 < -charge.amount_micro_usd < FULL_CHARGE

        played(story)

    @pytest.mark.parametrize(
        ("countable", "sees", "completes", "ends_on"),
        [
            pytest.param(False, True, False, "nothing", id="the answer cannot be counted"),
            pytest.param(True, False, False, "delete", id="nobody tells the server"),
            pytest.param(True, True, True, "delete", id="the account lets answers complete"),
        ],
    )
    def test_pays_for_the_whole_answer_where_the_header_says_so(
        self, countable: bool, sees: bool, completes: bool, ends_on: str
    ) -> None:
        async def story(scene: Scene) -> None:
            scene.world.loop.call_later(5.5 * WORD_S, scene.has_gone.set)
            await scene.serve()
            assert scene.ends_on == ends_on
            (charge,) = await scene.charges()
            assert -charge.amount_micro_usd == FULL_CHARGE

        played(story, countable=countable, sees=sees, completes=completes)

    def test_gets_no_thinking_for_nothing_by_going_just_before_the_report(self) -> None:
        async def story(scene: Scene) -> None:
            scene.world.loop.call_later((WORDS + 0.5) * WORD_S, scene.has_gone.set)
            await scene.serve()
            (charge,) = await scene.charges()
            assert -charge.amount_micro_usd == FULL_CHARGE

        played(story, countable=False)


class TestAnOwnerThatEndsIt:
    @pytest.mark.parametrize("countable", [True, False])
    def test_it_ends_for_the_client_and_for_the_provider_if_it_can_be_counted(self, countable: bool) -> None:
        async def story(scene: Scene) -> None:
            serving = asyncio.ensure_future(scene.serve())
            await asyncio.sleep(2.5 * WORD_S)
            ask = HoldWrites("AccountsTable", "LedgerTable").request_end(scene.world.account_id, REQUEST)
            await scene.world.threads.run(lambda: scene.world.blocking.write(ask))
            await asyncio.sleep(READ_INTERVAL_S)
            told = scene.text
            assert told.count("request_ended") == 1
            await serving
            assert scene.text == told
            (charge,) = await scene.charges()
            assert (-charge.amount_micro_usd == FULL_CHARGE) is not countable

        played(story, countable=countable)


class TestTheLaw:
    """Whoever goes, whenever: nothing stays held, the books agree, and what was made is paid for."""

    @settings(max_examples=examples(60))
    @given(
        quarter=st.integers(0, 4 * (WORDS + 3)),
        who=st.sampled_from(["client", "server", "both"]),
        countable=st.booleans(),
        completes=st.booleans(),
    )
    def test_at_any_moment(self, quarter: int, who: str, countable: bool, completes: bool) -> None:
        at_s = quarter / 4 * WORD_S

        async def story(scene: Scene) -> None:
            serving = asyncio.ensure_future(scene.serve())
            if who != "server":
                scene.world.loop.call_later(at_s, scene.has_gone.set)
            if who != "client":
                scene.world.loop.call_later(at_s, serving.cancel)
            await asyncio.wait({serving})
            # What a stopped server still writes is not cut short.
            await asyncio.sleep(1)
            charges = await scene.charges()
            if not charges:
                # The server was stopped before a provider was asked.
                assert who != "client"
                assert not scene.sent
                return
            (charge,) = charges
            assert 0 <= -charge.amount_micro_usd <= FULL_CHARGE
            if scene.sent:
                assert charge.kind is EntryKind.TEXT
                assert charge.amount_micro_usd < 0
            if who == "client" and (completes or not countable):
                assert -charge.amount_micro_usd == FULL_CHARGE

        played(story, countable=countable, completes=completes)


GPT = text_model(thinks_unasked=True)
ASKED_ONLY = text_model(thinks_unasked=False)


class TestWhatCanBeCounted:
    @pytest.mark.parametrize(
        ("protocol", "model", "fields", "expected"),
        [
            (OPENAI, ASKED_ONLY, {}, True),
            (OPENAI, ASKED_ONLY, {"reasoning_effort": "none"}, True),
            (OPENAI, ASKED_ONLY, {"reasoning_effort": "low"}, False),
            (OPENAI, ASKED_ONLY, {"thinking": {"type": "enabled"}}, False),
            (OPENAI, ASKED_ONLY, {"reasoning": {"effort": "low"}}, False),
            (OPENAI, GPT, {}, False),
            (OPENAI, GPT, {"reasoning_effort": "none"}, True),
            (ANTHROPIC, ASKED_ONLY, {}, True),
            (ANTHROPIC, ASKED_ONLY, {"thinking": {"type": "disabled"}}, True),
            (ANTHROPIC, ASKED_ONLY, {"thinking": {"type": "adaptive"}}, False),
            (ANTHROPIC, ASKED_ONLY, {"output_config": {"effort": "high"}}, False),
            (ANTHROPIC, GPT, {"thinking": {"type": "disabled"}}, False),
        ],
    )
    def test_is_what_is_not_thought_out_of_sight(
        self, protocol: TextProtocol, model: TextModel, fields: dict[str, Any], expected: bool
    ) -> None:
        said = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}], **fields}
        request = routed(protocol, said, OPENAI, model=model)
        assert is_countable(request, ends_work=True, shows_thinking=False) is expected
        assert is_countable(request, ends_work=True, shows_thinking=True)
        assert not is_countable(request, ends_work=False, shows_thinking=True)

    def test_a_model_of_which_nothing_is_known_may_think(self) -> None:
        route = TextRoute("openai", "m", OPENAI)
        said = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
        assert not is_countable(
            routed(OPENAI, said, OPENAI, model=replace(MODEL, routes=(route,))),
            ends_work=True,
            shows_thinking=False,
        )
