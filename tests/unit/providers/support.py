"""What the adapters' tests share: an API that keeps what it is sent, and odd answers of any shape."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import httpx
from hypothesis import strategies as st

from tests.support.http_server import Raw, Received, Reply, http_server
from tollgate.providers.runtime.base import Cancels, Job, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    Handle,
    InlineFile,
    Lost,
    Pending,
    PollOutcome,
    Rejected,
    ResultFile,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.providers.runtime.registry import providers

KEY = "sk-very-secret-0123456789"
MAX_WORDS = 320
TIMEOUT_S = 60
"""A provider's words as we keep them: 300 characters and the status before them."""

WORDS = st.sampled_from(
    [
        *("", "COMPLETED", "IN_QUEUE", "finished", "failed", "running", "cut \ud83d", "x" * 5_000),
        *(
            "http://127.0.0.1:1/a",
            "http://[::1",
            "\ud800://",
            "content_policy_violation",
            "invalid_request_error",
        ),
    ]
)
NAMES = st.sampled_from(
    [
        *("status", "status_url", "response_url", "detail", "msg", "type", "images", "image", "video", "url"),
        *("code", "data", "task_id", "files", "file_url", "progress", "error", "message", "error_message"),
        *("id", "name", "done", "request_id", "polling_url", "result", "sample", "output", "outputs"),
        *("b64_json", "candidates", "content", "parts", "inlineData", "steps", "uri", "response", "usage"),
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.just(200) | WORDS
ANSWERS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=12,
)


class Api:
    """A provider that answers what it is told, as JSON, and keeps the requests."""

    def __init__(self) -> None:
        self.url = ""
        self.reset()

    def reset(self) -> None:
        """Forget what was, for the next test."""
        self.answer: Callable[[Received], Reply | Raw] = lambda _: Reply(200, b"{}")
        self.received: list[Received] = []

    def __call__(self, request: Received) -> Reply | Raw:
        self.received.append(request)
        return self.answer(request)

    def says(self, *answers: tuple[int, Any]) -> None:
        """Answer with these statuses and JSON values, one after the other; the last one stays."""
        left = list(answers)
        self.answer = lambda _: reply(*(left.pop(0) if len(left) > 1 else left[0]))

    @property
    def body(self) -> Any:
        """Return the JSON of the only request."""
        (request,) = self.received
        return json.loads(request.body)


def reply(status: int, value: Any, headers: dict[str, str] | None = None) -> Reply:
    body = b"" if status == 204 else json.dumps(value).encode()
    return Reply(status, body, {"content-type": "application/json", **(headers or {})})


@contextmanager
def api() -> Iterator[Api]:
    """Serve an `Api`."""
    served = Api()
    with http_server(served) as url:
        served.url = url
        yield served


@cache
def connected(provider: str, base_url: str, key: str = KEY) -> MediaProvider:
    """Return a provider's adapter, as its declaration makes it."""
    return providers()[provider].connect(key, base_url)


def cancel(provider: MediaProvider, handle: Handle) -> bool:
    """Ask a provider that can to drop a job; tell whether it is dropped."""
    assert isinstance(provider, Cancels)
    return provider.cancel(handle)


def made_job(mapping: str, upstream: dict[str, str], **values: Any) -> Job:
    return Job("task_1", mapping, upstream, values)


def received(answer: Any) -> Any:
    """Return an answer as `ProviderHttp` hands it on: halves of surrogate pairs are gone."""
    return json.loads(json.dumps(answer, ensure_ascii=False).encode(errors="replace"))


def keep(outcome: SubmitOutcome | PollOutcome) -> None:
    """Check that an outcome can be written down: it is one of the kinds, its words are short and storable."""
    match outcome:
        case Submitted(handle):
            words = json.dumps(handle, ensure_ascii=False)
        case Rejected(_, message):
            words = message
        case Failed(_, detail) | Lost(detail) | Unknown(detail):
            words = detail
        case Pending(progress):
            assert progress is None or (type(progress) is int and 0 <= progress <= 100)
            return
        case Succeeded(files):
            words = "".join(file.url for file in files if isinstance(file, ResultFile))[:MAX_WORDS]
    words.encode()
    assert len(words) <= MAX_WORDS or isinstance(outcome, Submitted)
    assert KEY not in repr(outcome)


def run(provider: MediaProvider, job: Job, polls: int = 1) -> list[SubmitOutcome | PollOutcome]:
    """Submit and poll; give all outcomes, each of which can be written down."""
    found: list[SubmitOutcome | PollOutcome] = [provider.submit(job)]
    if isinstance(found[0], Submitted):
        # As from the table, where a handle is kept as JSON.
        handle = json.loads(json.dumps(found[0].handle))
        found += [provider.poll(handle) for _ in range(polls)]
    for outcome in found:
        keep(outcome)
    return found


def first_bytes(file: ResultFile | InlineFile) -> bytes:
    """Return how a result begins, read as the store reads it; a key is not sent on to where it redirects."""
    if isinstance(file, InlineFile):
        return file.data[:16]
    answer = httpx.get(file.url, headers=dict(file.headers), trust_env=False, timeout=TIMEOUT_S)
    if answer.next_request is not None:
        answer = httpx.get(answer.next_request.url, trust_env=False, timeout=TIMEOUT_S)
    return answer.content[:16]
