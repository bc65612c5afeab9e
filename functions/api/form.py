"""Request bodies as a form, with which OpenAI's SDKs send files, or as JSON."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.datastructures import UploadFile

from api.http import parsed_media_body
from tollgate.artifacts.sniff import HEAD_BYTES, media_type
from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.kit.http.request_body import read_bytes
from tollgate.tasks.openai_media import Upload, form_body

MULTIPART = "multipart/form-data"
MAX_FORM_BYTES = 4 * 1024 * 1024
"""A Lambda function receives at most 6 MB, and the gateway encodes bytes in base64."""
MAX_FILES, MAX_FIELDS = 20, 100


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
    return request.headers.get("content-type", "").startswith(MULTIPART)


async def form_fields(request: Request) -> list[tuple[str, str | Upload]]:
    """Return the names and values of a form. Raises as `sent_body` does."""
    body = await read_bytes(request, MAX_FORM_BYTES)
    # Imported here, because no other request needs the parser.
    from starlette.formparsers import MultiPartException, MultiPartParser  # noqa: PLC0415 - see above

    try:
        parser = MultiPartParser(
            request.headers,
            _once(body),
            max_files=MAX_FILES,
            max_fields=MAX_FIELDS,
            max_part_size=MAX_FORM_BYTES,
        )
        form = await parser.parse()
    except (MultiPartException, UnicodeDecodeError) as exc:
        why = f": {exc.message}" if isinstance(exc, MultiPartException) else "."
        raise InvalidInputError([Problem("", f"Request body is no valid form{why}")]) from exc
    fields = [(name, await _value(sent)) for name, sent in form.multi_items()]
    await form.close()
    return fields


async def _once(body: bytes) -> AsyncGenerator[bytes, None]:
    yield body


async def _value(sent: UploadFile | str) -> str | Upload:
    if isinstance(sent, str):
        return sent
    data = await sent.read()
    # The type is read from the bytes, because some clients send a file without a name or type.
    known = media_type(data[:HEAD_BYTES])
    declared = sent.content_type or "application/octet-stream"
    return Upload(known.content_type if known else declared, data, sent.filename)


Sent = Annotated[SentBody, Depends(sent_body)]
