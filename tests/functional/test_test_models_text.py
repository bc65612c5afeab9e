"""`test-chat` as it is served, with both SDKs, for a customer without any money."""

from collections.abc import Callable, Iterable
from typing import Any

import anthropic
import openai
import pytest

from tests.support.text_app import TextClient

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

MODEL = "test-chat"


@pytest.fixture
def pauper(open_client: Callable[[int], TextClient], fresh_breaker: None) -> TextClient:
    """Return a customer with nothing on the account."""
    return open_client(0)


def says(prompt: str, **fields: Any) -> dict[str, Any]:
    return {"model": MODEL, "messages": [{"role": "user", "content": prompt}], **fields}


def hear(words: Iterable[str | None], heard: list[str | None]) -> None:
    """Note words as they come, also when they break off."""
    for word in words:
        heard.append(word)


class TestAnswers:
    def test_whole_in_openais_protocol(self, pauper: TextClient) -> None:
        answer = pauper.post("/chat/completions", says("hello there"))
        assert answer.status_code == 200
        assert answer.headers["x-tollgate-cost-micro-usd"] == "0"
        choice = answer.json()["choices"][0]
        said = {"role": "assistant", "content": "You wrote: hello there", "refusal": None}
        assert choice["message"] == said
        assert choice["finish_reason"] == "stop"
        assert answer.json()["usage"]["completion_tokens"] == 4
        (entry,) = pauper.texts_when(1)
        assert (entry.amount_micro_usd, entry.model) == (0, MODEL)
        assert pauper.settled()

    def test_whole_in_anthropics_protocol(self, pauper: TextClient) -> None:
        body = says("hello there")
        message = pauper.anthropic.messages.create(max_tokens=50, **body)
        assert [block.text for block in message.content if block.type == "text"] == ["You wrote: hello there"]
        assert (message.stop_reason, message.usage.output_tokens) == ("end_turn", 4)

    def test_streamed_word_by_word(self, pauper: TextClient) -> None:
        stream = pauper.openai.chat.completions.create(
            **says("hello there"), stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
        words = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]
        assert words == ["You", " wrote:", " hello", " there", None]
        assert chunks[-1].usage is not None
        assert chunks[-1].usage.completion_tokens == 4
        pauper.texts_when(1)
        assert pauper.settled()

    def test_streamed_in_anthropics_protocol(self, pauper: TextClient) -> None:
        with pauper.anthropic.messages.stream(max_tokens=50, **says("hello there")) as stream:
            assert list(stream.text_stream) == ["You", " wrote:", " hello", " there"]

    def test_a_limit_of_tokens_is_one_of_words(self, pauper: TextClient) -> None:
        answer = pauper.post("/chat/completions", says("one two three four", max_tokens=3)).json()
        assert answer["choices"][0]["message"]["content"] == "You wrote: one"
        assert answer["choices"][0]["finish_reason"] == "length"

    def test_it_is_listed_with_its_price(self, pauper: TextClient) -> None:
        listed = {model.id: model for model in pauper.openai.models.list()}
        assert listed[MODEL].model_dump()["pricing"] == dict.fromkeys(
            ("input", "output", "prompt", "completion"), "0"
        )


class TestDirections:
    @pytest.mark.parametrize("stream", [False, True])
    @pytest.mark.parametrize(
        ("direction", "status", "code"),
        [
            ("[[fail]]", 503, "provider_unavailable"),
            ("[[reject]]", 400, "content_rejected"),
        ],
    )
    def test_refusals(self, pauper: TextClient, direction: str, status: int, code: str, stream: bool) -> None:
        answer = pauper.post("/chat/completions", says(f"a fox {direction}", stream=stream))
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
        assert pauper.texts() == []
        assert pauper.settled()

    def test_an_expired_one_is_524(self, pauper: TextClient) -> None:
        answer = pauper.post("/messages", says("[[expire]]", max_tokens=9))
        assert (answer.status_code, answer.json()["error"]["type"]) == (524, "timeout_error")

    def test_a_cut_stream_ends_in_an_error(self, pauper: TextClient) -> None:
        stream = pauper.openai.chat.completions.create(**says("a b c d [[stream-cut 3]]"), stream=True)
        heard: list[str | None] = []
        with pytest.raises(openai.APIError, match="broke off"):
            hear((chunk.choices[0].delta.content for chunk in stream), heard)
        assert heard == ["You", " wrote:", " a"]
        pauper.texts_when(1)
        assert pauper.settled()

    def test_so_does_one_of_messages(self, pauper: TextClient) -> None:
        heard: list[str | None] = []
        with (
            pauper.anthropic.messages.stream(max_tokens=50, **says("a b c [[stream-cut 3]]")) as stream,
            pytest.raises(anthropic.APIStatusError, match="broke off"),
        ):
            hear(stream.text_stream, heard)
        assert heard == ["You", " wrote:", " a"]

    def test_a_whole_answer_that_is_cut_is_unreadable_and_free(self, pauper: TextClient) -> None:
        answer = pauper.post("/chat/completions", says("[[stream-cut 1]]"))
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "provider_error")
        assert pauper.settled()

    def test_failures_on_order_leave_the_model_on(self, pauper: TextClient) -> None:
        for _ in range(6):
            pauper.post("/chat/completions", says("[[fail]]"))
        assert pauper.post("/chat/completions", says("hello")).status_code == 200
