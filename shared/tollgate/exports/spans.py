"""Spans of requests as OTLP/HTTP has them in JSON. Pure.

Attributes have the names of OpenTelemetry's GenAI semantic conventions (package
opentelemetry-semantic-conventions 0.66b2). Our own names begin with `tollgate.`. In OTLP's JSON, ids
are hexadecimal, 64-bit integers are texts, and enums are numbers (OTLP specification, "JSON Protobuf
Encoding").
"""

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from hashlib import sha256
from typing import Any

from tollgate.activity.found import ActivityKind, Found, ending_of
from tollgate.activity.timeline import ended_ms, routes_of, started_ms
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.money import usd_number
from tollgate.kit.version import VERSION
from tollgate.ledger.trace import Ending
from tollgate.usage.counts import INPUT, OUTPUT

# Of the prompt of a generation. A longer prompt is cut.
MAX_CONTENT = 8_192
NS_PER_MS = 1_000_000
CLIENT, ERROR = 3, 2
"""SpanKind and StatusCode of opentelemetry/proto/trace/v1/trace.proto."""
# The random part of a trace id that samplers use (W3C Trace Context 2, "Random Trace ID Flag").
_RANDOM_BYTES, _RANDOM_BITS = 7, 56
# The conventions' names of providers that differ from ours.
_PROVIDERS = {"xai": "x_ai", "mistral": "mistral_ai", "google": "gcp.gemini", "bedrock": "aws.bedrock"}
_OPERATIONS = {"completions": "text_completion", "embeddings": "embeddings", "speech": "text_to_speech"}
_GOOD = {Ending.COMPLETED, Ending.DISCONNECTED, Ending.CANCELLED}

Json = dict[str, Any]


def trace_id_of(request_id: str) -> bytes:
    """Return the id of a request's trace, which every repeat has."""
    return sha256(f"trace#{request_id}".encode()).digest()[:16]


def is_sampled(request_id: str, rate: str) -> bool:
    """Return whether a request is in a sample of `rate`, a decimal from 0 to 1.

    It is the rule of OpenTelemetry's samplers: the same requests are in every sample of that rate or higher.
    """
    return int.from_bytes(trace_id_of(request_id)[-_RANDOM_BYTES:]) >= _threshold(rate)


def _threshold(rate: str) -> int:
    """Return the smallest random part of a trace id that is sampled."""
    return int((1 - Decimal(rate)) * (1 << _RANDOM_BITS))


def export_body(account_id: str, found: Iterable[Found], rate: str, *, has_content: bool) -> bytes:
    """Return the body of an ExportTraceServiceRequest for the requests of one account."""
    spans = [_span(one, rate, has_content=has_content) for one in found]
    resource = {"service.name": "tollgate", "tollgate.account.id": account_id}
    scope = {"name": "tollgate", "version": VERSION}
    request = {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(resource)},
                "scopeSpans": [{"scope": scope, "spans": spans}],
            }
        ]
    }
    return json.dumps(request, separators=(",", ":")).encode()


def _span(found: Found, rate: str, *, has_content: bool) -> Json:
    request_id, ending = found.request_id, ending_of(found)
    start_ms = started_ms(found)
    end_ms = max(ended_ms(found) or start_ms, start_ms)
    operation = _operation(found)
    facts = {**_facts(found, operation), **(_content(found) if has_content else {})}
    if ending not in _GOOD:
        facts["error.type"] = found.trace.code or str(ending)
    threshold = f"{_threshold(rate):014x}".rstrip("0") or "0"
    return {
        "traceId": trace_id_of(request_id).hex(),
        "spanId": sha256(f"span#{request_id}".encode()).digest()[:8].hex(),
        # Receivers count each span for as many requests as it stands for.
        "traceState": f"ot=th:{threshold}",
        "name": f"{operation} {found.entry.model}",
        "kind": CLIENT,
        "startTimeUnixNano": str(start_ms * NS_PER_MS),
        "endTimeUnixNano": str(end_ms * NS_PER_MS),
        "attributes": _attributes(facts),
        "events": _events(found),
        "status": {"code": ERROR, "message": str(ending)} if ending not in _GOOD else {},
    }


