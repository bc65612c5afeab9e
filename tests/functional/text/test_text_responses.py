"""`POST /responses` and stored responses as they are served, with OpenAI's own SDK, on the emulator."""

import json
from collections.abc import Callable
from typing import Any

import openai
import pytest
from openai.types.responses import Response
from pydantic import BaseModel

from tests.support.text_app import USD, TextClient
from tollgate.audit.events import Action, Log
from tollgate.composition import api as api_parts
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.text.responses import storage

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

MODELS = ["gpt-5.4-mini", "claude-haiku-5-5", "deepseek-v4-pro", "grok-4.7"]
TOOL: Any = {
    "type": "function",
    "name": "get_weather",
    "description": "The weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
    "strict": True,
}


def ask(client: TextClient, prompt: Any, model: str = "gpt-5.4-mini", **fields: Any) -> Response:
    made = client.openai.responses.create(model=model, input=prompt, **fields)
    assert isinstance(made, Response)
    return made


def said_to_the_model(client: TextClient, response_id: str) -> list[str]:
    page = client.openai.responses.input_items.list(response_id, order="asc")
    items: list[Any] = [item.to_dict() for item in page]
    return [part["text"] for item in items for part in item["content"]]


def refused(call: Callable[[], object]) -> dict[str, Any]:
    """Return the error of a call for something unknown."""
    with pytest.raises(openai.NotFoundError) as found:
        call()
    assert isinstance(found.value.body, dict)
    return found.value.body


class TestFieldsOfChats:
    @pytest.mark.parametrize("model", ["gpt-5.4-mini", "deepseek-v4-pro"])
    @pytest.mark.parametrize(
        "field", [{"n": 2}, {"messages": [{"role": "user", "content": "other"}]}, {"reasoning_effort": "low"}]
    )
    def test_are_refused_by_name_with_every_model_and_cost_nothing(
        self, client: TextClient, model: str, field: dict[str, Any]
    ) -> None:
        with pytest.raises(openai.BadRequestError) as refusal:
            ask(client, "hello", model, extra_body=field)
        assert refusal.value.param == next(iter(field))
        assert client.balance() == USD


class TestTheAuditLog:
    def test_a_deletion_is_noted_with_the_key_that_asked(self, client: TextClient) -> None:
        made = ask(client, "hello")
        client.openai.responses.delete(made.id)
        with pytest.raises(openai.NotFoundError):
            client.openai.responses.delete(made.id)
        log = api_parts.api().audit.page(client.account.account_id, log=Log.ACCESS).rows
        assert [(one.action, one.subject) for one in log] == [(Action.RESPONSE_DELETED, made.id)]
        assert log[0].actor.startswith("key key_")


class TestAnswers:
    @pytest.mark.parametrize("model", MODELS)
    def test_whole_and_streamed_say_and_cost_what_a_chat_does(self, client: TextClient, model: str) -> None:
        prompt, thinking = "hello [[think]]", {"reasoning": {"effort": "low"}}
        chat = client.openai.chat.completions.create(
            model=model, messages=[{"role": "user", "content": prompt}], reasoning_effort="low"
        )
        whole = ask(client, prompt, model, **thinking)
        with client.openai.responses.stream(model=model, input=prompt, **thinking) as stream:  # type: ignore[call-overload]
            events = list(stream)
            streamed = stream.get_final_response()
        assert whole.output_text == streamed.output_text == chat.choices[0].message.content != ""
        assert whole.usage is not None
        assert chat.usage is not None
        assert whole.usage.output_tokens == chat.usage.completion_tokens
        assert whole.usage == streamed.usage
        assert [event.sequence_number for event in events if hasattr(event, "sequence_number")]
        costs = {entry.amount_micro_usd for entry in client.texts_when(3)}
        assert len(costs) == 1
        assert client.settled()

    def test_the_sequence_numbers_have_no_gap(self, client: TextClient) -> None:
        events = list(client.openai.responses.create(model="gpt-5.4-mini", input="hi", stream=True))
        assert [event.sequence_number for event in events] == list(range(len(events)))
        assert (events[0].type, events[-1].type) == ("response.created", "response.completed")

    @pytest.mark.parametrize("model", MODELS)
    def test_it_has_the_second_of_its_end_only_if_it_is_complete(
        self, client: TextClient, model: str
    ) -> None:
        whole = ask(client, "hello", model)
        *_, last = client.openai.responses.create(model=model, input="hello", stream=True)
        assert last.type == "response.completed"
        for made in (whole, last.response, client.openai.responses.retrieve(whole.id)):
            assert made.completed_at is not None
            assert made.completed_at >= made.created_at
        assert ask(client, "[[tokens 50]]", model, max_output_tokens=5).completed_at is None

    def test_structured_output_is_parsed(self, client: TextClient) -> None:
        class City(BaseModel):
            name: str

        parsed = client.openai.responses.parse(model="gpt-5.4-mini", input="Where?", text_format=City)
        assert isinstance(parsed.output_parsed, City)

    def test_a_limit_makes_it_incomplete(self, client: TextClient) -> None:
        answer = ask(client, "[[tokens 50]]", max_output_tokens=5)
        assert answer.status == "incomplete"
        assert answer.incomplete_details is not None
        assert answer.incomplete_details.reason == "max_output_tokens"


