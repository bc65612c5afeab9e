"""A request body as strict JSON: values that cannot be stored and echoed exactly are refused. Pure."""

import json
import re
from typing import Any

from pydantic_core import from_json

from tollgate.kit.errors import InvalidInputError, PayloadTooLargeError
from tollgate.kit.http.sent_text import sent_text
from tollgate.kit.problems import Problem

# Above the largest input of any profile; a row of DynamoDB holds 400 KB.
MAX_BODY_BYTES = 1024 * 1024
# With media inside, as data URIs: a Lambda is handed 6 MB at most, the event around it included.
MAX_MEDIA_BODY_BYTES = 5 * 1024 * 1024

_PLACE = re.compile(r"at line (\d+) column (\d+)$")


def json_object(body: bytes, max_bytes: int = MAX_BODY_BYTES) -> dict[str, Any]:
    """Return the JSON object in `body`.

    Raises `PayloadTooLargeError`, or `InvalidInputError` if it is not a JSON object. The parser refuses NaN,
    lone surrogates, and nesting deeper than any of Tollgate's schemas. Numbers that it reads as infinity are
    also refused.
    """
    if len(body) > max_bytes:
        raise PayloadTooLargeError(max_bytes)
    body = sent_text(body)
    try:
        parsed = from_json(body, allow_inf_nan=False)
    except ValueError as exc:
        raise InvalidInputError([Problem("", f"Request body is not valid JSON{_place(exc)}.")]) from exc
    try:
        # The parser reads 1e999 as infinity, which JSON responses cannot represent.
        json.dumps(parsed, allow_nan=False)
    except ValueError as exc:
        raise InvalidInputError([Problem("", "Request body has a number that is too large.")]) from exc
    if not isinstance(parsed, dict):
        raise InvalidInputError([Problem("", "Request body must be a JSON object.")])
    return parsed


def _place(error: ValueError) -> str:
    """Return the position at which the parser stopped, ` (line 1, column 20)`, if it is known."""
    found = _PLACE.search(str(error))
    return f" (line {found[1]}, column {found[2]})" if found else ""
