import json
from typing import Any

import httpx
import pytest

from local.simulator.text.refusals import messages_refusal
from tollgate.text.wire.sse import SseSplitter

OPENAI, ANTHROPIC = "/openai/v1/chat/completions", "/anthropic/v1/messages"
AUTH = {"authorization": "Bearer key", "anthropic-version": "2023-06-01"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
NAMES = ("weather", "time", "place")
TOOLS = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in NAMES]
CLAUDE_TOOLS = [{"name": name, "input_schema": SCHEMA} for name in NAMES]


def chat(http: httpx.Client, prompt: str, path: str = OPENAI, **more: Any) -> httpx.Response:
    messages = [{"role": "user", "content": prompt}]
    return http.post(path, json={"model": "m", "messages": messages, **more}, headers=AUTH)


def claude(http: httpx.Client, prompt: str, **more: Any) -> httpx.Response:
    return chat(http, prompt, ANTHROPIC, **{"max_tokens": 1_000, **more})


def events(answer: httpx.Response) -> list[Any]:
    assert answer.headers["content-type"].startswith("text/event-stream")
    data = [event.data or b"" for event in SseSplitter().feed(answer.content)]
    return ["[DONE]" if item == b"[DONE]" else json.loads(item) for item in data]


def drain(answer: httpx.Response, got: bytearray) -> None:
    for piece in answer.iter_bytes():
        got += piece


class TestChatCompletions:
    def test_the_same_prompt_has_the_same_answer(self, http: httpx.Client) -> None:
        first, second = (chat(http, "hello").json()["choices"] for _ in range(2))
        assert first == second
        assert first[0]["finish_reason"] == "stop"
        assert chat(http, "hello you").json()["choices"] != first

    def test_streamed_is_the_same_text(self, http: httpx.Client) -> None:
        whole = chat(http, "hello").json()["choices"][0]["message"]["content"]
        sent = events(chat(http, "hello", stream=True, stream_options={"include_usage": True}))
        said = "".join(choice["delta"].get("content", "") for part in sent[:-1] for choice in part["choices"])
        assert said == whole
        assert sent[-1] == "[DONE]"
        assert sent[-2]["choices"] == []
        assert sent[-2]["usage"]["completion_tokens"] == 12
        assert [part["usage"] for part in sent[:-2]] == [None] * (len(sent) - 2)

    def test_no_usage_chunk_unless_asked_for(self, http: httpx.Client) -> None:
        assert all("usage" not in part for part in events(chat(http, "hello", stream=True))[:-1])

    def test_a_length_and_its_limit(self, http: httpx.Client) -> None:
        assert chat(http, "[[tokens 200]]").json()["usage"]["completion_tokens"] == 200
        answer = chat(http, "[[tokens 200]]", max_tokens=5).json()
        assert (answer["usage"]["completion_tokens"], answer["choices"][0]["finish_reason"]) == (5, "length")

    @pytest.mark.parametrize(
        ("prompt", "names"), [("[[tool]]", ["weather"]), ("[[tools 2]]", ["weather", "time"])]
    )
    def test_tools(self, http: httpx.Client, prompt: str, names: list[str]) -> None:
        choice = chat(http, prompt, tools=TOOLS).json()["choices"][0]
        calls = choice["message"]["tool_calls"]
        assert [call["function"]["name"] for call in calls] == names
        assert json.loads(calls[0]["function"]["arguments"]) == {"city": "sample"}
        assert choice["finish_reason"] == "tool_calls"

    def test_a_tools_result_is_answered_in_words(self, http: httpx.Client) -> None:
        call = {"id": "a", "type": "function", "function": {"name": "time", "arguments": "{}"}}
        messages = [
            {"role": "user", "content": "[[tool]]"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": "5"},
        ]
        body = {"model": "m", "messages": messages, "tools": TOOLS}
        answer = http.post(OPENAI, json=body, headers=AUTH).json()
        assert answer["choices"][0]["finish_reason"] == "stop"

    def test_a_choice_of_tool(self, http: httpx.Client) -> None:
        choice = {"type": "function", "function": {"name": "time"}}
        answer = chat(http, "hello", tools=TOOLS, tool_choice=choice).json()
        assert answer["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "time"

    def test_a_structured_answer(self, http: httpx.Client) -> None:
        schema = {
            "type": "object",
            "properties": {"n": {"type": "integer"}, "l": {"type": "array", "items": {"enum": ["x"]}}},
        }
        wanted = {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}}
        answer = chat(http, "hello", response_format=wanted).json()
        assert json.loads(answer["choices"][0]["message"]["content"]) == {"n": 1, "l": ["x"]}

    def test_thinking_is_hidden_by_some_and_shown_by_others(self, http: httpx.Client) -> None:
        hidden = chat(http, "[[think]]").json()
        shown = chat(http, "[[think]]", "/deepseek/v1/chat/completions").json()
        assert "reasoning_content" not in hidden["choices"][0]["message"]
        assert len(shown["choices"][0]["message"]["reasoning_content"].split()) == 8
        assert hidden["usage"]["completion_tokens_details"]["reasoning_tokens"] == 8

    @pytest.mark.parametrize(
        ("vendor", "expected"),
        [
            (
                "openai",
                {
                    "completion_tokens": 20,
                    "prompt_tokens_details": {"cached_tokens": 9, "cache_write_tokens": 4},
                },
            ),
            ("deepseek", {"prompt_cache_hit_tokens": 9, "prompt_tokens_details": None}),
            ("google", {"completion_tokens": 12, "completion_tokens_details": None}),
            ("xai", {"completion_tokens": 12, "completion_tokens_details": {"reasoning_tokens": 8}}),
            ("moonshot", {"cached_tokens": 9}),
            ("dashscope", {"prompt_tokens_details": {"cached_tokens": 9, "cache_creation_input_tokens": 4}}),
        ],
    )
    def test_each_vendor_counts_in_its_own_way(
        self, http: httpx.Client, vendor: str, expected: dict[str, Any]
    ) -> None:
        prompt = f"[[think]] [[cached 9]] [[cache-write 4]] [[vendor {vendor}]]"
        usage = chat(http, prompt).json()["usage"]
        assert usage.items() >= expected.items()
        reasoning = 8 if vendor in ("google", "xai") else 0
        assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] + reasoning

    def test_usage_with_the_last_content(self, http: httpx.Client) -> None:
        sent = events(chat(http, "[[usage-in-choices]]", stream=True, stream_options={"include_usage": True}))
        assert sent[-2]["usage"]["completion_tokens"] == 12
        assert len(sent[-2]["choices"]) == 1

    def test_kimi_reports_inside_the_choice(self, http: httpx.Client) -> None:
        sent = events(chat(http, "hello", "/moonshot/v1/chat/completions", stream=True))
        assert sent[-2]["choices"][0]["usage"]["completion_tokens"] == 12

    def test_no_usage(self, http: httpx.Client) -> None:
        assert chat(http, "[[no-usage]]").json()["usage"] is None
        sent = events(chat(http, "[[no-usage]]", stream=True, stream_options={"include_usage": True}))
        assert all(part["usage"] is None for part in sent[:-1])


