"""The state of a model comes back to its provider with the next turn, and no other provider gets it.

Two turns with a tool, as a client holds them: it returns what it was shown. Through `functions/text` and the
simulator, which refuses a turn without its state, or with a state of another model.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from local.simulator.text.messages import SIGNATURE
from tests.support.text_in_process import SimulatedHttp, text_customer
from tests.unit.text.samples import gathered_completion, gathered_message
from tests.unit.text.test_answer_shapes import CHAT, MESSAGES, PATHS, RESPONSES, TOOLS
from text.app import app
from tollgate.text.wire.call_numbers import CallNumbers

MODELS = {
    "google": "gemini-3.8-flash",
    "openai": "gpt-6.1-sol",
    "anthropic": "claude-haiku-5-5",
    "deepseek": "deepseek-v4-pro",
    "minimax": "MiniMax-M3",
    "openrouter": "kimi-k3.1-pro",
}
PROMPT = "hello [[think]] [[tools 2]]"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the bodies that providers got."""
    bodies: list[Any] = []
    request = SimulatedHttp.request

    async def noted(
        self: SimulatedHttp, method: str, url: str, lines: str, body: bytes = b"", **more: Any
    ) -> Any:
        bodies.append(json.loads(body))
        return await request(self, method, url, lines, body, **more)

    monkeypatch.setattr(SimulatedHttp, "request", noted)
    return bodies


async def turn(path: str, vendor: str, said: list[Any], *, stream: bool, **more: Any) -> list[Any]:
    """Return the assistant's turn after `said`, as a client keeps it."""
    body: dict[str, Any] = {"model": MODELS[vendor], "tools": TOOLS[path], "stream": stream}
    body |= {"input": said, "store": False} if path == RESPONSES else {"messages": said}
    body |= {"max_tokens": 500} if path == MESSAGES else {}
    body |= more
    async with text_customer(vendor, app) as customer:
        answer = await customer.post(path, body)
    assert answer.status_code == 200, (vendor, path, answer.text)
    return KEPT[path](events_of(answer.text) if stream else answer.json(), stream)


def events_of(text: str) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]


def kept_chat(answer: Any, stream: bool) -> list[Any]:
    return [gathered_completion(answer)["message"] if stream else answer["choices"][0]["message"]]


def kept_message(answer: Any, stream: bool) -> list[Any]:
    content = (gathered_message(answer) if stream else answer)["content"]
    return [{"role": "assistant", "content": content}]


def kept_response(answer: Any, stream: bool) -> list[Any]:
    return list((answer[-1]["response"] if stream else answer)["output"])


KEPT: Mapping[str, Callable[[Any, bool], list[Any]]] = {
    CHAT: kept_chat,
    MESSAGES: kept_message,
    RESPONSES: kept_response,
}


def results(path: str, kept: list[Any]) -> list[Any]:
    """Return the results of all calls in a turn."""
    if path == CHAT:
        calls = [call["id"] for call in kept[0]["tool_calls"]]
        return [{"role": "tool", "tool_call_id": call, "content": "5"} for call in calls]
    if path == MESSAGES:
        calls = [block["id"] for block in kept[0]["content"] if block["type"] == "tool_use"]
        told = [{"type": "tool_result", "tool_use_id": call, "content": "5"} for call in calls]
        return [{"role": "user", "content": told}]
    calls = [item["call_id"] for item in kept if item["type"] == "function_call"]
    return [{"type": "function_call_output", "call_id": call, "output": "5"} for call in calls]


def state_in(vendor: str, body: Any) -> Any:
    """Return the state of the assistant's turn in a provider's request."""
    if vendor == "openai":
        return [item["encrypted_content"] for item in body["input"] if item.get("type") == "reasoning"]
    (said,) = [message for message in body["messages"] if message["role"] == "assistant"]
    if vendor == "google":
        return [call.get("extra_content") for call in said["tool_calls"]]
    if vendor == "anthropic":
        return [block["signature"] for block in said["content"] if block["type"] == "thinking"]
    if vendor == "openrouter":
        return said["reasoning_details"]
    return said["reasoning_content"] if vendor == "deepseek" else said["content"]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("vendor", MODELS)
