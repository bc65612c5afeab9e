"""What all adapters that speak HTTP have in common: one job sent once, and asked for until it has ended.

A vendor's adapter says what goes over the wire (`Submission`, `StatusQuery`) and how an answer is read. What
it means to have no words for a job, no connection or no answer is decided here, for all of them alike.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import httpx

from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.answers import by_status
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.declaration import Provider
from tollgate.providers.runtime.http import NoAnswerError, NotSentError, ProviderHttp
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Handle,
    Lost,
    PollOutcome,
    SubmitOutcome,
    Unknown,
)
from tollgate.providers.runtime.reply import Reply

# Of the providers whose waiting jobs are dropped by deleting them.
QUEUED, CANCELLED = "queued", "cancelled"


@dataclass(frozen=True, slots=True)
class Submission:
    """A job on the wire: where it goes, and what its answers mean.

    `read` gets the answers with a good status, `refusal` all others, `lost` the reason why there is none.
    `may_be_sent_again` is for one whose headers have an idempotency key.
    """

    path: str
    body: Mapping[str, Any]
    read: Callable[[Reply], SubmitOutcome]
    refusal: Callable[[Reply], SubmitOutcome] = by_status
    lost: Callable[[str], SubmitOutcome] = Lost
    headers: Mapping[str, str] = field(default_factory=dict)
    may_be_sent_again: bool = False


@dataclass(frozen=True, slots=True)
class StatusQuery:
    """The question how a job is doing: its path, and how the answer is read, whatever its status."""

    path: str
    read: Callable[[Reply], PollOutcome]


class MediaAdapter(ABC):
    """A provider's wire, over its HTTP API."""

    http_type: ClassVar[type[ProviderHttp]] = ProviderHttp

    def __init__(self, declared: Provider, http: ProviderHttp) -> None:
        self._declared = declared
        self._http = http

    @classmethod
    def connect(
        cls, declared: Provider, key: str, base_url: str, transport: httpx.BaseTransport | None = None
    ) -> Self:
        """Return the adapter at `base_url`, under `key`, which is sent as the provider declares.

        `transport` takes the place of the network in tests.
        """
        headers = {**declared.auth.headers(key), **declared.headers}
        bounds = (declared.answer_timeout_s, declared.max_answer_bytes)
        return cls(declared, cls.http_type(base_url, key, headers, *bounds, transport=transport))

    @abstractmethod
    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return what to send for a job, which is `mapped` in the provider's words."""

    @abstractmethod
    def status(self, handle: Handle) -> StatusQuery | None:
        """Return the question for a job; `None` of a provider that has no jobs, only answers."""

    @property
    def is_idempotent(self) -> bool:
        """Return whether a job may be sent again under the same key, and is done once."""
        return self._declared.idempotency_header is not None

    def submit(self, job: Job) -> SubmitOutcome:
        """Send the job, once; where it takes a key, once more under the same one if nothing came back."""
        mapper = self._declared.mappers().get(job.mapping)
        if mapper is None:
            return Failed(FailureKind.NOT_CONFIGURED, f"no mapping {job.mapping}")
        try:
            return self._send(self._keyed(self.submission(job, mapper(job)), job))
        except CannotMapError as exc:
            return Failed(FailureKind.NOT_CONFIGURED, repr(exc))
        except NotSentError as exc:
            return Failed(FailureKind.UNREACHABLE, str(exc))

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask how the job is doing; may be asked any number of times."""
        query = self.status(handle)
        if query is None:
            return Unknown(f"{self._declared.name} has no jobs to ask for")
        try:
            return query.read(self._http.call("GET", query.path))
        except (NotSentError, NoAnswerError) as exc:
            return Unknown(str(exc))

    def _keyed(self, submission: Submission, job: Job) -> Submission:
        header = self._declared.idempotency_header
        if header is None or job.idempotency_key is None:
            return submission
        headers = {**submission.headers, header: job.idempotency_key}
        return replace(submission, headers=headers, may_be_sent_again=True)

    def _send(self, submission: Submission) -> SubmitOutcome:
        try:
            return self._sent(submission)
        except NoAnswerError as exc:
            # It was sent: the provider may have the job.
            return self._again(submission, exc) if submission.may_be_sent_again else submission.lost(str(exc))

    def _sent(self, submission: Submission) -> SubmitOutcome:
        reply = self._http.call("POST", submission.path, submission.body, headers=submission.headers)
        return submission.read(reply) if reply.ok else submission.refusal(reply)

    def _again(self, submission: Submission, first: NoAnswerError) -> SubmitOutcome:
        """Send what was not answered once more; both together take less than a submit's lease.

        Only what settles the job counts: a failure says nothing of the first one, which may be there.
        """
        try:
            outcome = self._sent(submission)
        except (NotSentError, NoAnswerError):
            return submission.lost(str(first))
        return submission.lost(outcome.detail) if isinstance(outcome, Failed) else outcome

    def _ask(self, method: str, path: str) -> Reply | None:
        """Return the answer to a request that may be repeated, `None` where there is none."""
        try:
            return self._http.call(method, path)
        except (NotSentError, NoAnswerError):
            return None

    def _drop_queued(self, task_path: str, drop_path: str, status: tuple[str, ...]) -> bool:
        """Delete a job that waits; return whether the provider says that it is cancelled.

        `status` is where the answer at `task_path` says how the job is. The same request deletes the record
        of a job that has ended (docs/providers/ark.md, docs/providers/minimax.md), so it goes out for one
        that waits only.
        """
        if self._status_at(task_path, status) != QUEUED:
            return False
        self._ask("DELETE", drop_path)
        return self._status_at(task_path, status) == CANCELLED

    def _status_at(self, path: str, status: tuple[str, ...]) -> str | None:
        reply = self._ask("GET", path)
        return None if reply is None else reply.string(*status)
