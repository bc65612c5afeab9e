"""Answers of any shape: what a provider really says with a part of it changed, and things of no sense."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import httpx
from hypothesis import strategies as st

from tests.unit.providers.support import KEY
from tests.unit.providers.ways import Said, Way

ELSEWHERE = "https://elsewhere.test"
STATUSES = st.sampled_from([200, 201, 202, 204, 302, 400, 401, 404, 408, 413, 422, 429, 500, 503])
WORDS = st.sampled_from(
    [
        *("", "COMPLETED", "IN_QUEUE", "finished", "failed", "running", "cut \ud83d", "x" * 5_000, "45%"),
        *("succeeded", "SUCCESS", "FAILURE", "canceled", "queued", "1026", "content_policy_violation"),
        *(f"{ELSEWHERE}/a", "http://[::1", "\ud800://", "//elsewhere.test/a", "../../a", "a?b=c#d", KEY),
        *(f"wrong key {KEY}", "invalid_request_error", "InvalidParameter", "MODAL"),
    ]
)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([0, 1, 200, 400, 500]) | WORDS
)
ODD = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
BROKEN = (b"", b"<html>", b'{"a": ', b'{"a": NaN', b"[" * 100_000, b"1" * 5_000, b"\xff\xfe", b"null")
"""Bodies that are no JSON, or JSON that says nothing."""
NOT_SENT = (httpx.ConnectError("no"), httpx.ConnectTimeout("no"), httpx.PoolTimeout("no"))
UNANSWERED = (
    httpx.ReadTimeout("no"),
    httpx.WriteTimeout("no"),
    httpx.ReadError("no"),
    httpx.WriteError("no"),
    httpx.CloseError("no"),
    httpx.RemoteProtocolError("no"),
)
"""It went out, at least in part: the provider may have it."""


class _BreaksOff(httpx.SyncByteStream):
    """The first half of a body."""

    def __init__(self, body: bytes) -> None:
        self._half = body[: len(body) // 2]

    def __iter__(self) -> Iterator[bytes]:
        yield self._half
        raise httpx.ReadError("broken off")


def answer(status: int, body: bytes) -> Said:
    """Return a whole answer; one that redirects leads elsewhere."""
    headers = {"content-type": "application/json", "location": f"{ELSEWHERE}/b"}
    return lambda: httpx.Response(status, content=body, headers=headers)


def says(status: int, value: Any) -> Said:
    """Return an answer of JSON."""
    return answer(status, json.dumps(value).encode())


def breaks_off(status: int, body: bytes) -> Said:
    """Return an answer that never gets to its end."""
    return lambda: httpx.Response(status, stream=_BreaksOff(body))


@st.composite
def answers(draw: st.DrawFn, way: Way) -> Said:
    """Draw what a provider might answer on a way."""
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(st.sampled_from([*NOT_SENT, *UNANSWERED]))
    status = draw(STATUSES)
    if kind == 1:
        return answer(status, draw(st.sampled_from(BROKEN)))
    if kind == 2:
        return breaks_off(status, way.submitted)
    if kind == 3:
        return says(status, draw(ODD))
    return says(draw(st.just(200) | STATUSES), draw(changed(way)))


@st.composite
def changed(draw: st.DrawFn, way: Way) -> Any:
    """Draw an answer that a provider really gives, with up to two of its parts odd or gone."""
    value = deepcopy(draw(st.sampled_from(way.answers)))
    for _ in range(draw(st.integers(0, 2))):
        places = list(_places(value))
        if not places:
            break
        holder, name = draw(st.sampled_from(places))
        if draw(st.booleans()):
            holder[name] = draw(ODD)
        else:
            del holder[name]
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    names = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for name in names:
        yield value, name
        yield from _places(value[name])
