"""The record of one request, from its entry and its task. Pure."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

from tollgate.activity.found import ActivityKind, Found, ending_of
from tollgate.activity.timeline import ended_ms, events_of, routes_of, started_ms
from tollgate.activity.views import (
    RequestErrorView,
    RequestPriceView,
    RequestRecordView,
    RequestUsageView,
)
from tollgate.kit.clock import iso
from tollgate.kit.money import usd_text
from tollgate.ledger.entries import EntryKind, refund_id
from tollgate.ledger.trace import Ending
from tollgate.tasks.models import Task
from tollgate.usage.counts import WEB_SEARCHES

TOKENS_PER_PRICE = 1_000_000
SEARCH_UNITS = "search_units"
# The counts of a usage that have a price, by their names in the API.
PRICED = {
    "input_tokens": "inputTokens",
    "cache_read_tokens": "cacheReadTokens",
    "cache_write_tokens": "cacheWriteTokens",
    "cache_write_1h_tokens": "cacheWrite1hTokens",
    "output_tokens": "outputTokens",
    "image_tokens": "imageTokens",
    "search_units": "searchUnits",
    "characters": "characters",
    "seconds": "seconds",
    WEB_SEARCHES: "webSearches",
}
# The units of a count, if it is not of tokens, and how many have the shown price. A stored price is of a
# million, except the price of a minute.
UNITS = {
    SEARCH_UNITS: ("search", TOKENS_PER_PRICE),
    "characters": ("character", TOKENS_PER_PRICE),
    "seconds": ("second", 60),
    WEB_SEARCHES: ("search", 1),
}


def record_of(found: Found, member_id: str | None = None) -> RequestRecordView:
    """Return the record of a request; `member_id` is the identity id of its key's creator."""
    entry, task = found.entry, found.task
    end_ms, ending, start_ms = ended_ms(found), ending_of(found), started_ms(found)
    refunded = 0 if task is None else task.refunded_micro_usd
    facts = {
        "api": found.trace.api,
        "error": _error(found, ending),
        "reason": entry.reason,
        "endedAt": None if end_ms is None else iso(end_ms),
        "latencyMs": entry.latency_ms if found.kind is ActivityKind.TEXT else _duration(start_ms, end_ms),
        "firstByteMs": entry.first_byte_ms,
        "route": _route(found, ending),
        "usage": _usage(entry.usage),
        "priceVersion": None if task is None else task.price_version,
        "keyId": entry.key_id,
        "memberId": member_id,
        "user": entry.user,
        "tags": None if entry.tags is None else dict(entry.tags),
        "projectId": entry.project,
        "tokenId": entry.token,
    }
    shown = {
        "id": found.request_id,
        "kind": str(found.kind),
        "model": entry.model or "",
        "status": ending,
        "createdAt": iso(start_ms),
        "streamed": entry.first_byte_ms is not None,
        "routes": routes_of(found),
        "price": price_lines(found),
        "costMicroUsd": -entry.amount_micro_usd,
        "costUsd": usd_text(-entry.amount_micro_usd),
        "refundedMicroUsd": refunded,
        "refundedUsd": usd_text(refunded),
        "events": events_of(found),
        "entryIds": _entry_ids(found),
        **{name: fact for name, fact in facts.items() if fact is not None},
    }
    return cast("RequestRecordView", shown)


def price_lines(found: Found) -> list[RequestPriceView]:
    """Return the calculation of the cost; empty for entries that did not store the prices yet."""
    if found.kind is ActivityKind.TASK:
        return [{**part, "per": 1} for part in found.trace.parts]  # type: ignore[typeddict-item]
    usage = found.entry.usage or {}
    lines: list[RequestPriceView] = []
    for name, shown in PRICED.items():
        tokens, price = usage.get(name, 0), found.trace.prices.get(name)
        if tokens and price is not None:
            unit, per = UNITS.get(name, ("token", TOKENS_PER_PRICE))
            if per == 1:
                price = f"{(Decimal(price) / TOKENS_PER_PRICE).normalize():f}"
            amount = Decimal(tokens) * Decimal(price) / per
            lines.append(
                {
                    "key": shown,
                    "quantity": str(tokens),
                    "unit": unit,
                    "unitPriceUsd": price,
                    "per": per,
                    "amountUsd": f"{amount:f}",
                }
            )
    return lines


def _usage(usage: Mapping[str, Any] | None) -> RequestUsageView | None:
    if usage is None:
        return None
    shown: RequestUsageView = {
        "inputTokens": usage.get("input_tokens", 0),
        "cacheReadTokens": usage.get("cache_read_tokens", 0),
        "cacheWriteTokens": usage.get("cache_write_tokens", 0),
        "cacheWrite1hTokens": usage.get("cache_write_1h_tokens", 0),
        "outputTokens": usage.get("output_tokens", 0),
        "reasoningTokens": usage.get("reasoning_tokens", 0),
        "estimated": bool(usage.get("estimated", False)),
    }
    if SEARCH_UNITS in usage:
        shown["searchUnits"] = usage[SEARCH_UNITS]
    if characters := usage.get("characters"):
        shown["characters"] = characters
    if seconds := usage.get("seconds"):
        shown["seconds"] = seconds
    if service := usage.get("service"):
        shown["service"] = service
    if images := usage.get("image_tokens"):
        shown["imageTokens"] = images
    if searches := usage.get(WEB_SEARCHES):
        shown["webSearches"] = searches
    return shown


def _error(found: Found, ending: Ending) -> RequestErrorView | None:
    if found.task is not None:
        error = found.task.error
        return None if error is None else {"code": str(error.code), "message": error.message}
    code, status = found.trace.code, found.trace.status
    if code is None or ending is Ending.COMPLETED:
        return None
    return {"code": code} if status is None else {"code": code, "status": status}


def _route(found: Found, ending: Ending) -> str | None:
    """Return the provider that answered, also if its stream broke off or was ended."""
    if found.kind is ActivityKind.TEXT:
        return found.entry.provider if found.entry.kind is EntryKind.TEXT else None
    has_result = ending is Ending.COMPLETED and found.task is not None and found.task.attempts
    return _last_provider(found.task) if has_result else None


def _last_provider(task: Task | None) -> str | None:
    return task.attempts[-1].provider if task is not None and task.attempts else None


def _entry_ids(found: Found) -> list[str]:
    ids = [found.entry.entry_id]
    if found.entry.answers is not None:
        ids.insert(0, found.entry.answers)
    is_refunded = found.task is not None and found.task.refunded_micro_usd
    return [*ids, refund_id(found.request_id)] if is_refunded else ids


def _duration(start_ms: int, end_ms: int | None) -> int | None:
    return None if end_ms is None else end_ms - start_ms
