"""Google's errors: `{"error": {code, message, status, details}}`, sometimes in an array of one. Pure."""

from dataclasses import replace
from typing import Any

from tollgate.providers.media.google import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.answers import refusal
from tollgate.providers.runtime.reply import Reply


def refusal_of(reply: Reply) -> outcomes.Refusal:
    """Return the meaning of an error response to a submit."""
    if isinstance(reply.json, list) and reply.json:
        reply = replace(reply, json=reply.json[0])
    message = reply.string("error", "message")
    said = (message, *_reasons(reply.get("error", "details")), reply.string("error", "status"))
    return refusal(reply, message, facts.CODES, said)


def _reasons(details: Any) -> list[str]:
    found = details if isinstance(details, list) else []
    reasons = [detail.get("reason") for detail in found if isinstance(detail, dict)]
    return [reason for reason in reasons if isinstance(reason, str)]
