"""What the service answers, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FINISHED, FAILED, EXPIRED = "finished", "failed", "expired"
ENDED = frozenset({FINISHED, FAILED, EXPIRED})


@dataclass(frozen=True)
class RemoteFile:
    """A file that a task made: `url` opens anywhere, `type` is image, video or audio."""

    url: str
    type: str
    content_type: str | None = None
    bytes: int | None = None
    sha256: str | None = None

    @property
    def name(self) -> str:
        """Return the last part of the URL: a name to save it under."""
        return self.url.rsplit("/", 1)[-1].split("?", 1)[0] or "file"

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> RemoteFile:
        """Read one entry of a task's `files`."""
        return cls(
            data["fileUrl"],
            data.get("fileType", "file"),
            data.get("contentType"),
            data.get("bytes"),
            data.get("sha256"),
        )


@dataclass(frozen=True)
class TaskStatus:
    """A task as it was when the service was asked."""

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
    """The status body as it came, for what has no name here."""

    @property
    def ended(self) -> bool:
        """Return whether the task is finished, failed or expired."""
        return self.status in ENDED

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> TaskStatus:
        """Read the `data` of create, status or a webhook event."""
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
    """What a create would charge: `price_cents`, and the `price_version` it was computed with."""

    model: str
    price_cents: int
    price_version: str | None
    breakdown: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Estimate:
        """Read the `data` of an estimate."""
        return cls(data["model"], data["price"], data.get("priceVersion"), tuple(data.get("breakdown") or ()))


@dataclass(frozen=True)
class Upload:
    """A file of yours that the service keeps for a while; `id` (`file_…`) goes into any media field."""

    id: str
    url: str | None = None
    expires_at: str | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Upload:
        """Read the `data` of a file."""
        return cls(data["id"], data.get("url"), data.get("expiresAt"))


@dataclass(frozen=True)
class Chat:
    """A text answer: its `text`, the token `usage` and, where the service said it, what it cost."""

    text: str
    usage: Mapping[str, Any] | None
    cost_micro_usd: int | None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Progress:
    """How a task that is waited for is doing. `percent` only where its provider tells."""

    task: TaskStatus
    elapsed_s: float

    @property
    def percent(self) -> int | None:
        """Return 0–100, or `None`."""
        return self.task.progress
