"""The base of all HTTP adapters: submits a job once, and polls it.

A vendor's adapter defines the requests (`Submission`, `StatusQuery`) and how to read the responses. The
outcome of an unsupported input, a failed connection or a lost response is decided here, for all adapters.
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

# The states at providers whose DELETE cancels a queued job.
QUEUED, CANCELLED = "queued", "cancelled"


@dataclass(frozen=True, slots=True)
class Submission:
    """A job on the wire: its request, and how to read the response.

    `read` gets responses with status 2xx, `refusal` all others, and `lost` the reason for a missing response.
    `may_be_sent_again` is true if the headers have an idempotency key.
    """

    path: str
    body: Mapping[str, Any]
    read: Callable[[Reply], SubmitOutcome]
    refusal: Callable[[Reply], SubmitOutcome] = by_status
    lost: Callable[[str], SubmitOutcome] = Lost
    headers: Mapping[str, str] = field(default_factory=dict)
    may_be_sent_again: bool = False
    method: str = "POST"


@dataclass(frozen=True, slots=True)
class StatusQuery:
    """The request for the state of a job: its path, and how to read the response, whatever its status."""

    path: str
    read: Callable[[Reply], PollOutcome]


class MediaAdapter(ABC):
    """A provider's wire format, over its HTTP API."""

    http_type: ClassVar[type[ProviderHttp]] = ProviderHttp

    def __init__(self, declared: Provider, http: ProviderHttp) -> None:
        self._declared = declared
        self._http = http

    @classmethod
    def connect(
        cls, declared: Provider, key: str, base_url: str, transport: httpx.BaseTransport | None = None
    ) -> Self:
        """Return the adapter at `base_url` with `key`, which is sent as the provider declares.

        Tests pass a `transport` to replace the network.
        """
        headers = {**declared.auth.headers(key), **declared.headers}
        bounds = (declared.answer_timeout_s, declared.max_answer_bytes)
        return cls(declared, cls.http_type(base_url, key, headers, *bounds, transport=transport))

    @abstractmethod
    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job; `mapped` is the job in the provider's format."""

    @abstractmethod
    def status(self, handle: Handle) -> StatusQuery | None:
        """Return the request for a job's state; `None` for a provider without jobs, which returns results."""

    @property
    def is_idempotent(self) -> bool:
        """Return whether a job that is sent again with the same key runs only once."""
        return self._declared.idempotency_header is not None

    def submit(self, job: Job) -> SubmitOutcome:
        """Submit the job once; with an idempotency key, once more if there was no response."""
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
        """Request the state of the job; this may be repeated."""
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
            # The request was sent, so the provider may have the job.
            return self._again(submission, exc) if submission.may_be_sent_again else submission.lost(str(exc))

    def _sent(self, submission: Submission) -> SubmitOutcome:
        reply = self._http.call(
            submission.method, submission.path, submission.body, headers=submission.headers
        )
        return submission.read(reply) if reply.ok else submission.refusal(reply)

    def _again(self, submission: Submission, first: NoAnswerError) -> SubmitOutcome:
        """Send a request without a response once more; both attempts take less than a submit's lease.

        Only a definite outcome counts, because the first attempt may have succeeded although this one failed.
        """
        try:
            outcome = self._sent(submission)
        except (NotSentError, NoAnswerError):
            return submission.lost(str(first))
        return submission.lost(outcome.detail) if isinstance(outcome, Failed) else outcome

    def _ask(self, method: str, path: str) -> Reply | None:
        """Return the response to a request that may be repeated; `None` if there is none."""
        try:
            return self._http.call(method, path)
        except (NotSentError, NoAnswerError):
            return None

    def _drop_queued(self, task_path: str, drop_path: str, status: tuple[str, ...]) -> bool:
        """Delete a queued job; return whether the provider reports it as cancelled.

        `status` is the path of the state in the response at `task_path`. For a job that has ended, the same
        request deletes its record (docs/providers/ark.md, docs/providers/minimax.md), so it is sent only for
        a queued job.
        """
        if self._status_at(task_path, status) != QUEUED:
            return False
        self._ask("DELETE", drop_path)
        return self._status_at(task_path, status) == CANCELLED

    def _status_at(self, path: str, status: tuple[str, ...]) -> str | None:
        reply = self._ask("GET", path)
        return None if reply is None else reply.string(*status)
