"""The result of a probe, or the reason why it failed, and both as JSON from `probe_media` to `api`. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Self

_MS_DIGITS = 3


class ProbeCode(StrEnum):
    """Why media could not be probed. None of these codes is a fault of Tollgate."""

    FORBIDDEN_URL = "forbidden_url"  # A forbidden address, or a redirect to one.
    UNREACHABLE = "unreachable"  # No such host, no connection, no TLS, or a connection that broke.
    TOO_SLOW = "too_slow"  # The file's header did not arrive in time, or parsing it took too long.
    REFUSED = "refused"  # The server answers, but not with the file.
    BAD_RANGE = "bad_range"  # The server's responses to range requests are inconsistent.
    # The necessary data is deep in the file, and the server serves the file only from its start.
    NO_RANGES = "no_ranges"
    COMPRESSED = "compressed"  # The server compresses the file, although the request forbids it.
    EMPTY = "empty"  # A file without bytes.
    UNSUPPORTED = "unsupported"  # The bytes are not of a supported type.
    UNREADABLE = "unreadable"  # The first bytes are right, but the header is invalid.
    TRUNCATED = "truncated"  # The file is shorter than it declares.
    HEADER_TOO_LARGE = "header_too_large"  # The header is larger, or more scattered, than the limit.
    NO_DURATION = "no_duration"  # Video or audio without a duration in its header.
    TOO_MANY_PIXELS = "too_many_pixels"  # An image with an impossible size.


class ProbeError(Exception):
    """Media that cannot be probed. `message` is a sentence for the customer: "The URL …", "The file …"."""

    def __init__(self, code: ProbeCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def body(self) -> dict[str, Any]:
        """Return the response of `probe_media`."""
        return {"error": {"code": self.code, "message": self.message}}


@dataclass(frozen=True, slots=True)
class ProbedMedia:
    """The facts of a media file.

    `kind` is `image`, `video`, `audio` or `document`. `container` is `mp4`, `mov`, `webm`, `mp3`, `wav`,
    `m4a`, `flac`, `ogg`, `png`, `jpeg`, `webp`, `gif`, `pdf`, `docx`, `pptx` or `xlsx`. `duration_s` is exact
    to the millisecond, and `None` for images and documents. `width` and `height` are pixels as stored. They
    are `None` for audio, documents, and old video formats that only a decoder can measure. `bytes` is the
    size of the whole file. `pages` is for documents that declare a number: pages, slides of a presentation,
    or sheets of a workbook.
    """

    kind: str
    container: str
    duration_s: Decimal | None
    width: int | None
    height: int | None
    bytes: int
    pages: int | None = None

    def body(self) -> dict[str, Any]:
        """Return the response of `probe_media`."""
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
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the facts from a response of `probe_media`. Raises `KeyError` for other JSON."""
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


ProbeResult = ProbedMedia | ProbeError


def seconds(milliseconds: int) -> Decimal:
    """Return milliseconds as seconds, exactly."""
    return Decimal(milliseconds).scaleb(-_MS_DIGITS)


# Lambda's names for a timeout, and for a process that ended.
_CRASHES = frozenset({"Sandbox.Timedout", "Runtime.ExitError"})


class ProbeFaultError(Exception):
    """`probe_media` failed for another reason than the customer's file."""


def read_answer(body: Mapping[str, Any], *, is_error: bool) -> ProbeResult:
    """Return the result in a response of Lambda. Raises `ProbeFaultError` for a fault of Tollgate."""
    if not is_error:
        return read_result(body)
    kind = body.get("errorType")
    if kind in _CRASHES:
        return ProbeError(ProbeCode.TOO_SLOW, "The file's header could not be read in time.")
    raise ProbeFaultError(f"probe_media failed: {kind}")


def read_result(body: Mapping[str, Any]) -> ProbeResult:
    """Return the result in a response of `probe_media`. Raises `KeyError` or `ValueError` for other JSON."""
    if "error" in body:
        return ProbeError(ProbeCode(body["error"]["code"]), body["error"]["message"])
    return ProbedMedia.from_body(body)
