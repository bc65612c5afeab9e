"""The data in the service's responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FINISHED, FAILED, EXPIRED = "finished", "failed", "expired"
ENDED = frozenset({FINISHED, FAILED, EXPIRED})


@dataclass(frozen=True)
class RemoteFile:
    """A result file of a task. `url` is public; `type` is image, video or audio."""

    url: str
    type: str
    content_type: str | None = None
    bytes: int | None = None
    sha256: str | None = None

    @property
    def name(self) -> str:
        """Return the last part of the URL for use in a file name."""
        return self.url.rsplit("/", 1)[-1].split("?", 1)[0] or "file"

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> RemoteFile:
        """Return the file for an entry of a task's `files`."""
        return cls(
            data["fileUrl"],
            data.get("fileType", "file"),
            data.get("contentType"),
            data.get("bytes"),
            data.get("sha256"),
        )


@dataclass(frozen=True)
class TaskStatus:
    """The state of a task at the time of the request."""

    id: str
    status: str
    model: str | None = None
    progress: int | None = None
    cost_cents: int | None = None
    refunded_cents: int | None = None
    files: tuple[RemoteFile, ...] = ()
    output: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    poll_after_s: float | None = None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The original body of the status, for fields that have no attribute."""

    @property
    def ended(self) -> bool:
        """Return whether the task is finished, failed or expired."""
        return self.status in ENDED

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> TaskStatus:
        """Return the status for the `data` of a create, a status or a webhook event."""
        return cls(
            id=data["taskId"],
            status=data["status"],
            model=data.get("model"),
            progress=data.get("progress"),
            cost_cents=data.get("costCents"),
            refunded_cents=data.get("refundedCents"),
            files=tuple(RemoteFile.of(one) for one in data.get("files") or ()),
            output=data.get("output"),
            error=data.get("error"),
            poll_after_s=data.get("pollAfterS"),
            data=data,
        )


@dataclass(frozen=True)
class Estimate:
    """The charge of a create in US cents, and the `price_version` for which it was calculated."""

    model: str
    price_cents: int
    price_version: str | None
    breakdown: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Estimate:
        """Return the estimate for the `data` of the response."""
        return cls(data["model"], data["price"], data.get("priceVersion"), tuple(data.get("breakdown") or ()))


@dataclass(frozen=True)
class Upload:
    """An uploaded file, which the service keeps for some time. Use `id` (`file_…`) in any media field."""

    id: str
    url: str | None = None
    expires_at: str | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Upload:
        """Return the upload for the `data` of a file."""
        return cls(data["id"], data.get("url"), data.get("expiresAt"))


@dataclass(frozen=True)
class Chat:
    """A text response: `text`, the tokens in `usage`, and the cost in micro-USD if it is known."""

    text: str
    usage: Mapping[str, Any] | None
    cost_micro_usd: int | None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Progress:
    """The progress of a task during a wait. `percent` is `None` unless its provider reports it."""

    task: TaskStatus
    elapsed_s: float

    @property
    def percent(self) -> int | None:
        """Return 0–100, or `None`."""
        return self.task.progress
