"""What a body may ask for that has no price here, on any route of a model."""

from typing import Any

import pytest

from tests.unit.text.samples import ANTHROPIC, OPENAI, text_model
from tollgate.kit.errors import InvalidInputError
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import read_request
from tollgate.text.body.unpriced import unpriced_problems
from tollgate.text.models import TextProtocol
from tollgate.text.routes.admission import demand_of

BODY: dict[str, Any] = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}


def paths(fields: dict[str, Any], protocol: TextProtocol = OPENAI) -> list[str]:
    """Return where the problems of a body with these fields are."""
    request = read_request(protocol, dumps({**BODY, **fields}).encode())
    return [problem.path for problem in unpriced_problems(request)]


def compaction(kind: str) -> dict[str, Any]:
    return {"context_management": {"edits": [{"type": "clear_tool_uses_20250919"}, {"type": kind}]}}


@pytest.mark.parametrize(
    ("protocol", "part"),
    [
        (OPENAI, {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}}),
        (OPENAI, {"type": "audio_url", "audio_url": {"url": "https://a.test/a.mp3"}}),
        (OPENAI, {"type": "file", "file": {"file_data": "DATA:audio/mp3;base64,QUJD"}}),
        (OPENAI, {"type": "image_url", "image_url": {"url": "data:audio/wav;base64,QUJD"}}),
        (
            ANTHROPIC,
            {"type": "image", "source": {"type": "base64", "media_type": "audio/wav", "data": "QUJD"}},
        ),
    ],
)
def test_audio_is_refused_unless_the_model_has_a_price_for_it(protocol: TextProtocol, part: Any) -> None:
    # ai.google.dev/gemini-api/docs/pricing: audio costs more than text.
    said = [{"role": "user", "content": [{"type": "text", "text": "data:audio/ is a prefix"}, part]}]
    request = read_request(protocol, dumps({**BODY, "messages": said}).encode())
    with pytest.raises(InvalidInputError, match="/messages/0/content/1: Audio"):
        demand_of(request, text_model())
    assert demand_of(request, text_model(hears=True))


class TestWhatHasNoPrice:
    @pytest.mark.parametrize("protocol", [OPENAI, ANTHROPIC])
    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"service_tier": "priority"}, "/service_tier"),
            ({"service_tier": ["priority"]}, "/service_tier"),
            ({"speed": "fast"}, "/speed"),
            ({"inference_geo": "us"}, "/inference_geo"),
            ({"modalities": ["text", "audio"]}, "/modalities"),
            ({"web_search_options": {}}, "/web_search_options"),
            ({"mcp_servers": [{}]}, "/mcp_servers"),
            ({"fallbacks": [{"model": "claude-fable-5-1", "speed": "fast"}]}, "/fallbacks"),
            ({"compaction": {"type": "enabled"}}, "/compaction"),
            ({"enable_search": True}, "/enable_search"),
            ({"search_parameters": {"mode": "on"}}, "/search_parameters"),
            ({"plugins": [{"id": "web"}]}, "/plugins"),
            ({"extra_body": {"google": {}}}, "/extra_body"),
            (compaction("compact_20260112"), "/context_management/edits/1/type"),
            (compaction("summarise_everything"), "/context_management/edits/1/type"),
            ({"Max_Tokens": 100_000}, "/Max_Tokens"),
            ({"maxTokens": 100_000}, "/maxTokens"),
            ({"MAX-COMPLETION-TOKENS": 100_000}, "/MAX-COMPLETION-TOKENS"),
            ({"enableSearch": True}, "/enableSearch"),
            ({"N": 8}, "/N"),
            ({"tools": [{"type": "function"}, {"type": "web_search_20260209"}]}, "/tools/1/type"),
            ({"tools": [{"type": "code_execution_20250825"}]}, "/tools/0/type"),
            ({"tools": [{"googleSearch": {}}]}, "/tools/0/type"),
            ({"tools": [{"type": 1, "name": "web_search", "input_schema": {}}]}, "/tools/0/type"),
            ({"tools": [{"type": ["function"], "name": "f"}]}, "/tools/0/type"),
            ({"tools": [{"type": {"web_search": {}}}]}, "/tools/0/type"),
            ({"tools": ["web_search"]}, "/tools/0"),
            ({"tools": "web_search"}, "/tools"),
            ({"tools": {"type": "web_search"}}, "/tools"),
        ],
    )
    def test_is_refused_by_name(self, fields: dict[str, Any], path: str, protocol: TextProtocol) -> None:
        assert paths(fields, protocol) == [path]

    def test_nor_has_another_vendors_tool_beside_a_function(self) -> None:
        tool = {"type": "function", "function": {"name": "f"}, "code_interpreter": {}}
        assert paths({"tools": [tool]}) == ["/tools/0/code_interpreter"]


class TestWhatHasOne:
    @pytest.mark.parametrize("protocol", [OPENAI, ANTHROPIC])
    @pytest.mark.parametrize(
        "fields",
        [
            {},
            {"service_tier": "auto", "modalities": ["text"], "speed": None, "web_search_options": None},
            {"enable_search": False, "some_new_field": 1, "reasoning_effort": "low"},
            {"tools": [{"type": "function"}]},
            {"context_management": {"edits": [{"type": "clear_thinking_20251015"}]}},
        ],
    )
    def test_passes(self, fields: dict[str, Any], protocol: TextProtocol) -> None:
        assert paths(fields, protocol) == []

    @pytest.mark.parametrize("kind", ["bash_20250124", "custom"])
    def test_tools_of_another_protocol_are_refused_in_chats(self, kind: str) -> None:
        # Hosts of models would drop them in silence.
        assert paths({"tools": [{"type": kind}]}, ANTHROPIC) == []
        assert paths({"tools": [{"type": kind}]}, OPENAI) == ["/tools/0/type"]

    @pytest.mark.parametrize("missing", ["name", "input_schema"])
    def test_a_tool_of_messages_without_a_type_is_told_its_missing_field(self, missing: str) -> None:
        tool = {"name": "a", "input_schema": {"type": "object"}}
        tool.pop(missing)
        assert paths({"tools": [tool]}, ANTHROPIC) == [f"/tools/0/{missing}"]
        assert paths({"tools": [tool]}, OPENAI) == ["/tools/0/type"]

    def test_a_tool_of_messages_is_never_told_to_be_a_function(self) -> None:
        body = dumps({**BODY, "tools": [{"googleSearch": {}}]}).encode()
        (problem,) = unpriced_problems(read_request(ANTHROPIC, body))
        assert (problem.path, problem.allowed) == ("/tools/0/type", ["custom"])
        assert "input_schema" in problem.message

    def test_a_tool_of_messages_needs_no_type(self) -> None:
        assert paths({"tools": [{"name": "x", "input_schema": {"type": "object"}}]}, ANTHROPIC) == []