def test_the_provider_gets_its_state_back(
    sent: list[Any], monkeypatch: pytest.MonkeyPatch, vendor: str, path: str, stream: bool
) -> None:
    # Google's stand-in for a lost signature would hide that it is lost.
    monkeypatch.setattr("tollgate.text.translation.call_state.UNSIGNED", "lost")

    async def run() -> list[Any]:
        asked: list[Any] = [{"role": "user", "content": PROMPT}]
        kept = await turn(path, vendor, asked, stream=stream)
        await turn(path, vendor, [*asked, *kept, *results(path, kept)], stream=stream)
        return kept

    asyncio.run(run())
    state = state_in(vendor, sent[-1])
    if vendor == "openai":
        assert [one[:5] for one in state] == ["gAAAA"]
    elif vendor == "google":
        assert [bool(one) for one in state] == [True, False], "of several calls, the first is signed"
    elif vendor == "anthropic":
        assert state == [SIGNATURE]
    elif vendor == "deepseek":
        assert len(state.split()) == 8
    elif vendor == "openrouter":
        # A stream has it in pieces. A client of chats joins them or not.
        assert "".join(one["text"] for one in state).count(" ") == 7
    else:
        assert state.startswith("<think>")


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("path", PATHS)
def test_the_signature_of_a_text_comes_back(sent: list[Any], path: str, stream: bool) -> None:
    """Google signs a text too, which is optional. Messages have no place for it (decision 0057)."""

    async def run() -> list[Any]:
        asked: list[Any] = [{"role": "user", "content": "hello"}]
        kept = await turn(path, "google", asked, stream=stream)
        await turn(path, "google", [*asked, *kept, *asked], stream=stream)
        return kept

    kept = asyncio.run(run())
    if path == MESSAGES:
        assert [block["type"] for block in kept[0]["content"]] == ["text"]
    if path == RESPONSES:
        assert [item["type"] for item in kept] == ["message", "reasoning"]
    (said,) = [message for message in sent[-1]["messages"] if message["role"] == "assistant"]
    assert ("extra_content" in said) == (path != MESSAGES)
    assert len(said["content"].split()) == 12


@pytest.mark.parametrize("path", [CHAT, RESPONSES])
@pytest.mark.parametrize("second", MODELS)
def test_thinking_in_details_goes_only_to_its_vendor(sent: list[Any], path: str, second: str) -> None:
    async def run() -> None:
        asked: list[Any] = [{"role": "user", "content": PROMPT}]
        kept = await turn(path, "minimax", asked, stream=True, reasoning_split=True)
        await turn(path, second, [*asked, *kept, *results(path, kept)], stream=False)

    asyncio.run(run())
    details = [each.get("reasoning_details") for each in sent[-1].get("messages", [])]
    assert [bool(one) for one in details] == [False, second == "minimax", False, False][: len(details)]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("first", MODELS)
@pytest.mark.parametrize("second", MODELS)
def test_another_model_continues_the_conversation(path: str, first: str, second: str) -> None:
    """It gets the words and the calls, without a state that its provider would refuse."""

    async def run() -> None:
        asked: list[Any] = [{"role": "user", "content": PROMPT}]
        kept = await turn(path, first, asked, stream=False)
        await turn(path, second, [*asked, *kept, *results(path, kept)], stream=False)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        # Complete calls without an index (Gemini), with null, and with 0 for each.
        ([{"id": "a"}, {"id": "b"}], [0, 1]),
        ([{"index": None, "id": "a"}, {"index": None, "id": "b"}], [0, 1]),
        ([{"index": 0, "id": "a"}, {"index": 0, "id": "b"}], [0, 1]),
        # Fragments: the id is only in the first piece.
        ([{"index": 0, "id": "a"}, {"index": 0}, {"index": 1, "id": "b"}, {"index": 0}], [0, 0, 1, 0]),
        ([{"id": "a"}, {}, {"id": "b"}, {}], [0, 0, 1, 1]),
        ([{"index": 3, "id": "a"}, {"index": 3, "id": "a"}], [0, 0]),
    ],
)
def test_pieces_of_calls_are_joined_by_one_number(pieces: list[Any], expected: list[int]) -> None:
    numbers = CallNumbers()
    assert [numbers.of(piece) for piece in pieces] == expected
