"""What every provider's wire format needs: the caller's key, a bounded JSON body, faults as exceptions."""

import json
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import HTTP
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from local.simulator.transport import NoAnswer

MAX_PROMPT_CHARS = 20_000
BAD_KEY_MARK = "bad"


class FaultError(Exception):
    """A directed fault that is the same for every provider; `response` is what the caller gets."""

    def response(self) -> Response:
        """Return the answer, or what stands for its absence."""
        raise NotImplementedError


class LostAnswerError(FaultError):
    """The job was taken, its answer gets lost."""

    def response(self) -> Response:
        """Return a closed connection."""
        return NoAnswer()


class GarbledAnswerError(FaultError):
    """The answer is there and cannot be read."""

    def response(self) -> Response:
        """Return something that says it is JSON and is not."""
        return Response('{"status": "COMPL<html>upstream hiccup', media_type="application/json")


def api_key(request: Request, scheme: str) -> str | None:
    """Return the key in `Authorization: <scheme> <key>`, or `None` where there is no acceptable one."""
    given_scheme, _, key = request.headers.get("authorization", "").partition(" ")
    key = key.strip()
    is_good = given_scheme.lower() == scheme.lower() and key != "" and BAD_KEY_MARK not in key.lower()
    return key if is_good else None


def header_key(request: Request, name: str) -> str | None:
    """Return the key in a header of its own, or `None` where there is no acceptable one."""
    key = request.headers.get(name, "").strip()
    return key if key and BAD_KEY_MARK not in key.lower() else None


async def json_object(request: Request) -> dict[str, Any] | None:
    """Read the body, a JSON object; return `None` if it is anything else."""
    try:
        value = json.loads(await request.body())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


async def form_fields(request: Request) -> dict[str, str]:
    """Read the body, a multipart form (RFC 7578); return its texts by name, none for any other body."""
    head = f"content-type: {request.headers.get('content-type', '')}\r\n\r\n"
    form = message_from_bytes(head.encode() + await request.body(), policy=HTTP)
    parts = [part for part in form.iter_parts() if isinstance(part, EmailMessage)]
    return {str(part.get_param("name", header="content-disposition")): part.get_content() for part in parts}


def text(value: object) -> str:
    """Return `value` as printable text (`""` for what is no text), at most `MAX_PROMPT_CHARS` of it."""
    return value[:MAX_PROMPT_CHARS].encode("utf-8", "replace").decode() if isinstance(value, str) else ""
