"""How a request went, stored in its entry for its record. Pure.

The times are milliseconds from the acceptance of the request. The record (`activity/record.py`) shows them as
a timeline, and multiplies the tokens by the prices that were valid then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# Codes of providers come from outside. A longer code is cut.
MAX_CODE_LENGTH = 64


class Ending(StrEnum):
    """How a request ended."""

    RUNNING = "running"  # It has not ended. Only generations have a record before their end.
    COMPLETED = "completed"  # The whole response, or all files.
    CUT = "cut"  # The provider's stream broke off after its first bytes.
    DISCONNECTED = "disconnected"  # The client closed its connection, which ended the request.
    CANCELLED = "cancelled"  # Its owner asked for the end.
    REFUSED = "refused"  # A provider refused the content or the input.
    FAILED = "failed"  # No provider could answer.
    EXPIRED = "expired"  # It did not end in time.


@dataclass(slots=True)
class RouteCall:
    """One call of a provider. `code` is the reason why another one answered, or none.

    `model` is the called model, if the request has fallbacks to other models.
    """

    provider: str
    started_ms: int
    ended_ms: int | None = None
    code: str | None = None
    model: str | None = None

    def to_item(self) -> dict[str, Any]:
        """Return the call as a map of plain values."""
        found = {
            "at": self.started_ms,
            "to": self.ended_ms,
            "code": self.code and self.code[:MAX_CODE_LENGTH],
            "model": self.model,
        }
        return {"route": self.provider, **{name: one for name, one in found.items() if one is not None}}

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> "RouteCall":
        """Return the call that a map holds."""
        return cls(item["route"], item["at"], item.get("to"), item.get("code"), item.get("model"))


@dataclass(frozen=True, slots=True)
class Trace:
    """The course of a request.

    `api` is the protocol of the client. `prices` are US dollars per million tokens, by the name of their
    count (`text/usage.py`). `status` and `code` are of the error that the client got. Only the charge of a
    generation has `parts`: its price as the estimate shows it.
    """

    api: str | None = None
    held_ms: int | None = None
    """When the hold was in place."""
    held_micro_usd: int | None = None
    calls: tuple[RouteCall, ...] = ()
    ending: Ending = Ending.COMPLETED
    status: int | None = None
    code: str | None = None
    prices: Mapping[str, str] = field(default_factory=dict)
    parts: Sequence[Mapping[str, object]] = ()

    def to_item(self) -> dict[str, Any]:
        """Return the trace as a map of plain values. Missing and usual values are left out."""
        found = {
            "api": self.api,
            "held_at": self.held_ms,
            "held": self.held_micro_usd,
            "calls": [call.to_item() for call in self.calls] or None,
            "ending": None if self.ending is Ending.COMPLETED else str(self.ending),
            "status": self.status,
            "code": self.code and self.code[:MAX_CODE_LENGTH],
            "prices": dict(self.prices) or None,
            "parts": [dict(part) for part in self.parts] or None,
        }
        return {name: one for name, one in found.items() if one is not None}

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> "Trace":
        """Return the trace that a map holds."""
        return cls(
            item.get("api"),
            item.get("held_at"),
            item.get("held"),
            tuple(RouteCall.from_item(call) for call in item.get("calls", ())),
            Ending(item.get("ending", Ending.COMPLETED)),
            item.get("status"),
            item.get("code"),
            item.get("prices", {}),
            tuple(item.get("parts", ())),
        )


NO_TRACE = Trace()