class TestFailure:
    def test_when_no_provider_answers_nothing_is_charged(self, client: TextClient) -> None:
        for stream in (False, True):
            with pytest.raises(openai.InternalServerError) as refused:
                ask(client, "[[status 500]]", stream=stream)
            assert refused.value.status_code == 503
        assert client.balance() == USD

    def test_a_stream_that_breaks_off_fails_by_name_and_is_not_stored(
        self, client: TextClient, fresh_breaker: None
    ) -> None:
        events = list(
            client.openai.responses.create(model="gpt-5.4-mini", input="[[stream-cut 6]]", stream=True)
        )
        assert events[-1].type == "response.failed"
        assert [event.sequence_number for event in events] == list(range(len(events)))
        failed = events[-1].response
        assert failed.error is not None
        assert client.texts_when(1)[0].amount_micro_usd < 0
        with pytest.raises(openai.NotFoundError):
            client.openai.responses.retrieve(failed.id)

    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"background": True, "store": False}, "/store"),
            ({"tools": [{"type": "code_interpreter"}]}, "/tools/0/type"),
            ({"service_tier": "scale"}, "/service_tier"),
            ({"web_search_options": {}}, "/web_search_options"),
            (
                {"input": [{"role": "user", "content": "a"}, {"type": "image_generation_call"}]},
                "/input/1/type",
            ),
        ],
    )
    def test_what_has_no_price_is_refused_by_its_name_here(
        self, client: TextClient, fields: dict[str, Any], path: str
    ) -> None:
        answer = client.post("/responses", {"model": "gpt-5.4-mini", "input": "hi", **fields})
        assert answer.status_code == 400
        assert path in json.dumps(answer.json()["error"])
        assert client.balance() == USD