class TestMessages:
    def test_streamed_is_the_same_text_and_usage(self, http: httpx.Client) -> None:
        whole = claude(http, "hello [[think]]").json()
        sent = events(claude(http, "hello [[think]]", stream=True))
        deltas = [event["delta"] for event in sent if event["type"] == "content_block_delta"]
        assert "".join(delta.get("text", "") for delta in deltas) == whole["content"][1]["text"]
        assert "".join(delta.get("thinking", "") for delta in deltas) == whole["content"][0]["thinking"]
        assert whole["usage"].items() >= sent[-2]["usage"].items()
        assert sent[0]["message"]["usage"]["output_tokens"] == 1
        assert {event["type"] for event in sent} >= {"ping", "content_block_stop", "message_stop"}

    def test_tools(self, http: httpx.Client) -> None:
        answer = claude(http, "[[tools 2]]", tools=CLAUDE_TOOLS).json()
        assert [block["name"] for block in answer["content"]] == ["weather", "time"]
        assert (answer["content"][0]["input"], answer["stop_reason"]) == ({"city": "sample"}, "tool_use")

    def test_a_tools_result_is_answered_in_words(self, http: httpx.Client) -> None:
        result = {"type": "tool_result", "tool_use_id": "a", "content": "5"}
        call = {"type": "tool_use", "id": "a", "name": "time", "input": {}}
        messages = [
            {"role": "user", "content": "[[tool]]"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
        body = {"model": "m", "max_tokens": 100, "messages": messages, "tools": CLAUDE_TOOLS}
        assert http.post(ANTHROPIC, json=body, headers=AUTH).json()["stop_reason"] == "end_turn"

    def test_cached_input_stands_beside_the_rest(self, http: httpx.Client) -> None:
        plain = claude(http, "[[cached 0]] hello").json()["usage"]["input_tokens"]
        usage = claude(http, "[[cached 5]] hello").json()["usage"]
        assert (usage["input_tokens"], usage["cache_read_input_tokens"]) == (plain - 5, 5)

    def test_counting_tokens(self, http: httpx.Client) -> None:
        body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        counted = http.post(f"{ANTHROPIC}/count_tokens", json=body, headers=AUTH).json()["input_tokens"]
        assert counted == claude(http, "hello").json()["usage"]["input_tokens"]

    @pytest.mark.parametrize(
        ("headers", "more", "message"),
        [
            ({"anthropic-version": "1999-01-01"}, {}, "anthropic-version"),
            ({"anthropic-version": "2026-10-21"}, {"temperature": 0}, "temperature"),
            ({}, {"max_tokens": None}, "max_tokens"),
        ],
    )
    def test_what_is_refused(
        self, http: httpx.Client, headers: dict[str, str], more: dict[str, Any], message: str
    ) -> None:
        body = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "a"}], **more}
        answer = http.post(ANTHROPIC, json=body, headers={**AUTH, **headers})
        assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")
        assert message in answer.json()["error"]["message"]


