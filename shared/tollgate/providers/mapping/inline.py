"""Files inside a provider's answer. Pure."""

from base64 import b64decode
from typing import Any

from tollgate.providers.mapping.reading import objects
from tollgate.providers.runtime.outcomes import InlineFile


def inline_file(text: Any) -> InlineFile | None:
    """Return the file from base64 text; `None` for any other value, and for an empty file."""
    if not isinstance(text, str) or not text:
        return None
    try:
        return InlineFile(b64decode(text, validate=True))
    except ValueError:
        return None


def inline_files(entries: Any, name: str) -> tuple[InlineFile, ...]:
    """Return the files that the objects of an array have in base64 under `name`; none for other values."""
    files = [inline_file(entry.get(name)) for entry in objects(entries)]
    return tuple(file for file in files if file is not None)
