"""Failures at a provider, read from its response, and their consequences.

Requests are retried only before the first byte to the client (docs/architecture.md#text). A provider's 401,
402 and 403 are about our account with it, never about the client's key or balance, so the client does not see
them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from tollgate.text.wire import overflow
from tollgate.text.wire.overflow import is_overflow
from tollgate.text.wire.shown import shown_words

MAX_MESSAGE_CHARS = 2_000

_FIRST_ERROR, _FIRST_SERVER_ERROR, _BAD_GATEWAY = 400, 500, 502
_ERROR_STATUSES = range(400, 600)
_TOO_MANY = 429
_BUSY = frozenset({408, 424, _TOO_MANY})
_TRANSIENT = frozenset({408, _TOO_MANY, 500, 502, 503, 529})
_BUSY_MESSAGE = "The provider is busy. Try again."
_OUR_ACCOUNT = frozenset({401, 402, 403})
_NOT_SOLD = frozenset({404, 410})
_NO_CODES: Mapping[str, int] = {}


class Verdict(StrEnum):
    """The reaction to a fault before the first byte."""

    ABOUT_REQUEST = "about_request"  # It is about the request: the client gets it, with its status.
    NEXT_ROUTE = "next_route"  # The provider is busy or broken: another one may answer.
    # The provider ended the model, or sells it at no price that we allow: another route, and an operator has
    # to know. Its other models work.
    NOT_SOLD = "not_sold"
    # Our key or our credit there is not good: another route, and an operator has to know.
    OUR_ACCOUNT = "our_account"


@dataclass(frozen=True, slots=True)
class Fault:
    """One failure: its HTTP status, and the three fields of an error body.

    `slow`: it cost the request a timeout.
    """

    status: int
    message: str
    type: str
    code: str
    slow: bool = False

    @property
    def verdict(self) -> Verdict:
        """Return the reaction to the fault."""
        if self.status in _OUR_ACCOUNT:
            return Verdict.OUR_ACCOUNT
        if self.status in _NOT_SOLD:
            return Verdict.NOT_SOLD
        is_theirs = self.status in _BUSY or self.status >= _FIRST_SERVER_ERROR
        return Verdict.NEXT_ROUTE if is_theirs else Verdict.ABOUT_REQUEST

    @property
    def is_transient(self) -> bool:
        """Return whether the same provider may answer a moment later: it was busy, broken or unreachable.

        A timeout is none (524), nor is an answer that cannot be read.
        """
        return self.status in _TRANSIENT and self not in (STREAM_BROKEN, UNREADABLE)

    @property
    def shown(self) -> "Fault":
        """Return the fault as a client may see it: nothing about our account with the provider, or its ids.

        A provider's message about a rate limit names the limited account, which is ours. Sentences that name
        a host are removed.
        """
        if self.verdict in (Verdict.OUR_ACCOUNT, Verdict.NOT_SOLD):
            return UNREACHABLE
        words = _BUSY_MESSAGE if self.status == _TOO_MANY else shown_words(self.message)
        return self if words == self.message else replace(self, message=words)


class FaultError(Exception):
    """A whole answer turned out to be a fault, or unreadable."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


UNREACHABLE = Fault(503, "The provider cannot be reached.", "ServiceUnavailable", "provider_unavailable")
NOT_CONNECTED = replace(UNREACHABLE, slow=True)
# An idle connection was closed as the request was sent. This is no sign of the provider's health.
IDLE_CONNECTION_CLOSED = replace(UNREACHABLE, message="The connection was closed as the request went out.")
TIMED_OUT = Fault(524, "The provider did not respond in time.", "Timeout", "upstream_timeout", slow=True)
STREAM_BROKEN = Fault(502, "The provider's response broke off.", "BadGateway", "provider_error")
UNREADABLE = Fault(502, "The provider's response cannot be read.", "BadGateway", "provider_error")


def read_object(body: bytes) -> dict[str, Any]:
    """Return a response that must be a JSON object. Raises `FaultError` if it is unreadable."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise FaultError(UNREADABLE) from exc
    if not isinstance(payload, dict):
        raise FaultError(UNREADABLE)
    return payload


def read_fault(status: int, body: bytes, code_statuses: Mapping[str, int] = _NO_CODES) -> Fault:
    """Return the fault in an error answer of any provider. `code_statuses`: see `ChatDialect`."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        payload = None
    return fault_of(payload, status, code_statuses)


def fault_of(payload: Any, status: int, code_statuses: Mapping[str, int] = _NO_CODES) -> Fault:
    """Return the fault in a parsed error body: the protocols' own shapes, and what vendors make of them.

    A body may be a list of one, `error` a text, its fields may stand at the top, codes may be numbers, and
    such a number may be the HTTP status of an error that came inside HTTP 200.
    """
    holder = payload[0] if isinstance(payload, list) and payload else payload
    outer = holder if isinstance(holder, Mapping) else {}
    error = outer.get("error")
    inner = error if isinstance(error, Mapping) else outer
    message = _text(error) or _text(inner.get("message")) or _text(outer.get("detail"))
    details = inner.get("details")
    detail_code = details.get("error_code") if isinstance(details, Mapping) else None
    kind = _text(inner.get("type")) or _text(inner.get("status"))
    code = _text(detail_code) or _text(inner.get("code")) or kind
    known = code_statuses.get(code) or code_statuses.get(kind) or _status(status, inner.get("code"))
    shown = message or f"The provider answered with HTTP status {known}."
    if is_overflow(message) and known < _FIRST_SERVER_ERROR:
        code, shown = overflow.CODE, overflow.in_known_words(message)
    return Fault(known, shown[:MAX_MESSAGE_CHARS], kind or "provider_error", code or "provider_error")


def chat_fault(payload: Mapping[str, Any], code_statuses: Mapping[str, int]) -> Fault | None:
    """Return the fault that an OpenAI-compatible answer with HTTP 200 carries, or `None`.

    It is an `error`, or a `base_resp` with a status that is not 0 (docs/providers/openai_compatible.md).
    """
    if payload.get("error"):
        return fault_of(payload, 200, code_statuses)
    base = payload.get("base_resp")
    if isinstance(base, Mapping) and base.get("status_code") not in (None, 0):
        named = {"code": base["status_code"], "message": base.get("status_msg")}
        return fault_of({"error": named}, 200, code_statuses)
    return None


def fault_in(body: bytes, code_statuses: Mapping[str, int]) -> Fault | None:
    """Return the fault that an unread body with HTTP 200 carries, or `None`."""
    try:
        return chat_fault(read_object(body), code_statuses)
    except FaultError:
        return None


def _status(status: int, code: Any) -> int:
    if status >= _FIRST_ERROR:
        return status
    return code if isinstance(code, int) and code in _ERROR_STATUSES else _BAD_GATEWAY


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
