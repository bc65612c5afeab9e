"""Common parts of the wire formats: the caller's key, a limited JSON body, faults as exceptions."""

import json
import re
from collections.abc import Callable, Mapping
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import HTTP
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from local.simulator.transport import NoAnswer

MAX_PROMPT_CHARS = 20_000
BAD_KEY_MARK = "bad"


class FaultError(Exception):
    """A directed fault that is the same for every provider. `response` is the caller's response."""

    def response(self) -> Response:
        """Return the response, which may close the connection without data."""
        raise NotImplementedError


class LostAnswerError(FaultError):
    """The job was accepted, but the response is lost."""

    def response(self) -> Response:
        """Return a closed connection."""
        return NoAnswer()


class GarbledAnswerError(FaultError):
    """The response is unreadable."""

    def response(self) -> Response:
        """Return a response that claims to be JSON but is not."""
        return Response('{"status": "COMPL<html>upstream hiccup', media_type="application/json")


def api_key(request: Request, scheme: str) -> str | None:
    """Return the key in `Authorization: <scheme> <key>`, or `None` if it is missing or bad."""
    given_scheme, _, key = request.headers.get("authorization", "").partition(" ")
    key = key.strip()
    is_good = given_scheme.lower() == scheme.lower() and key != "" and BAD_KEY_MARK not in key.lower()
    return key if is_good else None


def header_key(request: Request, name: str) -> str | None:
    """Return the key in the named header, or `None` if it is missing or bad."""
    key = request.headers.get(name, "").strip()
    return key if key and BAD_KEY_MARK not in key.lower() else None


async def json_object(request: Request) -> dict[str, Any] | None:
    """Return the body's JSON object, or `None` if it is anything else."""
    try:
        value = json.loads(await request.body())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


async def accepted_body(
    request: Request,
    refused: Callable[[int, str], Response],
    reason_of: Callable[[dict[str, Any]], str | None],
    *,
    no_key: str = "Incorrect API key provided.",
    no_body: str = "Invalid body.",
) -> dict[str, Any] | Response:
    """Return the JSON object of a request with a good key, or the vendor's refusal.

    `reason_of` returns the vendor's reason to refuse a body, or `None`.
    """
    if api_key(request, "Bearer") is None:
        return refused(401, no_key)
    body = await json_object(request)
    reason = no_body if body is None else reason_of(body)
    return body if body is not None and reason is None else refused(400, str(reason))


async def form_fields(request: Request) -> dict[str, str]:
    """Return the texts of a multipart form (RFC 7578) by name; empty for any other body."""
    return {name: part.get_content() for name, part in (await form_parts(request)).items()}


async def form_parts(request: Request) -> dict[str, EmailMessage]:
    """Return the parts of a multipart form (RFC 7578) by name; empty for any other body."""
    head = f"content-type: {request.headers.get('content-type', '')}\r\n\r\n"
    form = message_from_bytes(head.encode() + await request.body(), policy=HTTP)
    return {
        str(part.get_param("name", header="content-disposition")): part
        for part in form.iter_parts()
        if isinstance(part, EmailMessage)
    }


def said(given: Mapping[str, Any]) -> str:
    """Return the prompt of an input; without one, the directions in its URLs, such as `…/a.png?[[fail]]`."""
    prompt = text(given.get("prompt"))
    if prompt:
        return prompt
    values = [one for value in given.values() for one in (value if isinstance(value, list) else [value])]
    found = [unquote(one) for one in values if isinstance(one, str) and one.startswith("http")]
    return text(" ".join(re.sub(r"^[^\[]*", "", one) for one in found if "[[" in one))


def text(value: object) -> str:
    """Return `value` as printable text of at most `MAX_PROMPT_CHARS`; `""` if it is not a string."""
    return value[:MAX_PROMPT_CHARS].encode("utf-8", "replace").decode() if isinstance(value, str) else ""
