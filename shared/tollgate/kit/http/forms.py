"""Forms with files, as OpenAI's SDKs send them (RFC 7578)."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

MULTIPART = "multipart/form-data"
MAX_FORM_BYTES = 4 * 1024 * 1024
"""A Lambda function receives at most 6 MB, and the gateway encodes bytes in base64."""
MAX_FILES, MAX_FIELDS = 20, 100


@dataclass(frozen=True, slots=True)
class FormFile:
    """A file of a form: its bytes, and the name and type that the client declares, if any."""

    data: bytes = field(repr=False)
    name: str | None = None
    content_type: str | None = None


def is_form(headers: Mapping[str, str]) -> bool:
    """Return whether a body is a form with files."""
    return headers.get("content-type", "").startswith(MULTIPART)


async def read_form(headers: Mapping[str, str], body: bytes) -> list[tuple[str, str | FormFile]]:
    """Return the names and values of a form. Raises `InvalidInputError` if it cannot be read."""
    if not is_form(headers):
        raise InvalidInputError([Problem("", f"The body must be a form ({MULTIPART}).")])
    # Imported here, because no other request needs the parser.
    from starlette.datastructures import Headers  # noqa: PLC0415 - see above
    from starlette.formparsers import MultiPartException, MultiPartParser  # noqa: PLC0415 - see above

    try:
        parser = MultiPartParser(
            Headers({"content-type": headers.get("content-type", "")}),
            _once(body),
            max_files=MAX_FILES,
            max_fields=MAX_FIELDS,
            max_part_size=MAX_FORM_BYTES,
        )
        form = await parser.parse()
    except (MultiPartException, UnicodeDecodeError, KeyError) as exc:
        why = f": {exc.message}" if isinstance(exc, MultiPartException) else "."
        raise InvalidInputError([Problem("", f"Request body is no valid form{why}")]) from exc
    found: list[tuple[str, str | FormFile]] = []
    for name, sent in form.multi_items():
        value = (
            sent if isinstance(sent, str) else FormFile(await sent.read(), sent.filename, sent.content_type)
        )
        found.append((name, value))
    await form.close()
    return found


async def _once(body: bytes) -> AsyncGenerator[bytes, None]:
    yield body
