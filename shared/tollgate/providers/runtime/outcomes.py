"""What can come of a submit or a poll: one of these, never an exception.

Whether a task ends, waits or goes to the next provider is told by the outcome alone (`tasks/lifecycle.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# What an adapter needs to find its job again: small, plain values, stored with the attempt.
Handle = dict[str, Any]


class FailureKind(StrEnum):
    """Why an attempt did not work. All of them lead to the next route."""

    UNREACHABLE = "unreachable"  # No connection: nothing was sent.
    # The provider is busy with what we gave it (429): nothing was taken, it may be asked again.
    LIMITED = "limited"
    REFUSED_US = "refused_us"  # Our credentials or our credit with the provider are not good.
    PROVIDER_ERROR = "provider_error"  # The provider failed (5xx, a failed job).
    TIMED_OUT = "timed_out"  # The provider says that the job took too long.
    # The job succeeded but its files cannot be fetched or are not what they should be.
    BAD_RESULT = "bad_result"
    LOST_ANSWER = "lost_answer"  # We do not know whether a submit arrived; it is not sent there again.
    NOT_CONFIGURED = "not_configured"  # The provider or its mapping is not there (any more).


class RejectionKind(StrEnum):
    """Why the request itself is refused. No other provider is asked (docs/architecture.md#tasks)."""

    CONTENT = "content_rejected"  # The provider's moderation refused the content.
    INPUT = "input_rejected"  # The provider calls the input invalid.


# What a provider's own codes mean; a `*` in one stands for any characters. The first that fits counts.
Codes = Mapping[str, RejectionKind | FailureKind]


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A file that a provider made: where it lies now. Its type is told by its bytes, not by this.

    `headers` are what reading it takes (the provider's key); they go to the URL's own origin only.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)


@dataclass(frozen=True, slots=True)
class InlineFile:
    """A file that came in the provider's answer itself."""

    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Submitted:
    """The provider has the job."""

    handle: Handle


@dataclass(frozen=True, slots=True)
class Pending:
    """The job is not done; `progress` is 0–100 where the provider tells."""

    progress: int | None = None


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The job is done: files to copy, an `output` for text and data actions, or both.

    `reference` is how the provider's follow-up actions name this job, where it has such.
    """

    files: tuple[ResultFile | InlineFile, ...] = ()
    output: Mapping[str, Any] | None = None
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """The request is refused for what it is; `message` is shown to the customer."""

    kind: RejectionKind
    message: str


@dataclass(frozen=True, slots=True)
class Failed:
    """This attempt is over without a result; `detail` is for the operator."""

    kind: FailureKind
    detail: str


@dataclass(frozen=True, slots=True)
class Lost:
    """No readable answer to a submit: it may or may not have arrived."""

    detail: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """No readable answer to a poll: the job may be in any state. Unknown is not failed.

    Source: docs/architecture.md#tasks.
    """

    detail: str


# How a provider says no: about the request, or about itself or us.
Refusal = Rejected | Failed
# `Succeeded` where a provider answers with the result at once.
SubmitOutcome = Submitted | Succeeded | Rejected | Failed | Lost
PollOutcome = Pending | Succeeded | Rejected | Failed | Unknown
