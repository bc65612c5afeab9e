import json
import re
from collections.abc import Collection
from typing import Any

import pytest

from tests.unit.text.samples import (
    ANTHROPIC,
    DONE,
    OPENAI,
    call_of,
    chat_event,
    chunk,
    routed,
    run,
    text_model,
)
from tollgate.kit.errors import InvalidInputError
from tollgate.providers.text.anthropic.text import Anthropic
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.providers.text.openai_compatible.text import OpenAiCompatible
from tollgate.text.models import Refuses, TextRoute
from tollgate.text.money.metering import HoldPlan

CHAT: dict[str, Any] = {"model": "ours", "messages": [{"role": "user", "content": "hi"}]}
MESSAGES = {**CHAT, "max_tokens": 100}
HELLO = {"role": "user", "content": "hi"}
PICTURE = {"type": "image", "source": {"type": "url", "url": "https://a.test/b.png"}}
PICTURES = {"role": "user", "content": [{"type": "text", "text": "hi"}, PICTURE]}
TOOL = {"name": "f", "input_schema": {"type": "object"}}
RESULTS = {
    "role": "user",
    "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": "a"},
        {"type": "tool_result", "tool_use_id": "t2", "content": "b"},
    ],
}
PDF = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0x"}
DOCUMENT = {"role": "user", "content": [{"type": "document", "source": PDF}]}
BETAS = (
    "interleaved-thinking-2025-05-14, fast-mode-2026-02-01,compact-2026-01-12,output-300k-2026-03-24,"
    "server-side-fallback-2026-07-01,prompt-caching-2024-07-31"
)
SILENT = [name for name in VENDORS if name not in ("openai", "azure")]
"""Vendors that take what they do not name, and may charge for it."""


def sent_chat(body: dict[str, Any], vendor: str = "openai", **changes: Any) -> dict[str, Any]:
    upstream = OpenAiCompatible(VENDORS[vendor], "sk-1")
    found = json.loads(call_of(upstream.exchange(routed(OPENAI, body, OPENAI, **changes))).body)
    assert isinstance(found, dict)
    return found


