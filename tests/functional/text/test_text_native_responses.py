"""Responses requests to providers that have the protocol: sent as they are, with their reasoning kept.

The simulator plays OpenAI and xAI by the published types: it verifies that encrypted reasoning comes back to
the vendor that encrypted it, with its item's own id.
"""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from tests.support.text_app import TextClient

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

NATIVE = ["gpt-5.4-mini", "gpt-6-luna", "grok-4.7"]
EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"type": "function", "name": "weather", "parameters": SCHEMA}
THINKS = {"reasoning": {"effort": "low", "summary": "auto"}}


def asked(client: TextClient, model: str, said: Any, **fields: Any) -> dict[str, Any]:
    """Return a response, whole or from its stream."""
    body = {"model": model, "input": said, **THINKS, **fields}
    if not fields.get("stream"):
        answer = client.post("/responses", body)
        assert answer.status_code == 200, answer.text
        Response.model_validate(answer.json())
        return dict(answer.json())
    events = list(events_of(client.post("/responses", body)))
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert events[-1]["type"] == "response.completed"
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert done == events[-1]["response"]["output"]
    named = {item["id"] for item in done}
    assert {event["item_id"] for event in events if "item_id" in event} <= named
    return dict(events[-1]["response"])


def events_of(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    for line in answer.text.splitlines():
        if line.startswith("data: "):
            EVENT.validate_json(line.removeprefix("data: "))
            yield json.loads(line.removeprefix("data: "))


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("model", NATIVE)
class TestReasoning:
    def test_comes_with_its_summary_and_goes_back(
        self, client: TextClient, model: str, streamed: bool
    ) -> None:
        first = asked(client, model, "[[think]] [[tool]] go", tools=[WEATHER], store=False, stream=streamed)
        reasoning, call = first["output"]
        assert reasoning["status"] == "completed"
        assert reasoning["summary"][0]["text"]
        assert (call["type"], call["name"]) == ("function_call", "weather")
        result = {"type": "function_call_output", "call_id": call["call_id"], "output": "sunny"}
        # The simulator refuses reasoning that is not what it encrypted, under the id that it gave.
        said = [{"role": "user", "content": "[[think]] go"}, *first["output"], result]
        then = asked(client, model, said, tools=[WEATHER], store=False, stream=streamed)
        assert [item["type"] for item in then["output"]] == ["reasoning", "message"]
        assert then["output"][1]["phase"] == "final_answer"

    def test_is_kept_in_a_stored_conversation(self, client: TextClient, model: str, streamed: bool) -> None:
        first = asked(client, model, "[[think]] hello", stream=streamed)
        assert client.get(f"/responses/{first['id']}").json() == first
        then = asked(client, model, "again", previous_response_id=first["id"], stream=streamed)
        said = [{"type": "item_reference", "id": item["id"]} for item in first["output"]]
        asked(client, model, [*said, {"role": "user", "content": "and again"}], stream=streamed)
        assert then["usage"]["input_tokens"] > first["usage"]["input_tokens"]

    def test_of_another_model_is_left_behind(self, client: TextClient, model: str, streamed: bool) -> None:
        others = [other for other in [*NATIVE, "claude-haiku-5-5"] if other[:3] != model[:3]]
        said: list[Any] = [{"role": "user", "content": "[[think]] hello"}]
        for other in others:
            said += asked(client, other, said)["output"]
            said.append({"role": "user", "content": "[[think]] again"})
        assert asked(client, model, said, stream=streamed)["output"][0]["type"] == "reasoning"


class TestMoney:
    @pytest.mark.parametrize("model", NATIVE)
    def test_the_usage_shown_is_the_usage_billed(self, client: TextClient, model: str) -> None:
        shown = [asked(client, model, "[[think]] [[cached 9]] hello", stream=each) for each in (False, True)]
        billed = client.texts_when(2)
        assert shown[0]["usage"] == shown[1]["usage"]
        assert shown[0]["usage"]["output_tokens_details"]["reasoning_tokens"] == 8
        assert shown[0]["usage"]["input_tokens_details"]["cached_tokens"] == 9
        assert len({entry.amount_micro_usd for entry in billed}) == 1
        assert client.settled()

    @pytest.mark.parametrize("prompt", ["[[no-usage]] hello", "[[usage-absurd]] hello"])
    def test_without_a_true_report_the_output_is_counted(self, client: TextClient, prompt: str) -> None:
        for streamed in (False, True):
            usage = asked(client, "gpt-5.4-mini", prompt, stream=streamed)["usage"]
            assert 0 < usage["output_tokens"] < 200
        assert client.settled()


class TestTools:
    def test_custom_tools_namespaces_and_grammars_stay_what_they_are(self, client: TextClient) -> None:
        grammar = {"type": "grammar", "syntax": "lark", "definition": 'start: "a"'}
        patch = {"type": "custom", "name": "apply_patch", "format": grammar}
        crm = {"type": "namespace", "name": "crm", "description": "Customers", "tools": [WEATHER]}
        for model in ("gpt-6-luna", "grok-4.7", "claude-haiku-5-5"):
            given = asked(client, model, "[[tools 2]] go", tools=[patch, crm], store=False)
            custom, function = given["output"]
            assert (custom["type"], custom["name"]) == ("custom_tool_call", "apply_patch"), model
            assert (function["name"], function["namespace"]) == ("weather", "crm"), model

    @pytest.mark.parametrize("model", ["gpt-6-luna", "gemini-3.8-flash"])
    def test_a_choice_among_some_tools_leaves_the_others(self, client: TextClient, model: str) -> None:
        other = {**WEATHER, "name": "other"}
        for mode in ("auto", "required"):
            choice = {"type": "allowed_tools", "mode": mode, "tools": [{"type": "function", "name": "other"}]}
            given = asked(client, model, "go", tools=[WEATHER, other], tool_choice=choice)
            names = [item["name"] for item in given["output"] if item["type"] == "function_call"]
            assert names == (["other"] if mode == "required" else []), mode


class TestFields:
    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"reasoning": {"mode": "pro"}}, "/reasoning/mode"),
            ({"stop": ["x"]}, "/stop"),
            (
                {"input": [{"role": "assistant", "content": [{"type": "x", "file_id": "f"}]}]},
                "/input/0/content/0/file_id",
            ),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_a_wish_without_a_price_or_a_place_is_refused_by_name(
        self, client: TextClient, fields: dict[str, Any], path: str
    ) -> None:
        answer = client.post("/responses", {"model": "gpt-5.4-mini", "input": "hello", **fields})
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"]["details"][0]["path"] == path

    def test_a_chats_hint_is_left_out_and_an_unknown_name_is_openais_to_refuse(
        self, client: TextClient
    ) -> None:
        answer = client.post(
            "/responses", {"model": "gpt-5.4-mini", "input": "hello", "seed": 1, "user": "u"}
        )
        assert (answer.status_code, answer.headers["x-tollgate-ignored"]) == (200, "seed")
        answer = client.post("/responses", {"model": "gpt-5.4-mini", "input": "hello", "foo": 1})
        assert (answer.status_code, "foo" in answer.text) == (400, True)


