"""Responses of a provider that has the protocol, read into the meter on their way to the client.

The relay passes on the provider's events, with the billed usage and with sealed reasoning. `native_events.py`
then gives them the ids and the fields that the client knows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tollgate.text.body.json_body import dumps
from tollgate.text.models import TextProtocol
from tollgate.text.responses.native import sealed_item
from tollgate.text.usage import chat_usage, read_responses_usage, responses_usage
from tollgate.text.wire.faults import UNREADABLE, Fault, FaultError, fault_of, read_object
from tollgate.text.wire.relay import chat_event
from tollgate.text.wire.sse import SseEvent
from tollgate.text.wire.stream import AnswerStream, Meter

ENDS = ("response.completed", "response.incomplete")
# They would tie the client to a route that may yet fail.
_SILENT = ("response.created", "response.queued", "response.in_progress")
# Events of other tools that run at the provider are none of these.
_KINDS = (
    *("response.output_item.", "response.content_part.", "response.output_text.", "response.refusal."),
    *("response.reasoning_", "response.function_call_arguments.", "response.custom_tool_call_input."),
    "response.web_search_call.",
)
# Codes of a failed response that are about the provider (`openai.types.responses.ResponseError`); the others
# are about the request.
_ABOUT_PROVIDER = ("server_error", "rate_limit_exceeded", "vector_store_timeout", "data_residency_mismatch")
_REFUSED = 400
_FREE_ACTIONS = ("open_page", "find_in_page")


class ResponsesRelay(AnswerStream):
    """A streamed response for a Responses client. `mark`: see `native.mark_of`."""

    def __init__(self, meter: Meter, mark: str, code_statuses: Mapping[str, int]) -> None:
        super().__init__(TextProtocol.OPENAI, meter)
        self._mark = mark
        self._codes = code_statuses

    def _take(self, event: SseEvent, payload: dict[str, Any]) -> bytes:
        kind = str(payload.get("type"))
        if kind == "error" or "error" in payload:
            return self.fail(response_fault(payload.get("error") or payload, self._codes))
        if kind == "response.failed":
            response = payload.get("response")
            error = response.get("error") if isinstance(response, dict) else None
            return self.fail(response_fault(error, self._codes))
        if kind in ENDS:
            response = payload.get("response")
            if not isinstance(response, dict) or not isinstance(response.get("output"), list):
                return self.fail(UNREADABLE)
            self.done = True
            return chat_event({**payload, "response": _read(response, self.meter, self._mark)})
        if kind in _SILENT or not kind.startswith(_KINDS):
            return b""
        return self._passed(kind, payload, event)

    def _passed(self, kind: str, payload: dict[str, Any], event: SseEvent) -> bytes:
        item = payload.get("item")
        if kind.endswith(".delta"):
            self.meter.deliver(payload.get("delta"))
        if not isinstance(item, dict):
            return b"data: " + (event.data or b"") + b"\n\n"
        if kind.endswith(".added"):
            self.meter.deliver(item.get("name"))
        elif is_search(item):
            self.meter.web_searches += 1
        return chat_event({**payload, "item": sealed_item(item, self._mark)})


def relay_response(body: bytes, meter: Meter, mark: str, code_statuses: Mapping[str, int]) -> bytes:
    """Return a whole response for its client, and read it into `meter`. Raises `FaultError`."""
    response = read_object(body)
    if response.get("error"):
        raise FaultError(response_fault(response["error"], code_statuses))
    if f"response.{response.get('status')}" not in ENDS or not isinstance(response.get("output"), list):
        raise FaultError(UNREADABLE)
    for item in response["output"]:
        _deliver(item, meter)
    return dumps(_read(response, meter, mark, is_whole=True)).encode()


def response_fault(error: Any, code_statuses: Mapping[str, int]) -> Fault:
    """Return the fault in the `error` of a failed response with HTTP 200."""
    code = str(error.get("code")) if isinstance(error, Mapping) else ""
    is_refusal = code not in ("", "None") and code not in _ABOUT_PROVIDER and code not in code_statuses
    statuses = {**code_statuses, code: _REFUSED} if is_refusal else code_statuses
    return fault_of({"error": error}, 200, statuses)


def is_search(item: Any) -> bool:
    """Return whether an output item is a search of the web that has a price: opening a page has none.

    Source: https://developers.openai.com/api/docs/guides/tools-web-search.
    """
    if not isinstance(item, Mapping) or item.get("type") != "web_search_call":
        return False
    action = item.get("action")
    return not isinstance(action, Mapping) or action.get("type") not in _FREE_ACTIONS


def searches_in(output: Sequence[Any]) -> int:
    """Return the number of searches of the web in the output of a response."""
    return sum(map(is_search, output))


def _read(response: Mapping[str, Any], meter: Meter, mark: str, *, is_whole: bool = False) -> dict[str, Any]:
    meter.note(response.get("model"), response.get("usage"))
    meter.serve(response)
    reported = read_responses_usage(response.get("usage"))
    # The count is in no usage.
    meter.web_searches = searches_in(response["output"])
    meter.reported = None if reported is None else replace(reported, web_searches=meter.web_searches)
    meter.final = meter.reported is not None
    output = [sealed_item(item, mark) for item in response["output"] if isinstance(item, Mapping)]
    return {**response, "output": output, "usage": responses_usage(meter.told(chat_usage, is_whole=is_whole))}


def _deliver(item: Any, meter: Meter) -> None:
    """Count the visible output of an item, for responses without usage."""
    if not isinstance(item, Mapping):
        return
    for name in ("name", "arguments", "input"):
        meter.deliver(item.get(name))
    for name in ("content", "summary"):
        parts = item.get(name)
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, Mapping):
                meter.deliver(part.get("text") or part.get("refusal"))
