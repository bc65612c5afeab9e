"""A stream that breaks before its first output: another route answers, or the client gets a plain error."""

import asyncio
from typing import Any

import pytest

from tests.unit.text.samples import ANTHROPIC, OPENAI
from tests.unit.text.test_any_provider_down import HEADS, STREAMED, named
from tests.unit.text.test_text_service import ROUTES, Desk, FakeHttp, FakeResponse
from tollgate.kit.http.response import HttpError
from tollgate.text.models import TextProtocol
from tollgate.text.routes import calls as route_calls
from tollgate.text.routes.attempt import MAX_ANNOUNCED_BYTES
from tollgate.text.routes.response import Refused, StreamedResponse
from tollgate.text.wire.announced import is_announcement

HEAD = HEADS["messages"]
PING = named({"type": "ping"})
OVERLOADED = named({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
REFUSED = named({"type": "error", "error": {"type": "invalid_request_error", "message": "No such tool"}})
THINKING = {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}


class Pieces(FakeResponse):
    """A stream that arrives in these pieces, and then ends; an exception breaks it."""

    def __init__(self, *pieces: bytes | Exception) -> None:
        super().__init__(200, b"")
        self.left = list(pieces)

    async def readany(self) -> bytes:
        piece = self.left.pop(0) if self.left else b""
        if isinstance(piece, Exception):
            raise piece
        return piece


def desk_of(*pieces: bytes | Exception, routes: int = 2) -> Desk:
    """Return a service whose first provider streams these pieces, each time it is called."""
    http = FakeHttp(lambda: Pieces(*pieces), lambda: Pieces(STREAMED["converse"]))
    return Desk(http, routes=ROUTES[:routes])


def answer_of(desk: Desk, protocol: TextProtocol = ANTHROPIC) -> Any:
    return asyncio.run(desk.ask(protocol, stream=True))


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(route_calls, "RETRY_PAUSE_S", 0.0)


@pytest.mark.parametrize("protocol", [ANTHROPIC, OPENAI])
@pytest.mark.parametrize(
    "then",
    [(OVERLOADED,), (PING, OVERLOADED), (), (HttpError("reset"),), (b"data: {]\n\n",)],
    ids=["an error", "a ping and an error", "an end", "a reset", "no JSON"],
)
class TestABreakAfterTheHead:
    def test_another_route_answers(self, then: tuple[bytes | Exception, ...], protocol: TextProtocol) -> None:
        desk = desk_of(HEAD, *then)
        answered = answer_of(desk, protocol)
        assert isinstance(answered, StreamedResponse)
        assert answered.placed.provider == "reserve"
        assert desk.http.asked == ["primary", "reserve"]
        assert answered.first.count(b'"role":"assistant"') == 1

    def test_without_another_one_it_is_a_plain_error_and_free(
        self, then: tuple[bytes | Exception, ...], protocol: TextProtocol
    ) -> None:
        desk = desk_of(HEAD, *then, routes=1)
        answered = answer_of(desk, protocol)
        assert isinstance(answered, Refused)
        assert answered.status in (502, 503)
        assert (desk.books.voided, desk.books.settled) == (1, [])


def test_a_refusal_of_the_request_is_not_sent_elsewhere() -> None:
    desk = desk_of(HEAD, REFUSED)
    answered = answer_of(desk)
    assert isinstance(answered, Refused)
    assert (answered.status, desk.http.asked) == (400, ["primary"])


def test_thinking_is_output_so_nothing_waits_for_its_end() -> None:
    head = HEAD.partition(b"event: content_block_start")[0]
    answered = answer_of(desk_of(head, named(THINKING), OVERLOADED))
    assert isinstance(answered, StreamedResponse)
    assert answered.placed.provider == "primary"


def test_endless_pings_are_not_kept() -> None:
    pings = [PING * 100] * (MAX_ANNOUNCED_BYTES // len(PING) // 100 + 1)
    answered = answer_of(desk_of(HEAD, *pings, OVERLOADED))
    assert isinstance(answered, StreamedResponse)
    assert MAX_ANNOUNCED_BYTES < len(answered.first) < 2 * MAX_ANNOUNCED_BYTES


def chunk(delta: Any, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


@pytest.mark.parametrize(
    ("event", "announces"),
    [
        (chunk({"role": "assistant"}), True),
        (chunk({"role": "assistant", "content": "", "refusal": None, "tool_calls": []}), True),
        ({"choices": [], "prompt_filter_results": [{}]}, True),
        (chunk(None), True),
        ({"choices": [None]}, True),
        ({"type": "message_start", "message": {}}, True),
        ({"type": "content_block_start", "content_block": {"type": "text", "text": ""}}, True),
        ({"type": "response.output_item.added", "item": {"type": "message", "content": []}}, True),
        ({"type": "response.content_part.added", "part": {"type": "output_text", "text": ""}}, True),
        (chunk({"content": "a"}), False),
        (chunk({"role": "assistant", "reasoning_content": "a"}), False),
        (chunk({"tool_calls": [{"index": 0}]}), False),
        (chunk({}, "stop"), False),
        ({"choices": [chunk({})["choices"][0], chunk({"content": "b"})["choices"][0]]}, False),
        ({"type": "content_block_start", "content_block": {"type": "text", "text": "a"}}, False),
        ({"type": "content_block_start", "content_block": {"type": "tool_use", "name": "a"}}, False),
        ({"type": "message_delta", "delta": {}}, False),
        ({"type": "content_block_start", "content_block": {"type": ["text"]}}, False),
        ({"type": "response.output_item.added", "item": {"type": "reasoning", "summary": []}}, False),
        ({"type": "response.output_item.added", "item": {"type": "web_search_call"}}, False),
        ({"type": "response.output_text.delta", "delta": ""}, False),
        ({"type": "transcript.text.delta", "delta": "a"}, False),
    ],
)
def test_which_events_only_announce(event: dict[str, Any], announces: bool) -> None:
    assert is_announcement(event) is announces