class TestFaults:
    @pytest.mark.parametrize("model", ["gpt-5.4-mini", "grok-4.7"])
    def test_another_route_answers_before_the_first_byte(self, client: TextClient, model: str) -> None:
        first = {"gpt-5.4-mini": "openai", "grok-4.7": "xai"}[model]
        for streamed in (False, True):
            given = asked(client, model, f"hello [[{first}:fail]]", stream=streamed)
            assert given["status"] == "completed"
        assert {entry.provider for entry in client.texts_when(2)}.isdisjoint({first})

    @pytest.mark.parametrize("direction", ["[[stream-cut 6]]", "[[error-in-stream]]", "[[garbage 5]]"])
    def test_a_broken_stream_ends_as_failed_and_is_billed_for_what_came(
        self, client: TextClient, direction: str
    ) -> None:
        body = {"model": "gpt-5.4-mini", "input": f"hello {direction}", "stream": True}
        events = list(events_of(client.post("/responses", body)))
        failed = events[-1]
        assert failed["type"] == "response.failed"
        assert failed["response"]["error"]["code"] == "server_error"
        (item,) = failed["response"]["output"]
        said = "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
        assert said
        assert (item["status"], item["content"][0]["text"]) == ("incomplete", said)
        assert [event["item"] for event in events if event["type"] == "response.output_item.done"] == [item]
        assert [event["sequence_number"] for event in events] == list(range(len(events)))
        assert client.get(f"/responses/{failed['response']['id']}").status_code == 404
        [entry] = client.texts_when(1)
        assert entry.amount_micro_usd < 0
        assert client.settled()
