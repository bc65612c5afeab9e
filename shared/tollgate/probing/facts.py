"""What a probe finds, and why it finds nothing; and both as JSON between `api` and `probe_media`. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Self

_MS_DIGITS = 3


class ProbeCode(StrEnum):
    """Why media could not be probed. None of them is a fault of ours."""

    FORBIDDEN_URL = "forbidden_url"  # Not an address that we connect to, or a redirect to such a one.
    UNREACHABLE = "unreachable"  # No such host, no connection, no TLS, or a connection that broke.
    TOO_SLOW = "too_slow"  # The file's header did not arrive, or could not be understood, in time.
    REFUSED = "refused"  # The server answers, but not with the file.
    BAD_RANGE = "bad_range"  # The server's answers to range requests do not fit what was asked or each other.
    # What is needed lies deep in the file, and the server serves it only from its start.
    NO_RANGES = "no_ranges"
    COMPRESSED = "compressed"  # The server compresses the file, though asked not to.
    EMPTY = "empty"  # A file without bytes.
    UNSUPPORTED = "unsupported"  # The bytes are not of a type that we take.
    UNREADABLE = "unreadable"  # The right type by its first bytes, but the header makes no sense.
    TRUNCATED = "truncated"  # The file is shorter than it says.
    HEADER_TOO_LARGE = "header_too_large"  # The header is larger, or more scattered, than we read.
    NO_DURATION = "no_duration"  # Video or audio that does not say how long it is.
    TOO_MANY_PIXELS = "too_many_pixels"  # An image of a size that no image has.


class ProbeError(Exception):
    """Media that cannot be probed. `message` is a sentence for the customer: "The URL …", "The file …"."""

    def __init__(self, code: ProbeCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def body(self) -> dict[str, Any]:
        """Return the answer of `probe_media`."""
        return {"error": {"code": self.code, "message": self.message}}


@dataclass(frozen=True, slots=True)
class ProbedMedia:
    """What media is.

    `kind` is `image`, `video`, `audio` or `document`; `container` is `mp4`, `mov`, `webm`, `mp3`, `wav`,
    `m4a`, `png`, `jpeg`, `webp`, `gif`, `pdf`, `docx`, `pptx` or `xlsx`. `duration_s` is `None` for what has
    no length, to the millisecond; `width` and `height` are pixels as stored, `None` for audio, documents and
    old video formats that only a decoder could measure; `bytes` is the size of the whole file. `pages` is for
    documents that say how many they have (of a presentation its slides, of a workbook its sheets).
    """

    kind: str
    container: str
    duration_s: Decimal | None
    width: int | None
    height: int | None
    bytes: int
    pages: int | None = None

    def body(self) -> dict[str, Any]:
        """Return the answer of `probe_media`."""
        duration_ms = None if self.duration_s is None else int(self.duration_s.scaleb(_MS_DIGITS))
        return {
            "kind": self.kind,
            "container": self.container,
            "durationMs": duration_ms,
            "width": self.width,
            "height": self.height,
            "bytes": self.bytes,
            **({} if self.pages is None else {"pages": self.pages}),
        }

    @classmethod
    def of_body(cls, body: Mapping[str, Any]) -> Self:
        """Read the answer of `probe_media`. Raises `KeyError` where it is not one."""
        duration_ms = body["durationMs"]
        return cls(
            kind=body["kind"],
            container=body["container"],
            duration_s=None if duration_ms is None else seconds(duration_ms),
            width=body["width"],
            height=body["height"],
            bytes=body["bytes"],
            pages=body.get("pages"),
        )


Probed = ProbedMedia | ProbeError


def seconds(milliseconds: int) -> Decimal:
    """Return milliseconds as seconds, exactly."""
    return Decimal(milliseconds).scaleb(-_MS_DIGITS)


def probed(body: Mapping[str, Any]) -> Probed:
    """Read an answer of `probe_media`. Raises `KeyError` or `ValueError` where it is not one."""
    if "error" in body:
        return ProbeError(ProbeCode(body["error"]["code"]), body["error"]["message"])
    return ProbedMedia.of_body(body)