class TestFaults:
    @pytest.mark.parametrize("path", [OPENAI, ANTHROPIC])
    @pytest.mark.parametrize(
        ("prompt", "status"), [("[[status 429]]", 429), ("[[reject]]", 400), ("[[fail]]", 500)]
    )
    def test_statuses(self, http: httpx.Client, path: str, prompt: str, status: int) -> None:
        answer = chat(http, prompt, path, max_tokens=5)
        assert answer.status_code == status
        assert answer.json()["error"]["message"]

    def test_a_status_for_the_first_two(self, http: httpx.Client) -> None:
        statuses = [chat(http, "[[status 500 2]]").status_code for _ in range(3)]
        assert statuses == [500, 500, 200]

    def test_requests_are_counted_by_prompt(self, http: httpx.Client) -> None:
        chat(http, "count me", "/xai/v1/chat/completions")
        row = http.get("/_jobs").json()[0]
        assert (row["provider"], row["prompt"], row["submits"]) == ("xai", "count me", 1)

    @pytest.mark.parametrize("path", [OPENAI, ANTHROPIC])
    def test_a_bad_key(self, http: httpx.Client, path: str) -> None:
        answer = http.post(path, json={}, headers={**AUTH, "authorization": "Bearer bad"})
        assert answer.status_code == 401

    @pytest.mark.parametrize("path", [OPENAI, ANTHROPIC])
    @pytest.mark.parametrize(
        ("stream", "prompt"), [(True, "[[stream-cut 3]]"), (False, "[[stream-cut 3]]"), (False, "[[lost]]")]
    )
    def test_a_connection_that_breaks(self, http: httpx.Client, path: str, stream: bool, prompt: str) -> None:
        with pytest.raises(httpx.RemoteProtocolError):
            chat(http, prompt, path, stream=stream, max_tokens=100)

    def test_the_chunks_before_the_break_arrive(self, http: httpx.Client) -> None:
        body = {"model": "m", "messages": [{"role": "user", "content": "[[stream-cut 3]]"}], "stream": True}
        got = bytearray()
        with (
            http.stream("POST", OPENAI, json=body, headers=AUTH) as answer,
            pytest.raises(httpx.RemoteProtocolError),
        ):
            drain(answer, got)
        assert len(list(SseSplitter().feed(bytes(got)))) == 3

    @pytest.mark.parametrize("path", [OPENAI, ANTHROPIC])
    def test_an_error_in_the_stream(self, http: httpx.Client, path: str) -> None:
        sent = events(chat(http, "[[error-in-stream]]", path, stream=True, max_tokens=100))
        assert "error" in sent[-1]

    @pytest.mark.parametrize("path", [OPENAI, ANTHROPIC])
    def test_garbage(self, http: httpx.Client, path: str) -> None:
        whole = chat(http, "[[garbage]]", path, max_tokens=100)
        assert whole.status_code == 200
        with pytest.raises(json.JSONDecodeError):
            whole.json()
        streamed = chat(http, "[[garbage 2]]", path, stream=True, max_tokens=100)
        assert [b"<html>" in event.raw for event in SseSplitter().feed(streamed.content)] == [
            False,
            False,
            True,
        ]

    @pytest.mark.parametrize("path", [OPENAI, ANTHROPIC])
    def test_waiting_before_the_headers(self, http: httpx.Client, path: str) -> None:
        body = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "[[hang 2]]"}]}
        with pytest.raises(httpx.ReadTimeout):
            http.post(path, json=body, headers=AUTH, timeout=0.3)

    @pytest.mark.parametrize("path", [OPENAI, ANTHROPIC])
    def test_silence_after_the_headers(self, http: httpx.Client, path: str) -> None:
        messages = [{"role": "user", "content": "[[silent 2]]"}]
        body = {"model": "m", "max_tokens": 5, "messages": messages, "stream": True}
        with http.stream("POST", path, json=body, headers=AUTH, timeout=1.0) as answer:
            assert answer.status_code == 200
            with pytest.raises(httpx.ReadTimeout):
                answer.read()

    def test_a_paced_stream_arrives_whole(self, http: httpx.Client) -> None:
        assert events(chat(http, "[[delay 1]] [[tokens 3]]", stream=True))[-1] == "[DONE]"


@pytest.mark.parametrize(
    ("model", "more", "is_taken"),
    [
        ("claude-sonnet-5-5", {}, True),
        ("claude-sonnet-5-5", {"output_config": {"effort": "high"}}, True),
        ("claude-sonnet-5-5", {"output_config": {"effort": "xhigh"}}, False),
        ("claude-opus-5-5", {}, False),
    ],
)
def test_claude_thinks_between_tools_only_in_one_model(
    model: str, more: dict[str, Any], is_taken: bool
) -> None:
    body = {"model": model, "max_tokens": 9, "messages": [], "thinking": {"type": "between_tools"}, **more}
    assert (messages_refusal(model, body) is None) is is_taken
