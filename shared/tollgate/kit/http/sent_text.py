"""Request bodies that are no plain text: compressed, empty, or with a byte order mark. Pure."""

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

# A parser may ignore it (RFC 8259, section 8.1); some programs on Windows write it.
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# RFC 1952, section 2.3.1, and RFC 8878, section 3.1.1. JSON begins like neither.
_COMPRESSED = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}


def sent_text(body: bytes) -> bytes:
    """Return a body without a byte order mark.

    Raises `InvalidInputError` if it is compressed or empty.
    """
    for name, start in _COMPRESSED.items():
        if body.startswith(start):
            raise InvalidInputError(
                [Problem("", f"Request body is compressed ({name}). Send it uncompressed.")]
            )
    text = body.removeprefix(_BYTE_ORDER_MARK)
    if not text or text.isspace():
        raise InvalidInputError([Problem("", "Request body is empty. Send a JSON object.")])
    return text
