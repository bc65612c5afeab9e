"""The protocol of all media providers. Shared code never names a provider.

    submit(job)    → Submitted | Succeeded | Rejected | Failed | Lost
    poll(handle)   → Pending | Succeeded | Rejected | Failed | Unknown
    cancel(handle) → whether the provider dropped the job (only some providers)

An adapter never raises for a provider's behaviour: each result is an outcome (`outcomes.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from tollgate.providers.runtime.outcomes import Handle, PollOutcome, SubmitOutcome


@dataclass(frozen=True, slots=True)
class Job:
    """One generation for one provider: checked `values` of the model's profile, and their destination.

    `mapping` names the adapter's mapping, and `upstream` has the provider's model ids by variant, both from
    the catalog's route. If `values` name an earlier task, they have the provider's reference. The provider
    may send a callback to `callback_url` if the job progresses: a hint to poll. `idempotency_key` belongs to
    the attempt; a provider that supports it runs the job once for each key.
    """

    task_id: str
    mapping: str
    upstream: Mapping[str, str]
    values: Mapping[str, Any]
    callback_url: str | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Mapped:
    """A job in a provider's format: the id of its model, and the body."""

    upstream: str
    body: dict[str, Any] = field(default_factory=dict)


class MediaProvider(Protocol):
    """A provider of media generations."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Submit the job, once."""

    def poll(self, handle: Handle) -> PollOutcome:
        """Request the state of the job; this may be repeated."""


@runtime_checkable
class TakesKeys(Protocol):
    """A provider that may support an idempotency key for a job."""

    @property
    def is_idempotent(self) -> bool:
        """Return whether a job that is submitted again with the same key runs only once."""


@runtime_checkable
class Cancels(Protocol):
    """A provider that can cancel a job."""

    def cancel(self, handle: Handle) -> bool:
        """Cancel the job; return whether the provider confirmed that it will not run.

        If the response to the cancellation confirms it, such as 204 and not 409, use `MediaAdapter._ask`. If
        the same request deletes the record of a job that has ended, use `_drop_queued`.
        """
