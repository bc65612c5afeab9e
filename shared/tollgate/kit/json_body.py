"""A request body as JSON, strictly: what cannot be stored and echoed exactly is refused here. Pure."""

import json
from typing import Any

from pydantic_core import from_json

from tollgate.kit.errors import InvalidInputError, PayloadTooLargeError, Problem

MAX_BODY_BYTES = 1024 * 1024
"""Above the largest input of any profile; a row of DynamoDB holds 400 KB."""


def json_object(body: bytes) -> dict[str, Any]:
    """Give the JSON object in `body`.

    Raises `PayloadTooLargeError`, or `InvalidInputError` for what is not a JSON object. The parser
    refuses NaN, lone surrogates, and nesting that is deeper than any schema of ours; what it reads as
    infinity is refused as well.
    """
    if len(body) > MAX_BODY_BYTES:
        raise PayloadTooLargeError(MAX_BODY_BYTES)
    try:
        parsed = from_json(body, allow_inf_nan=False)
    except ValueError as exc:
        raise InvalidInputError([Problem("", "The body is not valid JSON.")]) from exc
    try:
        # The parser reads 1e999 as infinity, which no answer of ours could say again.
        json.dumps(parsed, allow_nan=False)
    except ValueError as exc:
        raise InvalidInputError([Problem("", "Has a number that is too large.")]) from exc
    if not isinstance(parsed, dict):
        raise InvalidInputError([Problem("", "The body must be a JSON object.")])
    return parsed
