"""The reserves' own ways: OpenRouter's price cap, errors inside 200, comments; addresses; windows."""

import json
from typing import Any

import pytest

from local.simulator.text.completions import PROCESSING
from tests.unit.catalog.cases import CATALOG
from tests.unit.text.samples import ANTHROPIC, OPENAI, call_of, routed
from tollgate.providers.runtime.secret import Credentials
from tollgate.providers.runtime.text_registry import make_text_upstreams
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.providers.text.openai_compatible.text import OpenAiCompatible
from tollgate.text.listing.views import wire_model
from tollgate.text.models import TextRoute
from tollgate.text.routes.response import encode_events
from tollgate.text.upstream.exchange import Exchange
from tollgate.text.usage import Usage, read_chat_usage
from tollgate.text.wire.faults import FaultError, Verdict

CHAT: dict[str, Any] = {"model": "ours", "messages": [{"role": "user", "content": "hi"}]}
MOST = {"max_price": {"prompt": "2", "completion": "10"}}
"""Of `samples.text_model`: strings, in USD per 1M tokens, as OpenRouter's SDK types them."""

# The row of a whole answer, as OpenRouter's API reference shows it ("usage accounting").
USAGE = {
    "prompt_tokens": 194,
    "completion_tokens": 20,
    "total_tokens": 214,
    "cost": 0.95,
    "is_byok": False,
    "cost_details": {"upstream_inference_cost": None},
    "prompt_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 50, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 5},
}


def exchange(client: Any = OPENAI, vendor: str = "openrouter", **fields: Any) -> Exchange:
    limit = {"max_tokens": 100} if client is ANTHROPIC else {}
    return OpenAiCompatible(VENDORS[vendor], "sk-or-1").exchange(
        routed(client, {**CHAT, **limit, **fields}, OPENAI)
    )


class TestOpenRouter:
    @pytest.mark.parametrize("client", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
    def test_it_is_told_the_most_that_we_pay(self, client: Any) -> None:
        call = call_of(exchange(client))
        assert call.url == "https://openrouter.ai/api/v1/chat/completions"
        assert json.loads(call.body)["provider"] == MOST

    def test_a_client_cannot_choose_a_dearer_host(self) -> None:
        body = json.loads(call_of(exchange(provider={"order": ["dear"], "max_price": {}})).body)
        assert body["provider"] == MOST

    @pytest.mark.parametrize("vendor", sorted(VENDORS.keys() - {"openrouter", "azure"}))
    def test_nobody_else_is(self, vendor: str) -> None:
        assert "provider" not in json.loads(call_of(exchange(vendor=vendor)).body)

    def test_its_usage_row_is_read_with_its_cost_beside_it(self) -> None:
        read = read_chat_usage(USAGE, VENDORS["openrouter"].dialect.reasoning_count)
        assert read == Usage(44, 20, 100, 50, 0, 5)

    @pytest.mark.parametrize(
        ("code", "verdict"),
        [
            (502, Verdict.NEXT_ROUTE),
            (503, Verdict.NEXT_ROUTE),
            (429, Verdict.NEXT_ROUTE),
            (402, Verdict.OUR_ACCOUNT),
            (400, Verdict.ABOUT_REQUEST),
        ],
    )
    def test_an_error_inside_200_is_of_the_status_it_names(self, code: int, verdict: Verdict) -> None:
        body = {"error": {"code": code, "message": "Provider returned error", "metadata": {}}}
        with pytest.raises(FaultError) as failed:
            exchange().read_whole(json.dumps(body).encode())
        assert (failed.value.fault.status, failed.value.fault.verdict) == (code, verdict)

    def test_a_choice_that_ends_in_error_is_a_fault(self) -> None:
        choice = {"index": 0, "message": {"content": ""}, "finish_reason": "error", "error": {"code": 502}}
        with pytest.raises(FaultError) as failed:
            exchange().read_whole(json.dumps({"choices": [choice]}).encode())
        assert failed.value.fault.verdict is Verdict.NEXT_ROUTE

    def test_its_comments_do_not_tie_the_client_to_it(self) -> None:
        asked = exchange(stream=True)
        failed = b'data: {"error": {"code": 502, "message": "Provider returned error"}}\n\n'
        assert encode_events(asked, asked.splitter.feed(PROCESSING * 3)) == b""
        encode_events(asked, asked.splitter.feed(failed))
        assert asked.stream.fault is not None
        assert asked.stream.fault.verdict is Verdict.NEXT_ROUTE
        assert not asked.meter.delivered_bytes

    def test_once_it_answers_a_comment_of_ours_keeps_the_line_open(self) -> None:
        asked = exchange(stream=True)
        encode_events(asked, asked.splitter.feed(_said("Hi")))
        assert encode_events(asked, asked.splitter.feed(PROCESSING)) == b": keep-alive\n\n"


def _said(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return (
        b"data: "
        + json.dumps({"id": "g", "created": 1, "model": "m", "choices": [choice]}).encode()
        + b"\n\n"
    )


class TestAddresses:
    def test_azure_is_where_the_secret_says(self) -> None:
        made = make_text_upstreams(
            {"azure": Credentials(key="k", base_url="https://x.openai.azure.com/openai/v1")}
        )
        call = call_of(made["azure"].exchange(routed(OPENAI, CHAT, OPENAI)))
        assert call.url == "https://x.openai.azure.com/openai/v1/chat/completions"
        assert call.headers["authorization"] == "Bearer k"

    def test_without_an_address_it_is_left_out(self) -> None:
        assert "azure" not in make_text_upstreams({"azure": Credentials(key="k")})
        assert "openrouter" in make_text_upstreams({"openrouter": Credentials(key="k")})

    @pytest.mark.parametrize(
        ("vendor", "url"),
        [
            ("fireworks", "https://api.fireworks.ai/inference/v1/chat/completions"),
            ("deepinfra", "https://api.deepinfra.com/v1/openai/chat/completions"),
        ],
    )
    def test_hosts_of_open_models(self, vendor: str, url: str) -> None:
        assert call_of(exchange(vendor=vendor)).url == url


class TestWindows:
    @pytest.mark.parametrize(
        ("tokens", "limit", "fits"),
        [
            (900, None, True),
            (900, 100, True),
            (901, 100, False),
            (1001, None, False),
            (10, 201, False),
            (10, 200, True),
        ],
    )
    def test_a_request_must_fit_the_route(self, tokens: int, limit: int | None, fits: bool) -> None:
        route = TextRoute("x", "m", OPENAI, context_tokens=1000, max_output_tokens=200)
        assert route.holds(tokens, limit) is fits

    def test_a_route_without_bounds_of_its_own_has_the_models(self) -> None:
        assert TextRoute("x", "m", OPENAI).holds(10**9, 10**9)

    def test_the_catalogs_bounds_reach_the_wire(self) -> None:
        routes = {route.provider: route for route in wire_model(CATALOG.text_model("qwen3.8-max")).routes}
        assert routes["fireworks"].context_tokens == 262_144
        assert wire_model(CATALOG.text_model("kimi-k3")).routes[2].max_output_tokens == 131_072
