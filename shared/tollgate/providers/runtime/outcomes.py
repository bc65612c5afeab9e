"""The outcomes of a submit or a poll, which never raises.

Only the outcome decides whether a task ends, waits or goes to the next provider (`tasks/lifecycle.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# The ids that an adapter needs to find its job: small, plain values, stored with the attempt.
Handle = dict[str, Any]


class FailureKind(StrEnum):
    """Why an attempt failed. All kinds lead to the next route."""

    UNREACHABLE = "unreachable"  # No connection: nothing was sent.
    # The provider is too busy for this job (429): it was not accepted, and may be sent again.
    LIMITED = "limited"
    REFUSED_US = "refused_us"  # The operator's credentials or credit at the provider are not valid.
    PROVIDER_ERROR = "provider_error"  # The provider failed (5xx, a failed job).
    TIMED_OUT = "timed_out"  # The provider reports that the job took too long.
    # The job succeeded, but its files cannot be fetched or are not valid.
    BAD_RESULT = "bad_result"
    LOST_ANSWER = "lost_answer"  # A submit may have arrived; it is not sent to this provider again.
    NOT_CONFIGURED = "not_configured"  # The provider or its mapping does not exist (any more).


class RejectionKind(StrEnum):
    """Why the request itself is rejected. No other provider is tried (docs/architecture.md#tasks)."""

    CONTENT = "content_rejected"  # The provider's moderation rejected the content.
    INPUT = "input_rejected"  # The provider rejected the input as invalid.


# The meaning of a provider's codes, as texts: `str(code)` of a number. A `*` stands for any characters. The
# first match counts.
Codes = Mapping[str, RejectionKind | FailureKind]


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A provider's result file at a URL. Its type comes from its bytes, not from the provider.

    `headers` are necessary to read it (the provider's key); they are sent only to the URL's origin.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)


@dataclass(frozen=True, slots=True)
class InlineFile:
    """A file inside a provider's response."""

    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Submitted:
    """The provider has the job."""

    handle: Handle


@dataclass(frozen=True, slots=True)
class Pending:
    """The job is not done; `progress` is 0 to 100, if the provider reports it."""

    progress: int | None = None


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The job is done: files to copy, an `output` for text and data actions, or both.

    `reference` is the id of this job in the provider's follow-up actions, if it has such actions.
    `cost_micro_usd` is the provider's charge for it, if the response states it.
    """

    files: tuple[ResultFile | InlineFile, ...] = ()
    output: Mapping[str, Any] | None = None
    reference: str | None = None
    cost_micro_usd: int | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """The request is rejected for its content or input; the customer sees `message`."""

    kind: RejectionKind
    message: str


@dataclass(frozen=True, slots=True)
class Failed:
    """This attempt ended without a result; `detail` is for the operator."""

    kind: FailureKind
    detail: str


@dataclass(frozen=True, slots=True)
class Lost:
    """No readable response to a submit: it may have arrived."""

    detail: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """No readable response to a poll: the job may be in any state. Unknown is not failed.

    Source: docs/architecture.md#tasks.
    """

    detail: str


# The ways in which a provider refuses: because of the request, or because of a fault.
Refusal = Rejected | Failed
# `Succeeded` if the provider responds with the result immediately.
SubmitOutcome = Submitted | Succeeded | Rejected | Failed | Lost
PollOutcome = Pending | Succeeded | Rejected | Failed | Unknown
