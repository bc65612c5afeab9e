"""What every media provider can do. Shared code never names a provider.

    submit(job)    → Submitted | Succeeded | Rejected | Failed | Lost
    poll(handle)   → Pending | Succeeded | Rejected | Failed | Unknown
    cancel(handle) → whether the job will not be done (only where a provider can)

An adapter never raises for anything a provider does: each way it can go is an outcome (`outcomes.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from tollgate.providers.runtime.outcomes import Handle, PollOutcome, SubmitOutcome


@dataclass(frozen=True, slots=True)
class Job:
    """One generation for one provider: checked `values` of the model's profile, and where to send them.

    `mapping` names the adapter's way to say it, `upstream` the provider's own model ids by variant, both
    as the catalog's route has them. Where `values` name an earlier task, it is by the provider's own
    reference. `callback_url` is where the provider may tell us that the job moved: a hint, never a verdict.
    `idempotency_key` is the attempt's own: a provider that takes one does the job once under it.
    """

    task_id: str
    mapping: str
    upstream: Mapping[str, str]
    values: Mapping[str, Any]
    callback_url: str | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Mapped:
    """A job in a provider's own words: which of its models, and the body it wants."""

    upstream: str
    body: dict[str, Any] = field(default_factory=dict)


class MediaProvider(Protocol):
    """A provider of media generations."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Submit the job, once."""

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask how the job is doing; may be asked any number of times."""


@runtime_checkable
class TakesKeys(Protocol):
    """A provider that may take an idempotency key with a job."""

    @property
    def is_idempotent(self) -> bool:
        """Return whether a job may be submitted again under the same key, and is done once."""


@runtime_checkable
class Cancels(Protocol):
    """A provider that can be asked to drop a job."""

    def cancel(self, handle: Handle) -> bool:
        """Ask to drop the job; return whether the provider confirmed that it will not be done."""
