"""Finds local files in an input, and replaces them by ids that the service can read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_DEPTH = 6
"""Inputs have fewer levels than this."""
UNKNOWN_TYPE = "application/octet-stream"
REMOTE = ("http://", "https://", "data:", "file_")
# Another name of the images of each model that takes them in one field; `params` lists only its own name.
IMAGES = "imageUrls"


_BY_START = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"\x1a\x45\xdf\xa3": "video/webm",
    b"ID3": "audio/mpeg",
    b"\xff\xfb": "audio/mpeg",
    b"fLaC": "audio/flac",
    b"OggS": "audio/ogg",
    b"%PDF": "application/pdf",
}
_BY_RIFF_FORM = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
_BY_BRAND = {b"qt  ": "video/quicktime", b"M4A ": "audio/mp4", b"avif": "image/avif", b"avis": "image/avif"}
_OFFICE = "application/vnd.openxmlformats-officedocument."
_BY_SUFFIX = {
    ".docx": f"{_OFFICE}wordprocessingml.document",
    ".pptx": f"{_OFFICE}presentationml.presentation",
    ".xlsx": f"{_OFFICE}spreadsheetml.sheet",
}


@dataclass(frozen=True)
class LocalFile:
    """A file to upload. It is read on demand."""

    name: str
    read: Callable[[], bytes]


def local_file(value: Any) -> LocalFile | None:
    """Return the local file for a value of an input: a `Path`, bytes, or an open binary file.

    A string is a file only in a media field; see `replaced`. Raises `FileNotFoundError` if a `Path` does not
    exist.
    """
    if isinstance(value, Path):
        path = value.expanduser()
        if not path.is_file():
            raise FileNotFoundError(f"no such file: {path}")
        return LocalFile(path.name, path.read_bytes)
    if isinstance(value, (bytes, bytearray)):
        content = bytes(value)
        return LocalFile("file", lambda: content)
    if callable(getattr(value, "read", None)):
        name = Path(str(getattr(value, "name", "file"))).name
        return LocalFile(name, value.read)
    return None


def type_of(content: bytes, name: str) -> str:
    """Return a file's type from its first bytes like the service; for a document, from its name."""
    if content[:4] == b"RIFF":
        return _BY_RIFF_FORM.get(content[8:12], UNKNOWN_TYPE)
    if content[4:8] == b"ftyp":
        return _BY_BRAND.get(content[8:12], "video/mp4")
    found = next((kind for start, kind in _BY_START.items() if content.startswith(start)), None)
    return found or _BY_SUFFIX.get(Path(name).suffix.lower(), UNKNOWN_TYPE)


def local_path(text: str) -> LocalFile | None:
    """Return the file for a string in a media field; `None` for a URL, a data URI or a `file_…` id.

    Raises `FileNotFoundError` if the path does not exist, because the service would report it as an invalid
    URL.
    """
    return None if text.startswith(REMOTE) else local_file(Path(text))


def files_in(
    values: Any, media_fields: frozenset[str], *, is_media: bool = False, depth: int = 0
) -> list[Any]:
    """Return the local files in an input in order, without duplicates (see `key_of`)."""
    found: dict[Any, Any] = {}

    def note(value: Any) -> Any:
        found.setdefault(key_of(value), value)
        return value

    replaced(values, media_fields, note, is_media=is_media, depth=depth)
    return list(found.values())


def replaced(
    values: Any,
    media_fields: frozenset[str],
    replace: Callable[[Any], Any],
    *,
    is_media: bool = False,
    depth: int = 0,
) -> Any:
    """Return an input with each local file replaced by `replace(value)`.

    `media_fields` are the names of the model's fields for files. Values nested in such a field are files too
    (`{"url": …, "role": …}`), except texts beside the URL.
    """
    if depth > MAX_DEPTH:
        return values
    if isinstance(values, Mapping):
        return {
            name: replaced(
                one,
                media_fields,
                replace,
                is_media=name in media_fields if depth == 0 else is_media and _holds_url(name),
                depth=depth + 1,
            )
            for name, one in values.items()
        }
    if isinstance(values, (list, tuple)):
        return [replaced(one, media_fields, replace, is_media=is_media, depth=depth) for one in values]
    is_file = local_path(values) is not None if isinstance(values, str) and is_media else _is_file(values)
    return replace(values) if is_file else values


def key_of(value: Any) -> Any:
    """Return a key that is equal for values of the same file."""
    return str(value) if isinstance(value, (str, Path)) else id(value)


def _holds_url(name: str) -> bool:
    return name.lower().endswith(("url", "urls"))


def _is_file(value: Any) -> bool:
    return not isinstance(value, str) and local_file(value) is not None
