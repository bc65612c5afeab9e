"""A provider's answers as tables: each row is a scenario, its meaning and the answers that have it.

A provider's test file lists its rows and ends with `test_answers = each("<name>", submits(...), polls(...))`.
Rows run without a network. What every provider has in common is in `test_adapter_laws.py`, not in rows.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import httpx
import pytest

from tests.unit.providers import answers
from tests.unit.providers.support import cancel, keep
from tests.unit.providers.ways import Said, Wire, adapter
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Handle,
    Rejected,
    RejectionKind,
    ResultFile,
    Succeeded,
)

HERE = "https://api.test"
"""The address of every provider in the tables."""
ABSENT = object()
"""A field or a header that a request must not have."""
Act = Callable[[MediaProvider], Any]


class Then(tuple[Any, ...]):
    """Answers to the requests of one act, one after the other; the last one stays."""

    __slots__ = ()

    def __new__(cls, *said: Any) -> "Then":
        return super().__new__(cls, said)


@dataclass(frozen=True, slots=True)
class Row:
    """A scenario.

    `meaning` is the result: an outcome, a class of outcomes, the kind of a failure or of a rejection; for a
    cancellation, whether the job is dropped. An answer is JSON with status 200, or a status and JSON, or an
    exception of httpx, or `Then`. `sent` has the method and the path of each request. `body` is the JSON of
    the last one; `fields` are some of its fields, `headers` some of its headers.
    """

    name: str
    meaning: Any
    answers: tuple[Any, ...]
    sent: tuple[str, ...] | None
    body: Mapping[str, Any] | None
    fields: Mapping[str, Any]
    headers: Mapping[str, Any]


def says(
    name: str,
    meaning: Any,
    *answers: Any,
    sent: str | Sequence[str] | None = None,
    body: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    headers: Mapping[str, Any] | None = None,
) -> Row:
    """Return a scenario: any of these answers has this meaning. Without an answer, `{}` is one."""
    paths = (sent,) if isinstance(sent, str) else None if sent is None else tuple(sent)
    return Row(name, meaning, answers or ({},), paths, body, fields or {}, headers or {})


def submits(job: Job, *rows: Row) -> list[tuple[Act, Row]]:
    """Return the rows as answers to a submit of this job."""
    return [(partial(_submit, job), row) for row in rows]


def polls(handle: Handle, *rows: Row) -> list[tuple[Act, Row]]:
    """Return the rows as answers to a question for this job."""
    return [(partial(_poll, handle), row) for row in rows]


def cancels(handle: Handle, *rows: Row) -> list[tuple[Act, Row]]:
    """Return the rows as answers to a cancellation of this job."""
    return [(partial(_cancel, handle), row) for row in rows]


def each(provider: str, *tables: list[tuple[Act, Row]]) -> Callable[..., None]:
    """Return a test of all rows, one case for each answer, named by its scenario."""
    cases = [(act, row, one) for table in tables for act, row in table for one in row.answers]

    def test(act: Act, row: Row, said: Any) -> None:
        _check(provider, act, row, said)

    names = [row.name for _, row, _ in cases]
    marked: Callable[..., None] = pytest.mark.parametrize(("act", "row", "said"), cases, ids=names)(test)
    return marked


def done(*urls: str, **more: Any) -> Succeeded:
    """Return a success with these files."""
    return Succeeded(tuple(map(ResultFile, urls)), **more)


def invalid(words: str) -> Rejected:
    """Return the rejection of an input."""
    return Rejected(RejectionKind.INPUT, words)


def moderated(words: str) -> Rejected:
    """Return the rejection of content."""
    return Rejected(RejectionKind.CONTENT, words)


def _submit(job: Job, provider: MediaProvider) -> Any:
    return provider.submit(job)


def _poll(handle: Handle, provider: MediaProvider) -> Any:
    return provider.poll(handle)


def _cancel(handle: Handle, provider: MediaProvider) -> bool:
    return cancel(provider, handle)


def _check(provider: str, act: Act, row: Row, said: Any) -> None:
    wire, connected = _on_a_wire(provider)
    wire.says(*map(_said, said if isinstance(said, Then) else (said,)))
    found = act(connected)
    assert _is(found, row.meaning), f"{found} is not {row.meaning}"
    if not isinstance(found, bool):
        keep(found)
    sent = tuple(f"{one.method} {one.url.raw_path.decode()}" for one in wire.sent)
    assert row.sent in (None, sent)
    if row.body is not None or row.fields:
        body = json.loads(wire.sent[-1].content)
        assert row.body in (None, body)
        assert _some(body, row.fields) == dict(row.fields)
    if row.headers:
        assert _some(wire.sent[-1].headers, row.headers) == dict(row.headers)


@cache
def _on_a_wire(provider: str) -> tuple[Wire, MediaProvider]:
    wire = Wire(lambda _: httpx.Response(500))
    return wire, adapter(provider, HERE, wire)


def _said(one: Any) -> Said:
    if isinstance(one, httpx.TransportError):
        return one
    return answers.says(*one) if isinstance(one, tuple) else answers.says(200, one)


def _is(found: Any, meaning: Any) -> bool:
    if isinstance(meaning, FailureKind):
        return isinstance(found, Failed) and found.kind is meaning
    if isinstance(meaning, RejectionKind):
        return isinstance(found, Rejected) and found.kind is meaning
    return isinstance(found, meaning) if isinstance(meaning, type) else bool(found == meaning)


def _some(found: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    return {name: found.get(name, ABSENT) for name in names}
