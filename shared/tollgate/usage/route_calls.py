"""The calls of providers in an entry of the ledger, for the measures of routes. Pure."""

from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.trace import Ending, RouteCall, Trace
from tollgate.routing.measures import Call

# `BATCH` of text/models.py, which this package does not import
_BATCH = "batch"
# Statuses of a last call that are about the request, and tell nothing about its route.
_OF_REQUEST = frozenset(range(400, 500)) - {401, 402, 403, 404, 408, 410, 424, 429}


def calls_of(entry: Entry) -> list[Call]:
    """Return the calls of providers that tell something about their routes.

    A call that the client ended tells nothing, and neither does a refusal of the request.
    """
    # The line of a batch took as long as the vendor liked.
    if (entry.usage or {}).get("service") == _BATCH:
        return []
    # A late charge is of a request whose void was counted.
    if entry.kind not in (EntryKind.TEXT, EntryKind.VOID) or entry.model is None or entry.answers is not None:
        return []
    trace = Trace.from_item(entry.trace or {})
    accepted_ms = entry.created_at_ms - (entry.latency_ms or 0)
    is_about_request = trace.ending is Ending.REFUSED or trace.status in _OF_REQUEST
    calls = trace.calls[:-1] if is_about_request and entry.kind is EntryKind.VOID else trace.calls
    found = (_call_of(entry, trace, call, accepted_ms + call.started_ms) for call in calls)
    return [call for call in found if call is not None]


def _call_of(entry: Entry, trace: Trace, call: RouteCall, at_ms: int) -> Call | None:
    model = call.model or entry.model or ""
    if call.code is not None:
        return Call(model, call.provider, at_ms, is_up=False)
    if entry.kind is not EntryKind.TEXT or call.provider != entry.provider or entry.latency_ms is None:
        return None
    total_ms = max(0, entry.latency_ms - call.started_ms)
    is_streamed = entry.first_byte_ms is not None
    first_ms = max(0, (entry.first_byte_ms or 0) - call.started_ms) if is_streamed else total_ms
    tokens = (entry.usage or {}).get("output_tokens", 0)
    # A complete answer has no time of its first token, so all of its time counts.
    writing_ms = total_ms - first_ms if is_streamed else total_ms
    is_up = trace.ending is not Ending.CUT
    return Call(model, call.provider, at_ms, is_up, first_ms, tokens, writing_ms)