class TestOpenAiCompatible:
    @pytest.mark.parametrize(
        ("vendor", "url"),
        [
            ("openai", "https://api.openai.com/v1/chat/completions"),
            ("deepseek", "https://api.deepseek.com/chat/completions"),
            ("google", "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions"),
            ("zai", "https://api.z.ai/api/paas/v4/chat/completions"),
            ("xai", "https://api.x.ai/v1/chat/completions"),
            ("moonshot", "https://api.moonshot.ai/v1/chat/completions"),
            ("minimax", "https://api.minimax.io/v1/chat/completions"),
            ("dashscope", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions"),
            ("mistral", "https://api.mistral.ai/v1/chat/completions"),
            ("cohere", "https://api.cohere.ai/compatibility/v1/chat/completions"),
            ("xiaomi", "https://api.xiaomimimo.com/v1/chat/completions"),
            ("meta", "https://api.meta.ai/v1/chat/completions"),
            ("tencent", "https://tokenhub-intl.tencentcloudmaas.com/v1/chat/completions"),
        ],
    )
    def test_where_each_vendor_is(self, vendor: str, url: str) -> None:
        call = call_of(OpenAiCompatible(VENDORS[vendor], "sk-1").exchange(routed(OPENAI, CHAT, OPENAI)))
        assert (call.method, call.url) == ("POST", url)
        assert call.headers == {"authorization": "Bearer sk-1", "content-type": "application/json"}

    def test_elsewhere(self) -> None:
        upstream = OpenAiCompatible(VENDORS["openai"], "sk-1", "http://127.0.0.1:9/openai/v1")
        call = call_of(upstream.exchange(routed(OPENAI, CHAT, OPENAI)))
        assert call.url == "http://127.0.0.1:9/openai/v1/chat/completions"

    def test_only_the_model_changes(self) -> None:
        body = {**CHAT, "brand_new": {"a": [1.5]}, "max_completion_tokens": 5}
        assert sent_chat(body) == {**body, "model": "upstream-model"}

    @pytest.mark.parametrize("vendor", SILENT)
    def test_what_is_not_known_to_be_priced_is_kept_from_vendors_that_take_it_in_silence(
        self, vendor: str
    ) -> None:
        body = {**MESSAGES, "brand_new": 1, "prompt_expansion": True, "temperature": 0.5}
        exchange = OpenAiCompatible(VENDORS[vendor], "sk-1").exchange(routed(OPENAI, body, OPENAI))
        sent = json.loads(call_of(exchange).body)
        limit = VENDORS[vendor].dialect.limit_field
        assert sent.keys() - {"provider"} == {"model", "messages", limit, "temperature"}
        assert exchange.ignored == ["brand_new", "prompt_expansion"]

    @pytest.mark.parametrize("vendor", SILENT)
    def test_of_messages_it_is_refused(self, vendor: str) -> None:
        upstream = OpenAiCompatible(VENDORS[vendor], "sk-1")
        with pytest.raises(InvalidInputError, match="/brand_new"):
            upstream.exchange(routed(ANTHROPIC, {**MESSAGES, "brand_new": 1}, OPENAI))

    @pytest.mark.parametrize(
        ("refuses", "fields", "path"),
        [
            ({Refuses.STOP}, {"stop_sequences": ["x"]}, "/stop_sequences"),
            ({Refuses.IMAGE_URLS}, {"system": "s", "messages": [HELLO, PICTURES]}, "/messages/1/content"),
            ({Refuses.FILES}, {"messages": [HELLO, RESULTS, DOCUMENT]}, "/messages/2/content"),
            # OpenAI's models with tools are called at Responses, which has no stops.
            ((), {"tools": [TOOL], "stop_sequences": ["x"]}, "/stop_sequences"),
        ],
    )
    def test_a_messages_client_reads_its_own_names(
        self, refuses: Collection[Refuses], fields: dict[str, Any], path: str
    ) -> None:
        found = routed(
            ANTHROPIC, {**MESSAGES, **fields}, OPENAI, model=text_model(refuses=frozenset(refuses))
        )
        with pytest.raises(InvalidInputError) as refused:
            OpenAiCompatible(VENDORS["openai"], "sk-1").exchange(found)
        assert [problem.path for problem in refused.value.problems] == [path]

    @pytest.mark.parametrize(
        ("vendor", "field"), [("dashscope", "enable_thinking"), ("zai", "thinking"), ("together", "top_k")]
    )
    def test_a_vendors_own_field_that_costs_tokens_only_passes(self, vendor: str, field: str) -> None:
        assert sent_chat({**CHAT, field: 1}, vendor)[field] == 1

    @pytest.mark.parametrize(
        ("vendor", "kept", "expected"),
        [
            ("deepseek", {}, {"type": "disabled"}),
            ("deepseek", {"reasoning_content": "hm"}, None),
            ("openrouter", {}, None),
        ],
    )
    def test_a_turn_that_lost_its_thinking_is_answered_without_by_a_vendor_that_wants_it_back(
        self, vendor: str, kept: dict[str, str], expected: Any
    ) -> None:
        """DeepSeek refuses it else: https://api-docs.deepseek.com/guides/thinking_mode."""
        call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        turn = {"role": "assistant", "content": None, "tool_calls": [call], **kept}
        told = {"role": "tool", "tool_call_id": "call_1", "content": "5"}
        sent = sent_chat(
            {**CHAT, "messages": [*CHAT["messages"], turn, told], "reasoning_effort": "high"}, vendor
        )
        assert sent.get("thinking") == expected
        assert ("reasoning_effort" in sent) == (expected is None)

    def test_mistral_gets_only_fields_of_messages_that_it_knows(self) -> None:
        """It refuses others, and ids of calls unless they have nine letters or digits (pi-ai 1.5.2)."""
        call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
        turn: dict[str, Any] = {
            "role": "assistant",
            "reasoning_content": "hm",
            "refusal": None,
            "annotations": [],
        }
        messages = [
            {"role": "developer", "content": "be kind"},
            {"role": "user", "content": "hi", "name": "ann"},
            {**turn, "content": None, "tool_calls": [{**call, "id": "call_1"}, {**call, "id": "abcDEF123"}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "5"},
            {"role": "tool", "tool_call_id": "abcDEF123", "content": "6"},
        ]
        sent = sent_chat({**CHAT, "messages": messages, "stream": True, "seed": 1}, "mistral")
        first = sent["messages"][3]["tool_call_id"]
        assert re.fullmatch("[a-zA-Z0-9]{9}", first)
        assert sent["messages"] == [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{**call, "id": first}, {**call, "id": "abcDEF123"}],
            },
            {"role": "tool", "tool_call_id": first, "content": "5"},
            {"role": "tool", "tool_call_id": "abcDEF123", "content": "6"},
        ]
        assert sent.keys() == {"model", "messages", "stream"}

    @pytest.mark.parametrize("vendor", SILENT)
    def test_only_openai_knows_the_role_of_developers(self, vendor: str) -> None:
        """DeepSeek: "unknown variant `developer`"."""
        told = {"role": "developer", "content": "be kind"}
        assert sent_chat({**CHAT, "messages": [told]}, vendor)["messages"] == [{**told, "role": "system"}]
        assert sent_chat({**CHAT, "messages": [told]})["messages"] == [told]

    @pytest.mark.parametrize("vendor", ["xiaomi", "tencent"])
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({"reasoning_effort": "none"}, {"type": "disabled"}),
            ({"reasoning_effort": "high"}, {"type": "enabled"}),
            ({"reasoning_effort": "high", "thinking": {"type": "disabled"}}, {"type": "disabled"}),
        ],
    )
    def test_a_vendor_without_an_effort_has_a_switch(self, vendor: str, given: Any, expected: Any) -> None:
        sent = sent_chat({**CHAT, **given}, vendor)
        assert sent["thinking"] == expected
        assert "reasoning_effort" not in sent

    def test_muse_gets_no_tools_if_it_may_call_none(self) -> None:
        """It takes no other choice than `auto`, and it always thinks (Meta's documents of 2026-08)."""
        tool = {"type": "function", "function": {"name": "f"}}
        body = {**CHAT, "tools": [tool], "reasoning_effort": "none"}
        refuses = frozenset({Refuses.NO_TOOLS, Refuses.FORCED_TOOLS, Refuses.DISABLED_THINKING})
        route = TextRoute("meta", "upstream-model", OPENAI, refuses=refuses)
        assert sent_chat({**body, "tool_choice": "none"}, "meta", route=route).keys() == {"model", "messages"}
        assert sent_chat({**body, "tool_choice": "required"}, "meta", route=route)["tool_choice"] == "auto"

    def test_a_file_needs_a_route_that_reads_files(self) -> None:
        part = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA"}}
        body = {**CHAT, "messages": [{"role": "user", "content": [part]}]}
        route = TextRoute("mistral", "upstream-model", OPENAI, refuses=frozenset({Refuses.FILES}))
        with pytest.raises(InvalidInputError, match="/messages/0/content/0"):
            sent_chat(body, "mistral", route=route)

    @pytest.mark.parametrize("vendor", ["deepseek", "fireworks", "moonshot", "xai", "zai"])
    def test_a_vendor_without_files_refuses_one_by_name(self, vendor: str) -> None:
        part = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA"}}
        with pytest.raises(InvalidInputError, match="/messages/0/content/0"):
            sent_chat({**CHAT, "messages": [{"role": "user", "content": [part]}]}, vendor)

    def test_openrouter_never_has_a_file_parsed_at_a_price(self) -> None:
        part = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA"}}
        sent = sent_chat({**CHAT, "messages": [{"role": "user", "content": [part]}]}, "openrouter")
        assert sent["plugins"] == [{"id": "file-parser", "pdf": {"engine": "native"}}]
        assert "plugins" not in sent_chat(CHAT, "openrouter")

    def test_a_stream_asks_for_its_usage(self) -> None:
        body = {**CHAT, "stream": True, "stream_options": {"include_obfuscation": False}}
        assert sent_chat(body)["stream_options"] == {"include_obfuscation": False, "include_usage": True}

    @pytest.mark.parametrize(
        ("vendor", "given", "expected"),
        [
            ("openai", {"max_tokens": 5}, {"max_completion_tokens": 5}),
            ("deepseek", {"max_completion_tokens": 5}, {"max_tokens": 5}),
            ("deepseek", {"max_tokens": 5}, {"max_tokens": 5}),
            ("openai", {"max_tokens": 5, "max_completion_tokens": 9}, {"max_completion_tokens": 5}),
        ],
    )
    def test_the_limit_goes_under_the_vendors_name(
        self, vendor: str, given: dict[str, int], expected: dict[str, int]
    ) -> None:
        sent = sent_chat({**CHAT, **given}, vendor)
        assert {name: value for name, value in sent.items() if name.startswith("max")} == expected

    def test_the_limit_that_the_balance_affords(self) -> None:
        sent = sent_chat({**CHAT, "max_tokens": None}, hold=HoldPlan(1, 4_096, 4_096))
        assert sent["max_completion_tokens"] == 4_096
        assert "max_tokens" not in sent

    def test_a_limit_above_the_models_is_lowered(self) -> None:
        sent = sent_chat({**CHAT, "max_completion_tokens": 9_000_000}, hold=HoldPlan(1, 4_096))
        assert sent["max_completion_tokens"] == 4_096

    def test_a_messages_client_is_translated_both_ways(self) -> None:
        upstream = OpenAiCompatible(VENDORS["openai"], "sk-1")
        exchange = upstream.exchange(routed(ANTHROPIC, {**MESSAGES, "system": "be kind"}, OPENAI))
        sent = json.loads(call_of(exchange).body)
        assert sent["messages"][0] == {"role": "system", "content": "be kind"}
        assert (sent["model"], sent["max_completion_tokens"]) == ("upstream-model", 100)
        events = run(exchange.stream, [chat_event(chunk({"content": "yo"})), DONE])
        assert (events[0]["type"], events[0]["message"]["model"]) == ("message_start", "claude-haiku-5-5")

    def test_its_key_is_not_shown(self) -> None:
        assert "sk-1" not in repr(OpenAiCompatible(VENDORS["openai"], "sk-1"))

    def test_all_answers_together_count_for_the_limit(self) -> None:
        exchange = OpenAiCompatible(VENDORS["openai"], "k").exchange(
            routed(OPENAI, {**CHAT, "n": 3, "max_tokens": 10}, OPENAI)
        )
        assert exchange.meter.output_limit == 30


