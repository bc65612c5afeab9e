"""Spans of requests, read by OpenTelemetry's own classes."""

import base64
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from google.protobuf.json_format import Parse
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tollgate.activity.found import Found
from tollgate.exports.spans import export_body, is_sampled, rejected_of
from tollgate.kit.ids import new_id
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.trace import Ending, RouteCall, Trace

NOW_MS = 1_795_000_000_000
# Of samples of everything and of a half (OpenTelemetry, "TraceState: Probability Sampling").
THRESHOLDS = {"1": "ot=th:0", "0.5": "ot=th:8"}


def decoded(body: bytes) -> Span:
    """Return the only span. OTLP's JSON has ids in hexadecimal, and that of protobuf in base64."""
    request = json.loads(body)
    (span,) = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    for name in ("traceId", "spanId"):
        span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    # A field that OTLP does not have is an error.
    found = Parse(json.dumps(request), ExportTraceServiceRequest())
    assert found.resource_spans[0].resource.attributes[0].value.string_value == "tollgate"
    decoded_span: Span = found.resource_spans[0].scope_spans[0].spans[0]
    return decoded_span


def facts(span: Span) -> Mapping[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


def a_request(**kwargs: Any) -> Found:
    usage = {"input_tokens": 7, "cache_read_tokens": 5, "output_tokens": 20, "reasoning_tokens": 3}
    entry = text_entry(
        "usr_1",
        kwargs.pop("request_id", "req_1"),
        model="gpt-5.4-mini",
        charge_micro_usd=63,
        usage=usage,
        now_ms=NOW_MS,
        attribution=Attribution("alice", {"team": "search"}),
        **kwargs,
    )
    return Found(entry)


class TestSpans:
    def test_a_span_has_the_names_of_the_conventions(self) -> None:
        trace = Trace(api="chat", calls=(RouteCall("openai", 5, 9, "http_500"), RouteCall("xai", 10)))
        span = decoded(export_body("usr_1", [a_request(latency_ms=1500, trace=trace)], "1", has_content=True))
        found = facts(span)
        assert (span.name, span.kind) == ("chat gpt-5.4-mini", Span.SPAN_KIND_CLIENT)
        assert (span.end_time_unix_nano - span.start_time_unix_nano) == 1_500_000_000
        assert (len(span.trace_id), len(span.span_id), span.status.code) == (16, 8, 0)
        assert found["gen_ai.provider.name"] == "x_ai"
        assert found["gen_ai.usage.input_tokens"] == 12
        assert found["gen_ai.usage.cache_read.input_tokens"] == 5
        assert found["gen_ai.usage.reasoning.output_tokens"] == 3
        assert (found["user.id"], found["tollgate.tag.team"]) == ("alice", "search")
        assert (found["tollgate.cost.usd"], found["tollgate.cost.micro_usd"]) == (0.000063, 63)
        # The prompt of a text request is not stored
        assert "gen_ai.input.messages" not in found
        assert [event.name for event in span.events] == ["tollgate.route_failed"]

    def test_a_failed_request_is_an_error(self) -> None:
        trace = Trace(api="messages", ending=Ending.CUT, code="upstream_error")
        span = decoded(export_body("usr_1", [a_request(trace=trace)], "1", has_content=False))
        assert (span.status.code, facts(span)["error.type"]) == (2, "upstream_error")

    @pytest.mark.parametrize(("rate", "state"), THRESHOLDS.items())
    def test_the_threshold_is_in_the_trace_state(self, rate: str, state: str) -> None:
        assert decoded(export_body("usr_1", [a_request()], rate, has_content=False)).trace_state == state

    @given(st.text(min_size=1), st.integers(0, 100), st.integers(0, 100))
    def test_a_larger_sample_has_each_request_of_a_smaller_one(self, one: str, rate: int, more: int) -> None:
        low, high = sorted((rate, more))
        if is_sampled(one, str(Decimal(low) / 100)):
            assert is_sampled(one, str(Decimal(high) / 100))
        assert is_sampled(one, "1")
        assert not is_sampled(one, "0")

    def test_a_sample_of_a_tenth_is_a_tenth(self) -> None:
        found = sum(is_sampled(new_id("req"), "0.1") for _ in range(10_000))
        assert 800 < found < 1_200

    @pytest.mark.parametrize(
        ("answer", "found"),
        [
            (b"", (0, None)),
            (b"{}", (0, None)),
            (b"<html>", (0, None)),
            (b"[]", (0, None)),
            (b'{"partialSuccess": {"rejectedSpans": "3", "errorMessage": "too old"}}', (3, "too old")),
            (b'{"partialSuccess": {"rejectedSpans": {}}}', (0, None)),
        ],
    )
    def test_refused_spans_are_read_from_a_partial_success(self, answer: bytes, found: object) -> None:
        assert rejected_of(answer) == found
