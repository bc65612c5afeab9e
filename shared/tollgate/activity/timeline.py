"""The steps of a request with their times, from its entry and its task. Pure."""

from collections.abc import Iterator
from typing import Any

from tollgate.activity.found import ActivityKind, Found, ending_of
from tollgate.activity.views import RequestEventView, RequestRouteView
from tollgate.kit.clock import iso
from tollgate.ledger.trace import Ending
from tollgate.tasks.models import Attempt


def started_ms(found: Found) -> int:
    """Return when a request was accepted. The entry of a text request is from its end."""
    entry = found.entry
    return entry.created_at_ms - (entry.latency_ms or 0)


def ended_ms(found: Found) -> int | None:
    """Return when a request ended; `None` for a running generation, or one whose task is gone."""
    if found.kind is ActivityKind.TEXT:
        return found.entry.created_at_ms
    return None if found.task is None else found.task.finished_at_ms


def routes_of(found: Found) -> list[RequestRouteView]:
    """Return the calls of providers, in their order."""
    if found.kind is ActivityKind.TASK:
        return [_attempt(attempt) for attempt in found.task.attempts] if found.task else []
    start_ms = started_ms(found)
    return [
        _route(
            call.provider,
            start_ms + call.started_ms,
            None if call.ended_ms is None else start_ms + call.ended_ms,
            call.code,
        )
        for call in found.trace.calls
    ]


def events_of(found: Found) -> list[RequestEventView]:
    """Return the steps in the order of time."""
    steps = _task_steps(found) if found.kind is ActivityKind.TASK else _text_steps(found)
    # Stable, so steps of one millisecond keep their order.
    return sorted(steps, key=lambda step: step["happenedAt"])


def _text_steps(found: Found) -> Iterator[RequestEventView]:
    entry, trace, start_ms = found.entry, found.trace, started_ms(found)
    yield _event("received", start_ms)
    if trace.held_micro_usd is not None:
        held_ms = start_ms + (trace.held_ms or 0)
        yield _event("held", held_ms, amountMicroUsd=trace.held_micro_usd)
    yield from _calls(found)
    if entry.first_byte_ms is not None:
        yield _event("first_byte", start_ms + entry.first_byte_ms, route=entry.provider)
    yield _event("ended", entry.created_at_ms, code=str(ending_of(found)))
    charged = -entry.amount_micro_usd
    if charged:
        yield _event("charged", entry.created_at_ms, amountMicroUsd=charged)
    if trace.held_micro_usd is not None and trace.held_micro_usd > charged:
        yield _event("released", entry.created_at_ms, amountMicroUsd=trace.held_micro_usd - charged)


def _task_steps(found: Found) -> Iterator[RequestEventView]:
    entry, task = found.entry, found.task
    yield _event("received", entry.created_at_ms)
    yield _event("charged", entry.created_at_ms, amountMicroUsd=-entry.amount_micro_usd)
    yield from _calls(found)
    if task is None or task.finished_at_ms is None:
        return
    yield _event("ended", task.finished_at_ms, code=str(ending_of(found)))
    # An operator may refund a generation later. The ledger has the time of that.
    if task.refunded_micro_usd and ending_of(found) is not Ending.COMPLETED:
        yield _event("refunded", task.finished_at_ms, amountMicroUsd=task.refunded_micro_usd)


def _calls(found: Found) -> Iterator[RequestEventView]:
    for call in routes_of(found):
        yield {"event": "sent", "happenedAt": call["startedAt"], "route": call["route"]}
        if "code" in call and "endedAt" in call:
            failed_at, code = call["endedAt"], call["code"]
            yield {"event": "not_answered", "happenedAt": failed_at, "route": call["route"], "code": code}


def _attempt(attempt: Attempt) -> RequestRouteView:
    return _route(attempt.provider, attempt.started_at_ms, attempt.ended_at_ms, attempt.failure)


def _route(provider: str, start_ms: int, end_ms: int | None, code: str | None) -> RequestRouteView:
    shown: RequestRouteView = {"route": provider, "startedAt": iso(start_ms)}
    if end_ms is not None:
        shown["endedAt"] = iso(end_ms)
    if code is not None:
        shown["code"] = code
    return shown


def _event(event: str, at_ms: int, **facts: Any) -> RequestEventView:
    known = {name: fact for name, fact in facts.items() if fact is not None}
    return {"event": event, "happenedAt": iso(at_ms), **known}  # type: ignore[typeddict-item]
