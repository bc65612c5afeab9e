"""The tools that Codex adds to each request by default: its own search for tools, and OpenAI's web search."""

from typing import Any

import pytest
from openai.types.responses import Response

from tests.support.text_app import TextClient

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

MODELS = ["gpt-6-luna", "gpt-5.4-mini", "claude-haiku-5-5", "deepseek-v4-pro", "gemini-3.8-flash"]
QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
SEARCH: Any = {
    "type": "tool_search",
    "execution": "client",
    "description": "Finds tools",
    "parameters": QUERY,
}
SHELL = {"type": "function", "name": "shell", "parameters": QUERY}
WEB = {"type": "web_search", "external_web_access": True}


def asked(client: TextClient, model: str, said: Any, *tools: Any, **fields: Any) -> Any:
    body = {"model": model, "input": said, "tools": list(tools), "store": False, **fields}
    return client.post("/responses", body)


@pytest.mark.parametrize("model", MODELS)
class TestCodex:
    def test_web_search_works_or_is_left_out_and_named(self, client: TextClient, model: str) -> None:
        answer = asked(client, model, "hello", SHELL, WEB)
        assert answer.status_code == 200, answer.text
        ignored = None if model.startswith(("gpt-", "claude-")) else "tools.web_search"
        assert answer.headers.get("x-tollgate-ignored") == ignored

    def test_a_search_for_tools_is_the_clients(self, client: TextClient, model: str) -> None:
        first = asked(client, model, "[[tool]] find it", SEARCH, WEB)
        assert first.status_code == 200, first.text
        Response.model_validate(first.json())
        [call] = [item for item in first.json()["output"] if item["type"] == "tool_search_call"]
        assert (call["execution"], call["status"], list(call["arguments"])) == (
            "client",
            "completed",
            ["query"],
        )
        found = {
            "type": "tool_search_output",
            "call_id": call["call_id"],
            "execution": "client",
            "status": "completed",
            "tools": [SHELL],
        }
        said = [{"role": "user", "content": "find it"}, call, found]
        then = asked(client, model, [*said, {"role": "user", "content": "[[tool]] go"}], SEARCH, SHELL)
        assert then.status_code == 200, then.text

    def test_a_found_tool_can_be_called(self, client: TextClient, model: str) -> None:
        call = {
            "type": "tool_search_call",
            "call_id": "c1",
            "execution": "client",
            "arguments": {"query": "s"},
        }
        found = {"type": "tool_search_output", "call_id": "c1", "execution": "client", "tools": [SHELL]}
        turns = [{"role": "assistant", "content": "found"}, {"role": "user", "content": "go"}]
        said = [{"role": "user", "content": "hi"}, call, found, *turns]
        choice = {"type": "function", "name": "shell"}
        answer = asked(client, model, said, SEARCH, tool_choice=choice)
        assert answer.status_code == 200, answer.text
        names = [item["name"] for item in answer.json()["output"] if item["type"] == "function_call"]
        assert names == ["shell"]


def test_a_stream_has_the_call_whole(client: TextClient) -> None:
    with client.openai.responses.stream(
        model="deepseek-v4-pro", input="[[tool]] find it", tools=[SEARCH], store=False
    ) as stream:
        items = [event.item for event in stream if event.type == "response.output_item.done"]
    [call] = [item for item in items if item.type == "tool_search_call"]
    arguments: Any = call.arguments
    assert list(arguments) == ["query"]