def _operation(found: Found) -> str:
    if found.kind is ActivityKind.TASK:
        return "generate_content"
    return _OPERATIONS.get(found.trace.api or "", "chat")


def _facts(found: Found, operation: str) -> dict[str, Any]:
    entry, usage, routes = found.entry, found.entry.usage, routes_of(found)
    provider = routes[-1]["route"] if routes else entry.provider or "tollgate"
    refunded = 0 if found.task is None else found.task.refunded_micro_usd
    cost = -entry.amount_micro_usd - refunded
    tokens = {} if usage is None else _tokens(usage)
    first_byte_s = None if entry.first_byte_ms is None else entry.first_byte_ms / MS_PER_S
    tags = {f"tollgate.tag.{name}": value for name, value in (entry.tags or {}).items()}
    return {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": _PROVIDERS.get(provider, provider),
        "gen_ai.request.model": entry.model,
        "gen_ai.response.model": entry.model,
        "gen_ai.request.stream": entry.first_byte_ms is not None,
        "gen_ai.response.time_to_first_chunk": first_byte_s,
        **tokens,
        "user.id": entry.user,
        "tollgate.request.id": found.request_id,
        "tollgate.status": str(ending_of(found)),
        "tollgate.cost.usd": usd_number(cost),
        "tollgate.cost.micro_usd": cost,
        "tollgate.api_key.id": entry.key_id,
        "tollgate.project.id": entry.project,
        "tollgate.run_token.id": entry.token,
        **tags,
    }


def _tokens(usage: Mapping[str, Any]) -> dict[str, int]:
    written = usage.get("cache_write_tokens", 0) + usage.get("cache_write_1h_tokens", 0)
    return {
        # All of the input, cached or not, by the conventions.
        "gen_ai.usage.input_tokens": sum(usage.get(name, 0) for name in INPUT),
        "gen_ai.usage.output_tokens": sum(usage.get(name, 0) for name in OUTPUT),
        "gen_ai.usage.cache_read.input_tokens": usage.get("cache_read_tokens", 0),
        "gen_ai.usage.cache_creation.input_tokens": written,
        "gen_ai.usage.reasoning.output_tokens": usage.get("reasoning_tokens", 0),
    }


def _content(found: Found) -> dict[str, str]:
    """Return the prompt of a generation. Prompts of text requests are not stored, so they cannot be sent."""
    prompt = None if found.task is None else found.task.values.get("prompt")
    if not isinstance(prompt, str):
        return {}
    parts = [{"type": "text", "content": prompt[:MAX_CONTENT]}]
    return {"gen_ai.input.messages": json.dumps([{"role": "user", "parts": parts}], ensure_ascii=False)}


def _events(found: Found) -> list[Json]:
    """Return an event for each call of a provider that did not answer."""
    start_ms = started_ms(found)
    return [
        {
            "timeUnixNano": str((start_ms + (call.ended_ms or call.started_ms)) * NS_PER_MS),
            "name": "tollgate.route_failed",
            "attributes": _attributes({"tollgate.route": call.provider, "error.type": call.code}),
        }
        for call in found.trace.calls
        if call.code is not None
    ]


def _attributes(facts: Mapping[str, Any]) -> list[Json]:
    return [{"key": name, "value": _value(value)} for name, value in facts.items() if value is not None]


def _value(value: str | bool | int | float) -> Json:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def rejected_of(answer: bytes) -> tuple[int, str | None]:
    """Return the number of spans that a receiver refused in an answer of 200, and its message."""
    try:
        partial = json.loads(answer or b"{}").get("partialSuccess") or {}
        return int(partial.get("rejectedSpans", 0)), partial.get("errorMessage") or None
    except (ValueError, AttributeError, TypeError):
        # The status says success, so an answer in another form is no failure.
        return 0, None