class TestStored:
    def test_a_conversation_goes_on_from_a_response(self, client: TextClient) -> None:
        first = ask(client, "My name is Ada", instructions="Be brief")
        second = ask(client, "What is my name?", previous_response_id=first.id)
        third = ask(client, "And now?", previous_response_id=second.id)
        assert third.previous_response_id == second.id
        sizes = [made.usage.input_tokens for made in (first, second, third) if made.usage is not None]
        assert sizes == sorted(sizes)
        assert len(set(sizes)) == 3
        assert said_to_the_model(client, second.id) == ["What is my name?"]

    def test_it_is_there_as_soon_as_its_stream_has_ended(self, client: TextClient) -> None:
        with client.openai.responses.stream(model="gpt-5.4-mini", input="hi") as stream:
            for event in stream:
                if event.type == "response.completed":
                    kept = client.openai.responses.retrieve(event.response.id)
        assert kept.output_text == stream.get_final_response().output_text

    @pytest.mark.parametrize("model", ["gpt-5.4-mini", "claude-haiku-5-5"])
    @pytest.mark.parametrize("refers", [True, False], ids=["item_reference", "previous_response_id"])
    def test_a_tool_loop(self, client: TextClient, model: str, refers: bool) -> None:
        asked: Any = {"role": "user", "content": "Use the tool [[tool]]"}
        first = ask(client, [asked], model, tools=[TOOL], tool_choice="required")
        (call,) = [item for item in first.output if item.type == "function_call"]
        output: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
        if refers:
            references: Any = [{"type": "item_reference", "id": item.id} for item in first.output]
            second = ask(client, [asked, *references, output], model, tools=[TOOL])
        else:
            second = ask(client, [output], model, tools=[TOOL], previous_response_id=first.id)
        assert second.status == "completed"

    def test_it_is_found_listed_and_deleted(self, client: TextClient) -> None:
        made = ask(client, "hello")
        assert client.openai.responses.retrieve(made.id).to_dict() == made.to_dict()
        (item,) = client.openai.responses.input_items.list(made.id)
        assert item.id is not None
        client.openai.responses.delete(made.id)
        with pytest.raises(openai.NotFoundError) as gone:
            client.openai.responses.retrieve(made.id)
        assert gone.value.code == "response_not_found"
        with pytest.raises(openai.NotFoundError):
            ask(client, "on", previous_response_id=made.id)

    @pytest.mark.parametrize("limit", ["9" * 5_000, "0", "101", "²", "-1", ""])
    def test_a_limit_that_is_no_number_of_items_is_named(self, client: TextClient, limit: str) -> None:
        path = f"/responses/resp_01J0000000000000000000000/input_items?limit={limit}"
        answer = client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")
        assert answer.json()["error"]["details"][0]["path"] == "/limit"

    def test_what_is_not_to_be_stored_is_not(self, client: TextClient) -> None:
        made = ask(client, "hello", store=False)
        with pytest.raises(openai.NotFoundError):
            client.openai.responses.retrieve(made.id)

    def test_another_accounts_is_unknown(self, open_client: Callable[[int], TextClient]) -> None:
        owner, stranger = open_client(USD), open_client(USD)
        made = ask(owner, "secret")
        for call in (
            lambda: stranger.openai.responses.retrieve(made.id),
            lambda: stranger.openai.responses.input_items.list(made.id),
            lambda: stranger.openai.responses.delete(made.id),
            lambda: ask(stranger, "go on", previous_response_id=made.id),
            lambda: ask(stranger, [{"type": "item_reference", "id": made.output[0].id}]),
        ):
            with pytest.raises(openai.NotFoundError):
                call()
        assert owner.openai.responses.retrieve(made.id).id == made.id
        assert stranger.balance() == USD

    @pytest.mark.parametrize("name", ["msg_x", "msg_01M7Y2Q4WSP59F26XXE50F2Y61_0"])
    def test_an_unknown_one_is_named_as_it_was_sent_with_its_field(
        self, client: TextClient, name: str
    ) -> None:
        error = refused(lambda: ask(client, [{"role": "user", "content": "one"}, {"id": name}]))
        assert (error["param"], f"'{name}'" in error["message"]) == ("input[1].id", True)
        error = refused(lambda: ask(client, "on", previous_response_id="resp_x"))
        assert (error["param"], "'resp_x'" in error["message"]) == ("previous_response_id", True)

    def test_a_large_one_is_an_object_and_goes_with_its_row(self, client: TextClient) -> None:
        long = "word " * 70_000
        made = ask(client, long)
        assert said_to_the_model(client, made.id) == [long]
        client.openai.responses.delete(made.id)
        with pytest.raises(openai.NotFoundError):
            client.openai.responses.retrieve(made.id)

    def test_what_cannot_be_stored_is_answered_all_the_same(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(storage, "MAX_DAY_BYTES", 1)
        assert ask(client, "one").to_dict()["store"] is True
        made = ask(client, "two")
        assert made.output_text
        assert made.to_dict()["store"] is False
        with pytest.raises(openai.NotFoundError):
            client.openai.responses.retrieve(made.id)

    def test_a_database_that_fails_costs_the_storage_and_not_the_answer(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(storage.Storage, "count", _broken)
        made = ask(client, "two")
        assert made.output_text
        assert made.to_dict()["store"] is False
        assert client.settled()


async def _broken(*_: object) -> None:
    raise DatabaseError("gone")


class TestThinkingThatAVendorWantsBack:
    """A tool loop in which nothing is stored: what the client keeps is what the vendor gets."""

    @pytest.mark.parametrize("keeps", [True, False])
    def test_survives_a_client_that_keeps_sealed_items_and_one_that_keeps_none(
        self, client: TextClient, keeps: bool
    ) -> None:
        asked: Any = {"model": "deepseek-v4-flash", "store": False, "tools": [THINKING_TOOL]}
        said: Any = {"role": "user", "content": "[[think]] [[tool]]"}
        first = client.openai.responses.create(input=[said], **asked)
        assert [item.type for item in first.output] == ["reasoning", "function_call"]
        # The AI SDK keeps reasoning that has something sealed, and drops any other.
        sealed: list[Any] = [
            item.to_dict()
            for item in first.output
            if item.type != "reasoning" or (keeps and item.encrypted_content)
        ]
        assert len(sealed) == 1 + keeps
        (call,) = [item for item in first.output if item.type == "function_call"]
        told: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "5"}
        second = client.openai.responses.create(input=[said, *sealed, told], **asked)
        assert second.output_text


THINKING_TOOL = {
    "type": "function",
    "name": "weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    "strict": False,
}
