"""Files of yours inside an input: found, and replaced by what the service can read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_DEPTH = 6
"""Inputs are nested less deep than this."""
UNKNOWN_TYPE = "application/octet-stream"
REMOTE = ("http://", "https://", "data:", "file_")


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
    """A file to upload, read when it is needed."""

    name: str
    read: Callable[[], bytes]


def local_file(value: Any) -> LocalFile | None:
    """Return the file that a value of an input stands for: a `Path`, bytes, or an open binary file.

    A string is a file only in a media field: see `replaced`. Raises `FileNotFoundError` for a `Path` that
    is not there.
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
    """Return a file's type by its first bytes, as the service does; of a document by its name."""
    if content[:4] == b"RIFF":
        return _BY_RIFF_FORM.get(content[8:12], UNKNOWN_TYPE)
    if content[4:8] == b"ftyp":
        return _BY_BRAND.get(content[8:12], "video/mp4")
    found = next((kind for start, kind in _BY_START.items() if content.startswith(start)), None)
    return found or _BY_SUFFIX.get(Path(name).suffix.lower(), UNKNOWN_TYPE)


def local_path(text: str) -> LocalFile | None:
    """Return the file that a string in a media field names, or `None` for a URL, a data URI, a `file_…` id.

    Raises `FileNotFoundError` for what looks like a path and is none: better now than as an odd URL later.
    """
    return None if text.startswith(REMOTE) else local_file(Path(text))


def files_in(
    values: Any, media_fields: frozenset[str], *, is_media: bool = False, depth: int = 0
) -> list[Any]:
    """Return every value that is a local file, each once, in order; they are told by `key_of`."""
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
    """Return an input with `replace(value)` in the place of each local file.

    `media_fields` are the names of the model's fields that hold files; what is nested in one of those is
    media as well (`{"url": …, "role": …}`), but for the words beside the URL.
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
    """Return what makes two values the same file."""
    return str(value) if isinstance(value, (str, Path)) else id(value)


def _holds_url(name: str) -> bool:
    return name.lower().endswith(("url", "urls"))


def _is_file(value: Any) -> bool:
    return not isinstance(value, str) and local_file(value) is not None
