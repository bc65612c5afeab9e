"""A stream and its reader: who is slow, stops reading, or goes. In simulated time."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.support.simulated import SimulatedLoop
from tollgate.text.models import TextProtocol
from tollgate.text.money.placed import Billed
from tollgate.text.routes.response import StreamedResponse
from tollgate.text.serving.asgi import SEND_TIMEOUT_S, Message
from tollgate.text.serving.event_stream import KEEP_ALIVE_S, EndIfAsked, EventStream
from tollgate.text.wire.rendering import Unchanged

EVENT = b"data: word\n\n"
BEGINS_LATE_S = KEEP_ALIVE_S + 5
SECONDS = st.integers(0, 8 * int(SEND_TIMEOUT_S)).map(lambda quarters: quarters / 4)


class Told(StreamedResponse):
    """An answer whose events come after pauses; `settled_at` is when it was billed."""

    __slots__ = ("pauses_s", "settled_at")

    def __init__(self, pauses_s: list[float]) -> None:
        self.pauses_s = pauses_s
        self.settled_at: float | None = None

    async def relay(self, send: Callable[[bytes], Awaitable[None]], client_gone: asyncio.Event) -> Billed:
        del client_gone
        try:
            for pause_s in self.pauses_s:
                await asyncio.sleep(pause_s)
                await send(EVENT)
        finally:
            self.settled_at = asyncio.get_running_loop().time()
        return Billed(1)


class Reader:
    """A connection as uvicorn has it: `send` waits at its start while the buffer is full.

    The buffer is full after `takes` messages with a body, and from then on nobody empties it.
    """

    def __init__(self, takes: int) -> None:
        self.takes = takes
        self.got: list[Message] = []
        self.leaves = asyncio.Event()

    async def send(self, message: Message) -> None:
        if self.takes <= 0:
            await asyncio.Event().wait()
        self.got.append(message)
        self.takes -= 1 if message.get("body") else 0

    async def receive(self) -> Message:
        await self.leaves.wait()
        return {"type": "http.disconnect"}


def simulated(story: Callable[[SimulatedLoop], Coroutine[Any, Any, None]]) -> None:
    with closing(SimulatedLoop()) as loop:
        loop.run_until_complete(story(loop))


async def never() -> bool:
    return False


async def streamed(told: Told, begins_after_s: float = 0, end_if_asked: EndIfAsked = never) -> EventStream:
    async def respond() -> StreamedResponse:
        await asyncio.sleep(begins_after_s)
        return told

    responding: asyncio.Future[Any] = asyncio.ensure_future(respond())
    if not begins_after_s:
        await responding
    return EventStream(Unchanged(TextProtocol.OPENAI), responding, lambda body, _: body, end_if_asked)


@pytest.mark.parametrize("begins_after_s", [0, BEGINS_LATE_S])
class TestAReaderThatStopsReading:
    @pytest.mark.parametrize(
        ("takes", "pauses_s"),
        [
            pytest.param(0, [1.0], id="the headers block"),
            pytest.param(1, [0, 0, 0], id="an event blocks"),
            pytest.param(1, [0, 3 * KEEP_ALIVE_S], id="a keep-alive blocks, and the answer ends"),
            pytest.param(1, [0, KEEP_ALIVE_S + 1, 0, 0], id="a keep-alive blocks, then an event"),
            pytest.param(1, [0, KEEP_ALIVE_S - 1, 9], id="an event blocks, and a keep-alive is due"),
            pytest.param(2, [0, KEEP_ALIVE_S + 1, 0, 1, 1], id="an event blocks after a keep-alive"),
            pytest.param(1, [0], id="the end blocks"),
        ],
    )
    def test_is_given_a_minute_and_the_answer_is_settled(
        self, begins_after_s: float, takes: int, pauses_s: list[float]
    ) -> None:
        self.check(begins_after_s, takes, pauses_s)

    @settings(max_examples=examples(100))
    @given(takes=st.integers(0, 6), pauses_s=st.lists(SECONDS, max_size=6))
    def test_whenever_it_does(self, begins_after_s: float, takes: int, pauses_s: list[float]) -> None:
        self.check(begins_after_s, takes, pauses_s)

    @staticmethod
    def check(begins_after_s: float, takes: int, pauses_s: list[float]) -> None:
        async def story(loop: SimulatedLoop) -> None:
            told = Told(pauses_s)
            stream = await streamed(told, begins_after_s)
            reader = Reader(takes)
            await stream.send(reader.receive, reader.send)
            assert told.settled_at is not None
            # It stops once. All that waits for it then has one bound, whoever waited first.
            assert told.settled_at <= begins_after_s + sum(pauses_s) + SEND_TIMEOUT_S
            assert loop.time() <= begins_after_s + sum(pauses_s) + SEND_TIMEOUT_S

        simulated(story)


class TestAReaderThatGoes:
    @pytest.mark.parametrize("at_s", [0.0, 1.0, KEEP_ALIVE_S + 1, SEND_TIMEOUT_S])
    @pytest.mark.parametrize("takes", [0, 1, 2, 99])
    def test_frees_a_send_that_waits_for_it(self, takes: int, at_s: float) -> None:
        async def story(loop: SimulatedLoop) -> None:
            told = Told([0, 0, KEEP_ALIVE_S + 5, 0])
            stream = await streamed(told)
            reader = Reader(takes)
            loop.call_later(at_s, reader.leaves.set)
            await stream.send(reader.receive, reader.send)
            assert told.settled_at is not None
            assert told.settled_at <= at_s + sum(told.pauses_s)

        simulated(story)

    def test_a_server_that_raises_for_it_is_no_fault(self) -> None:
        # ASGI lets a server raise `OSError` for what is sent after the client has gone.
        async def story(_: SimulatedLoop) -> None:
            told = Told([0, 0])
            stream = await streamed(told)
            reader = Reader(99)

            async def broken(message: Message) -> None:
                if message.get("body"):
                    raise BrokenPipeError
                await reader.send(message)

            await stream.send(reader.receive, broken)
            assert told.settled_at is not None

        simulated(story)


class TestAServerThatStops:
    @pytest.mark.parametrize("takes", [0, 1, 99])
    @pytest.mark.parametrize("at_s", [0.5, KEEP_ALIVE_S + 0.5, SEND_TIMEOUT_S - 0.5])
    def test_settles_what_has_begun(self, takes: int, at_s: float) -> None:
        async def story(loop: SimulatedLoop) -> None:
            told = Told([0.1, KEEP_ALIVE_S, 1000])
            stream = await streamed(told)
            reader = Reader(takes)
            serving = asyncio.ensure_future(stream.send(reader.receive, reader.send))
            await asyncio.sleep(at_s)
            serving.cancel()
            await asyncio.wait({serving})
            assert serving.cancelled()
            assert told.settled_at == at_s

        simulated(story)


class TestAStreamEndedBeforeItBegins:
    @pytest.mark.parametrize("asked_at_s", [0.0, 4.9, 5.0, 14.9])
    def test_tells_its_client_within_5_s_and_is_settled_unread(self, asked_at_s: float) -> None:
        async def story(loop: SimulatedLoop) -> None:
            told, reader, heard_at = Told([1.0]), Reader(99), list[float]()

            async def is_asked() -> bool:
                return loop.time() >= asked_at_s

            async def send(message: Message) -> None:
                if b"request_ended" in message.get("body", b""):
                    heard_at.append(loop.time())
                await reader.send(message)

            stream = await streamed(told, BEGINS_LATE_S, is_asked)
            await stream.send(reader.receive, send)
            (ended_at,) = heard_at
            assert asked_at_s <= ended_at <= asked_at_s + 5
            assert told.is_ended
            assert told.settled_at is not None
            assert told.settled_at >= BEGINS_LATE_S

        simulated(story)
