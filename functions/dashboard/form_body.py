"""Request bodies of the pages: form fields, with limits."""

from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import Depends
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.json_body import MAX_BODY_BYTES, json_object
from tollgate.kit.http.request_body import read_bytes
from tollgate.kit.problems import Problem

# More fields than our largest form has.
MAX_FIELDS = 200

Fields = ImmutableMultiDict[str, str]


async def fields_of(request: Request) -> Fields:
    """Return the fields of a form. Raises `PayloadTooLargeError`, and `InvalidInputError` for no form."""
    found = await read_bytes(request, MAX_BODY_BYTES)
    try:
        return ImmutableMultiDict(
            parse_qsl(found.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
        )
    except ValueError as exc:
        raise InvalidInputError([Problem("", "The form could not be read.")]) from exc


async def json_of(request: Request) -> dict[str, Any]:
    """Return the JSON object that one of our scripts sent. Raises the same errors as `fields_of`."""
    return json_object(await read_bytes(request, MAX_BODY_BYTES))


Sent = Annotated[Fields, Depends(fields_of)]
SentJson = Annotated[dict[str, Any], Depends(json_of)]
