"""A provider's own response for its client: with our ids, and with the fields that the client sent. Pure.

A client continues by the response's id, and refers to items by ids that contain it (`items.response_id_of`).
"""

from collections.abc import Mapping
from typing import Any

from tollgate.text.responses.events import (
    FAILED,
    IN_PROGRESS,
    INCOMPLETE,
    Event,
    error_of_response,
)
from tollgate.text.responses.items import prefix_of
from tollgate.text.shown import ORDINARY_TIERS

# From the provider's response. The other fields are the request's own.
_TOLD = ("status", "incomplete_details", "usage", "temperature", "top_p", "reasoning", "completed_at")
# Of an event: the provider's numbers, and random characters that hide the length of a text.
_OWN = ("sequence_number", "obfuscation")


class NativeEvents:
    """One response in progress. `skeleton` is the response without output."""

    def __init__(self, skeleton: Mapping[str, Any]) -> None:
        self.response: dict[str, Any] = {**skeleton, "output": []}
        self._sequence = 0

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
            event["item"] = self._named(item, index)
            output = self.response["output"]
            output[index : index + 1] = [event["item"]]
        elif "item_id" in payload and isinstance(index, int) and index < len(self.response["output"]):
            event["item_id"] = self.response["output"][index]["id"]
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
        """Return the events of a response that broke off. Unfinished items are incomplete."""
        self.response["output"] = [
            {**item, "status": INCOMPLETE} if item.get("status") == IN_PROGRESS else item
            for item in self.response["output"]
        ]
        self.response |= {"status": FAILED, "error": error_of_response(code, message)}
        return [self._state("response.failed")]

    def _named(self, item: Mapping[str, Any], index: int) -> dict[str, Any]:
        core = str(self.response["id"]).removeprefix("resp_")
        return {**item, "id": f"{prefix_of(item)}_{core}_{index}"}

    def _state(self, kind: str) -> Event:
        return self._numbered(
            {"type": kind, "response": {**self.response, "output": [*self.response["output"]]}}
        )

    def _numbered(self, event: Event) -> Event:
        self._sequence += 1
        return {**event, "sequence_number": self._sequence - 1}
