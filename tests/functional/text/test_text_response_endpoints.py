"""The endpoints beside `POST /responses`, with OpenAI's own SDK, on the emulator."""

from typing import Any

import openai
import pytest
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from tests.support.text_app import TextClient

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
LOOK: Any = {
    "type": "function",
    "name": "look",
    "parameters": {"type": "object", "properties": {"at": {"type": "string"}}},
    "strict": False,
}
NOTE: Any = {"type": "custom", "name": "note"}


class TestCounts:
    @pytest.mark.parametrize("model", ["gpt-5.4-mini", "claude-haiku-5-5", "deepseek-v4-pro", "test-chat"])
    def test_more_input_has_more_tokens_and_costs_nothing(self, client: TextClient, model: str) -> None:
        def count(text: str, **fields: Any) -> int:
            counted = client.openai.responses.input_tokens.count(model=model, input=text, **fields)
            assert counted.object == "response.input_tokens"
            return counted.input_tokens

        balance = client.balance()
        assert 0 < count("hello") < count("hello " * 50) < count("hello " * 50, tools=[LOOK])
        assert (client.balance(), client.texts()) == (balance, [])

    @pytest.mark.parametrize("model", ["gpt-5.4-mini", "claude-haiku-5-5"])
    def test_the_providers_count_is_the_count_that_is_billed(self, client: TextClient, model: str) -> None:
        said: Any = [{"role": "user", "content": "hello"}]
        counted = client.openai.responses.input_tokens.count(model=model, input=said, tools=[LOOK])
        made = client.openai.responses.create(model=model, input=said, tools=[LOOK])
        assert made.usage is not None
        assert made.usage.input_tokens == counted.input_tokens

    def test_a_stored_conversation_counts(self, client: TextClient) -> None:
        made = client.openai.responses.create(model="gpt-5.4-mini", input="hello " * 30)
        count = client.openai.responses.input_tokens.count
        alone = count(model="gpt-5.4-mini", input="hi")
        continued = count(model="gpt-5.4-mini", input="hi", previous_response_id=made.id)
        assert continued.input_tokens > alone.input_tokens + 30

    @pytest.mark.parametrize("fields", [{"background": 1}, {"conversation": 5}, {"model": "no"}])
    def test_refuses_what_a_request_may_not_have(self, client: TextClient, fields: dict[str, Any]) -> None:
        answer = client.post("/responses/input_tokens", {"model": "test-chat", "input": "hi", **fields})
        assert answer.status_code == 400
        assert answer.json()["error"]["details"][0]["path"] == f"/{next(iter(fields))}"


class TestStreamsOfStoredResponses:
    @pytest.mark.parametrize("model", ["gpt-6-luna", "deepseek-v4-pro"])
    @pytest.mark.parametrize("prompt", ["[[think]] hello", "[[think]] [[tools 2]]"])
    def test_say_what_the_first_stream_said(self, client: TextClient, model: str, prompt: str) -> None:
        thinks: Any = {"effort": "low", "summary": "auto"}
        with client.openai.responses.stream(
            model=model, input=prompt, reasoning=thinks, tools=[LOOK, NOTE]
        ) as stream:
            first = [event.to_dict() for event in stream if event.type in TOLD]
            made = stream.get_final_response()
        again = [event.to_dict() for event in client.openai.responses.retrieve(made.id, stream=True)]
        for event in again:
            EVENT.validate_python(event)
        assert [event["sequence_number"] for event in again] == list(range(len(again)))
        assert said(again) == said(first)
        assert again[-1]["response"] == client.get(f"/responses/{made.id}").json()

    @pytest.mark.parametrize("wish", ["True", "yes", "1", ""])
    def test_a_wish_for_a_stream_that_is_no_flag_is_named(self, client: TextClient, wish: str) -> None:
        made = client.openai.responses.create(model="test-chat", input="hello")
        error = client.get(f"/responses/{made.id}?stream={wish}").json()["error"]
        assert (error["param"], error["message"]) == ("stream", "/stream: Must be one of: true, false.")

    def test_begin_at_the_beginning(self, client: TextClient) -> None:
        made = client.openai.responses.create(model="test-chat", input="hello")
        with pytest.raises(openai.BadRequestError, match="starting_after"):
            client.openai.responses.retrieve(made.id, stream=True, starting_after=3)
        with pytest.raises(openai.NotFoundError):
            client.openai.responses.retrieve("resp_01ARZ3NDEKTSV4RRFFQ69G5FAV", stream=True)


TOLD = ("response.output_text.done", "response.output_item.done", "response.reasoning_summary_text.done")


def said(events: list[dict[str, Any]]) -> list[Any]:
    """Return the items and texts that a stream told."""
    told = [event for event in events if event["type"] in TOLD]
    return [(event["type"], event.get("text"), (event.get("item") or {}).get("id")) for event in told]


class TestCompactions:
    @pytest.mark.parametrize("model", ["gpt-5.4-mini", "claude-haiku-5-5", "deepseek-v4-pro"])
    def test_a_summary_takes_the_place_of_the_answers(self, client: TextClient, model: str) -> None:
        first = client.openai.responses.create(model=model, input="[[tool]] go", tools=[LOOK])
        call: Any = first.output[-1]
        result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny " * 200}
        then = client.openai.responses.create(
            model=model, input=[result], tools=[LOOK], previous_response_id=first.id
        )
        short = client.post("/responses/compact", {"model": model, "previous_response_id": then.id}).json()
        assert short["object"] == "response.compaction"
        told, compaction = short["output"]
        assert (told["role"], told["content"]) == ("user", [{"type": "input_text", "text": "[[tool]] go"}])
        assert (compaction["type"], compaction["id"][:4]) == ("compaction", "cmp_")
        assert short["usage"]["input_tokens"] > 200
        assert len(client.texts_when(3)) == 3
        said = [*short["output"], {"role": "user", "content": "and now?"}]
        for other in (model, "gpt-6-luna", "gemini-3.8-flash", "claude-opus-5-5"):
            assert client.openai.responses.create(model=other, input=said).status == "completed"
        assert client.settled()

    def test_the_summary_reaches_the_model(self, client: TextClient) -> None:
        made = client.post("/responses/compact", {"model": "test-chat", "input": "My name is Ada."}).json()
        # The test model repeats the last message, so the summary repeats the request for it.
        last: Any = [made["output"][-1]]
        told = client.openai.responses.create(model="test-chat", input=last).output_text
        assert "Summary of the conversation before this point:" in told
        assert "Summarise the conversation" in told

    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"tools": [LOOK]}, "/tools"),
            ({"image": {"context_compression": "auto"}}, "/image"),
            ({"input": []}, "/input"),
            ({"input": [{"type": "compaction", "encrypted_content": "gAAAA"}]}, "/input/0/encrypted_content"),
            ({"service_tier": "scale"}, "/service_tier"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_a_field_without_a_place_is_refused(
        self, client: TextClient, fields: dict[str, Any], path: str
    ) -> None:
        answer = client.post("/responses/compact", {"model": "gpt-5.4-mini", "input": "hello", **fields})
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"]["details"][0]["path"] == path
        assert client.texts() == []
