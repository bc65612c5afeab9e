"""A provider's own response for its client: with our ids, and with the fields that the client sent. Pure.

A client continues by the response's id, and refers to items by ids that contain it (`items.response_id_of`).
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tollgate.text.responses.events import INCOMPLETE, broken_off
from tollgate.text.responses.items import COMPLETED, prefix_of
from tollgate.text.responses.native import REASONING
from tollgate.text.responses.output_items import IN_PROGRESS, Event
from tollgate.text.responses.replay import events_of_item
from tollgate.text.wire.shown import ORDINARY_TIERS

# From the provider's response. The other fields are the request's own.
_TOLD = ("status", "incomplete_details", "usage", "temperature", "top_p", "reasoning", "completed_at")
# Of an event: the provider's numbers, and random characters that hide the length of a text.
_OWN = ("sequence_number", "obfuscation")
_ADDED = "response.output_item.added"
# Of an event that adds to an item: the list of parts and the text in a part, or the member of the item.
_PARTS = {
    "response.output_text.delta": ("content", "text", "output_text"),
    "response.refusal.delta": ("content", "refusal", "refusal"),
    "response.reasoning_text.delta": ("content", "text", "reasoning_text"),
    "response.reasoning_summary_text.delta": ("summary", "text", "summary_text"),
}
_MEMBERS = {
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
}
# Of a part that has only a text so far.
_PLAIN: Mapping[str, Mapping[str, Any]] = {"output_text": {"annotations": [], "logprobs": []}}


class NativeEvents:
    """One response in progress. `skeleton` is the response without output, `count` the events before."""

    def __init__(self, skeleton: Mapping[str, Any], count: int = 0) -> None:
        self.response: dict[str, Any] = {**skeleton, "output": []}
        self._sequence = count
        self._deltas: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        """The additions to each item that has not ended."""

    @property
    def has_begun(self) -> bool:
        """Return whether any event was created."""
        return self._sequence > 0

    def start(self) -> list[Event]:
        """Return the events before anything is known."""
        return [self._state("response.created"), self._state("response.in_progress")]

    def event(self, payload: Mapping[str, Any]) -> Event:
        """Return the event for the client that follows from the provider's."""
        event = {name: value for name, value in payload.items() if name not in _OWN}
        index, item = payload.get("output_index"), payload.get("item")
        if isinstance(item, Mapping) and isinstance(index, int):
            status = IN_PROGRESS if event["type"] == _ADDED else COMPLETED
            event["item"] = self._named(item, index, status)
            output = self.response["output"]
            output[index : index + 1] = [event["item"]]
            self._deltas.pop(index, None)
        elif "item_id" in payload and isinstance(index, int) and index < len(self.response["output"]):
            event["item_id"] = self.response["output"][index]["id"]
            if "delta" in payload:
                self._deltas[index].append(event)
        return self._numbered(event)

    def end(self, payload: Mapping[str, Any]) -> Event:
        """Return the last event of a response that has ended well."""
        self.whole(payload["response"])
        return self._state(payload["type"])

    def whole(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return a provider's whole response in the form for its client."""
        told = {name: given[name] for name in _TOLD if given.get(name) is not None}
        if given.get("service_tier") in ORDINARY_TIERS:
            told["service_tier"] = given.get("service_tier")
        output = [self._named(item, index) for index, item in enumerate(given["output"])]
        self.response |= {**told, "output": output}
        return self.response

    def fail(self, code: str, message: str) -> list[Event]:
        """Return the events of a response that broke off. Its unfinished items stay with what they have."""
        output, events = self.response["output"], []
        for index, item in enumerate(output):
            if index in self._deltas or item.get("status") == IN_PROGRESS:
                output[index] = self._unfinished(item, index)
                ends = [
                    each for each in events_of_item(output[index], index) if each["type"].endswith(".done")
                ]
                events += [self._numbered(each) for each in ends]
        self.response |= broken_off(self.response, code, message)
        return [*events, self._state("response.failed")]

    def _unfinished(self, item: Mapping[str, Any], index: int) -> dict[str, Any]:
        """Return an item with the content that has come for it."""
        found = {**item, **({"status": INCOMPLETE} if "status" in item else {})}
        parts: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
        for event in self._deltas[index]:
            kind, text = str(event["type"]), str(event["delta"])
            if (member := _MEMBERS.get(kind)) is not None:
                found[member] = str(found.get(member) or "") + text
            elif kind in _PARTS:
                place, name, part_type = _PARTS[kind]
                at = event.get("summary_index" if place == "summary" else "content_index", 0)
                part = parts[place].setdefault(at, {"type": part_type, **_PLAIN.get(part_type, {}), name: ""})
                part[name] = part.get(name, "") + text
        return {
            **found,
            **{place: [each for _, each in sorted(some.items())] for place, some in parts.items()},
        }

    def _named(self, item: Mapping[str, Any], index: int, status: str = COMPLETED) -> dict[str, Any]:
        core = str(self.response["id"]).removeprefix("resp_")
        # OpenAI's own reasoning has no status, and @ai-sdk/xai 5.0.12 (npm) refuses an item without one.
        state = {"status": status} if item.get("type") == REASONING else {}
        return {**state, **item, "id": f"{prefix_of(item)}_{core}_{index}"}

    def _state(self, kind: str) -> Event:
        return self._numbered(
            {"type": kind, "response": {**self.response, "output": [*self.response["output"]]}}
        )

    def _numbered(self, event: Event) -> Event:
        self._sequence += 1
        return {**event, "sequence_number": self._sequence - 1}
