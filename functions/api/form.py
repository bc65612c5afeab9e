"""Request bodies as a form, with which OpenAI's SDKs send files, or as JSON."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request

from api.http import parsed_media_body
from tollgate.artifacts.sniff import HEAD_BYTES, media_type
from tollgate.kit.http import forms
from tollgate.kit.http.request_body import read_bytes
from tollgate.tasks.openai_media import Upload, form_body


@dataclass(frozen=True, slots=True)
class SentBody:
    """The fields of a body. If `is_form`, values are strings, and files are data URIs."""

    fields: dict[str, Any]
    is_form: bool


async def sent_body(request: Request) -> SentBody:
    """Return the body. Raises `PayloadTooLargeError` or, if it cannot be read, `InvalidInputError`."""
    if not is_form(request):
        return SentBody(await parsed_media_body(request), is_form=False)
    return SentBody(form_body(await form_fields(request)), is_form=True)


def is_form(request: Request) -> bool:
    """Return whether the body is a form with files."""
    return forms.is_form(request.headers)


async def form_fields(request: Request) -> list[tuple[str, str | Upload]]:
    """Return the names and values of a form. Raises as `sent_body` does."""
    body = await read_bytes(request, forms.MAX_FORM_BYTES)
    return [(name, _value(sent)) for name, sent in await forms.read_form(request.headers, body)]


def _value(sent: forms.FormFile | str) -> str | Upload:
    if isinstance(sent, str):
        return sent
    # The type is read from the bytes, because some clients send a file without a name or type.
    known = media_type(sent.data[:HEAD_BYTES])
    declared = sent.content_type or "application/octet-stream"
    return Upload(known.content_type if known else declared, sent.data, sent.name)


Sent = Annotated[SentBody, Depends(sent_body)]
