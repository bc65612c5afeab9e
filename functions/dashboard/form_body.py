"""What a page sends: fields of a form, bounded."""

from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request

from tollgate.kit.errors import InvalidInputError, PayloadTooLargeError, Problem
from tollgate.kit.json_body import MAX_BODY_BYTES

# More than the largest form of ours has.
MAX_FIELDS = 200

Fields = ImmutableMultiDict[str, str]


async def fields_of(request: Request) -> Fields:
    """Return the fields of a form. Raises `PayloadTooLargeError`, and `InvalidInputError` for no form."""
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > MAX_BODY_BYTES:
            raise PayloadTooLargeError(MAX_BODY_BYTES)
    try:
        return ImmutableMultiDict(
            parse_qsl(found.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
        )
    except ValueError as exc:
        raise InvalidInputError([Problem("", "The form could not be read.")]) from exc


Sent = Annotated[Fields, Depends(fields_of)]
