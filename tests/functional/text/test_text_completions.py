"""Legacy completions as they are served, with OpenAI's own SDK, on the emulator."""

from typing import Any

import openai
import pytest
from openai.types import Completion

from tests.support.text_app import TextClient

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

MODELS = ["gpt-5.4-mini", "claude-haiku-5-5", "deepseek-v4-pro"]


@pytest.mark.parametrize("model", MODELS)
class TestAnswers:
    def test_whole_and_streamed_say_and_cost_what_a_chat_does(self, client: TextClient, model: str) -> None:
        prompt = "hello [[think]]"
        chat = client.openai.chat.completions.create(
            model=model, messages=[{"role": "user", "content": prompt}], max_tokens=200
        )
        whole = client.openai.completions.create(model=model, prompt=prompt, max_tokens=200)
        Completion.model_validate(whole.to_dict())
        streamed = list(
            client.openai.completions.create(
                model=model,
                prompt=[prompt],
                max_tokens=200,
                stream=True,
                stream_options={"include_usage": True},
            )
        )
        text = "".join(choice.text for chunk in streamed for choice in chunk.choices)
        assert whole.choices[0].text == text == chat.choices[0].message.content != ""
        assert whole.choices[0].finish_reason == streamed[-2].choices[0].finish_reason == "stop"
        assert (whole.id[:5], streamed[0].id[:5], whole.object) == ("cmpl-", "cmpl-", "text_completion")
        assert whole.usage == streamed[-1].usage == chat.usage
        assert len({entry.amount_micro_usd for entry in client.texts_when(3)}) == 1
        assert client.settled()

    def test_an_answer_that_is_cut_ends_for_its_length(self, client: TextClient, model: str) -> None:
        cut = client.openai.completions.create(model=model, prompt="hello [[tokens 50]]", max_tokens=20)
        assert cut.choices[0].finish_reason == "length"


class TestRefusals:
    @pytest.mark.parametrize("prompt", ["", [""]])
    def test_an_empty_prompt_is_called_empty(self, client: TextClient, prompt: Any) -> None:
        with pytest.raises(openai.BadRequestError, match="/prompt: Must be a string that is not empty"):
            client.openai.completions.create(model="gpt-5.4-mini", prompt=prompt)

    @pytest.mark.parametrize(
        "fields",
        [
            {"suffix": "end"},
            {"echo": True},
            {"best_of": 2},
            {"logprobs": 1},
            {"extra_body": {"tools": []}},
            {"prompt": [1, 2]},
            {"prompt": ["a", "b"]},
            {"prompt": None},
            {"model": "nothing"},
            {"max_tokens": 0},
        ],
        ids=str,
    )
    def test_name_the_field(self, client: TextClient, fields: dict[str, Any]) -> None:
        with pytest.raises(openai.BadRequestError) as refused:
            client.openai.completions.create(**{"model": "gpt-5.4-mini", "prompt": "hi", **fields})
        [problem] = refused.value.body["details"]  # type: ignore[index]
        assert problem["path"] == f"/{next(iter(fields.get('extra_body') or fields))}"
        assert client.texts() == []

    def test_values_that_ask_for_nothing_pass(self, client: TextClient) -> None:
        idle: Any = {"suffix": None, "echo": False, "best_of": 1, "logprobs": None, "n": 1, "stop": []}
        assert client.openai.completions.create(model="test-chat", prompt="hi", **idle).choices[0].text

    def test_a_provider_that_refuses_is_quoted(self, client: TextClient) -> None:
        for stream in (False, True):
            with pytest.raises(openai.BadRequestError, match="policy"):
                client.openai.completions.create(model="gpt-5.4-mini", prompt="[[reject]]", stream=stream)

    def test_a_stream_that_breaks_ends_with_an_error(self, client: TextClient) -> None:
        broken = client.openai.completions.create(
            model="gpt-5.4-mini", prompt="hi [[error-in-stream]]", stream=True
        )
        with pytest.raises(openai.APIError):
            list(broken)
        assert client.settled()