class TestAnthropic:
    def test_a_messages_client_goes_through(self) -> None:
        body = {**MESSAGES, "thinking": {"type": "adaptive"}, "new": 1.50}
        headers = {"anthropic-version": "2026-10-21", "anthropic-beta": BETAS, "x-api-key": "theirs"}
        call = call_of(Anthropic("sk-ant").exchange(routed(ANTHROPIC, body, ANTHROPIC, headers=headers)))
        assert call.url == "https://api.anthropic.com/v1/messages"
        assert json.loads(call.body) == {**body, "model": "upstream-model"}
        assert call.headers == {
            "x-api-key": "sk-ant",
            "anthropic-version": "2026-10-21",
            "content-type": "application/json",
            "anthropic-beta": "interleaved-thinking-2025-05-14,prompt-caching-2024-07-31",
        }

    def test_a_limit_above_the_models_is_lowered(self) -> None:
        thinking = {"type": "enabled", "budget_tokens": 8_000_000}
        body = {**MESSAGES, "max_tokens": 9_000_000, "thinking": thinking}
        call = call_of(Anthropic("k").exchange(routed(ANTHROPIC, body, ANTHROPIC, hold=HoldPlan(1, 4_096))))
        sent = json.loads(call.body)
        assert (sent["max_tokens"], sent["thinking"]["budget_tokens"]) == (4_096, 4_095)

    @pytest.mark.parametrize(
        "given",
        [
            {},
            {"anthropic-version": "1999-01-01", "anthropic-beta": "x" * 1_001},
            {"anthropic-beta": "prompt-caching-2024-07-31\tb"},
            {"anthropic-beta": "prompt-caching-é"},
        ],
    )
    def test_the_version_is_pinned(self, given: dict[str, str]) -> None:
        call = call_of(Anthropic("k").exchange(routed(ANTHROPIC, MESSAGES, ANTHROPIC, headers=given)))
        assert call.headers["anthropic-version"] == "2023-06-01"
        assert "anthropic-beta" not in call.headers

    def test_a_chat_client_is_translated(self) -> None:
        headers = {"anthropic-version": "2026-10-21"}
        found = routed(OPENAI, CHAT, ANTHROPIC, hold=HoldPlan(1, 6_000, 6_000), headers=headers)
        exchange = Anthropic("k").exchange(found)
        assert json.loads(call_of(exchange).body)["max_tokens"] == 6_000
        assert call_of(exchange).headers["anthropic-version"] == "2023-06-01"

    def test_counting_tokens(self) -> None:
        request = routed(ANTHROPIC, MESSAGES, ANTHROPIC).request
        route = TextRoute("anthropic", "claude", ANTHROPIC)
        call = Anthropic("k").count_call(request, text_model(), route, {})
        assert call.url == "https://api.anthropic.com/v1/messages/count_tokens"
        assert json.loads(call.body)["model"] == "claude"
