"""fal's report of usage, for reconciliation: the finished jobs of the simulated fal at its own prices.

Tests set the price of a unit in USD by endpoint, and how many requests are refused with 429 first
(`PUT /_usage/fal`, `{"prices": {"fal-ai/z-image/turbo": "0.01"}, "limited": 1}`).

Source: the OpenAPI document of fal's Platform APIs (fal.ai/docs/platform-apis/v1/models/usage). fal does not
bill its own errors. It may bill a refused input, so the simulator does.
"""

import base64
import binascii
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.jobs import Job, JobState, JobStore
from local.simulator.media.mp4 import Mp4
from local.simulator.wire import api_key
from tollgate.kit.clock import MS_PER_DAY, Clock

ADMIN = "admin-"
_MINUTE, _HOUR = 60 * MS_PER_S, 3_600 * MS_PER_S
# The lengths of buckets, and the longest range for which each is chosen.
_BUCKETS = {
    "minute": (_MINUTE, 2 * _HOUR),
    "hour": (_HOUR, 2 * MS_PER_DAY),
    "day": (MS_PER_DAY, 64 * MS_PER_DAY),
}
_LONGER = ("week", "month")
# The document states no maximum. Few, so that every report has several pages.
_MOST_ITEMS = 2
_BILLED = (JobState.SUCCEEDED, JobState.REJECTED)
_KINDS = {
    400: ("validation_error", "Invalid request parameters"),
    401: ("authorization_error", "Authentication required"),
    403: ("authorization_error", "Access denied"),
    429: ("rate_limited", "Rate limit exceeded"),
    501: ("not_implemented", "Not implemented"),
}

Item = tuple[int, dict[str, Any]]


@dataclass(slots=True)
class _Settings:
    prices: Mapping[str, str] = field(default_factory=dict)
    limited: int = 0


@dataclass(frozen=True, slots=True)
class _Query:
    """A checked query: its bounds and the length of a bucket in milliseconds, and the page from 0."""

    start_ms: int
    end_ms: int
    bucket_ms: int
    page: int
    items: int


def router(store: JobStore, clock: Clock) -> APIRouter:
    """Return the report, and the route that sets its prices."""
    routes, settings = APIRouter(), _Settings()

    @routes.put("/_usage/fal")
    async def put(request: Request) -> Response:
        given = await request.json()
        settings.prices, settings.limited = given["prices"], given.get("limited", 0)
        return Response(status_code=204)

    @routes.get("/fal/v1/models/usage")
    async def usage(request: Request) -> Response:
        key = api_key(request, "Key")
        if key is None or not key.startswith(ADMIN):
            return _refused(401 if key is None else 403)
        if settings.limited:
            settings.limited -= 1
            return _refused(429)
        if request.query_params.get("timeframe") in _LONGER:
            return _refused(501)
        try:
            query = _query(request.query_params, clock.now_ms())
        except ValueError:
            return _refused(400)
        ended = [job for job in store.of("fal") if job.state(clock.now_ms()) in _BILLED]
        return JSONResponse(_page(list(_items(ended, settings.prices, query)), query))

    return routes


def _query(given: QueryParams, now_ms: int) -> _Query:
    """Read a query. Raises `ValueError`."""
    start_ms, end_ms = _time_ms(given.get("start"), now_ms - MS_PER_DAY), _time_ms(given.get("end"), now_ms)
    span_ms = end_ms - start_ms
    chosen = next((name for name, (_, most_ms) in _BUCKETS.items() if span_ms < most_ms), "day")
    bucket_ms, _ = _BUCKETS.get(given.get("timeframe", chosen), (0, 0))
    expanded = {word for words in given.getlist("expand") or ["time_series"] for word in words.split(",")}
    bound = given.get("bound_to_timeframe", "true")
    items = int(given.get("limit", _MOST_ITEMS))
    if not bucket_ms or "time_series" not in expanded or bound not in ("true", "false") or items < 1:
        raise ValueError
    if given.get("timezone", "UTC") != "UTC":
        raise ValueError("only UTC is simulated")
    if bound == "true":
        # A bound end is the start of the next bucket, so the report has a bucket too many.
        start_ms, end_ms = _floor(start_ms, bucket_ms), _floor(end_ms, bucket_ms) + bucket_ms
    return _Query(start_ms, end_ms, bucket_ms, _page_number(given.get("cursor")), min(items, _MOST_ITEMS))


def _time_ms(text: str | None, otherwise_ms: int) -> int:
    if text is None:
        return otherwise_ms
    found = datetime.fromisoformat(text)
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * MS_PER_S)


def _page_number(cursor: str | None) -> int:
    try:
        return 0 if cursor is None else int(base64.b64decode(cursor, validate=True)) - 1
    except binascii.Error:
        raise ValueError(cursor) from None


def _floor(at_ms: int, bucket_ms: int) -> int:
    return at_ms // bucket_ms * bucket_ms


def _items(jobs: list[Job], prices: Mapping[str, str], query: _Query) -> Iterator[Item]:
    """Return the line of each bucket and endpoint, with the start of its bucket."""
    sums: Counter[tuple[int, str, str]] = Counter()
    for job in jobs:
        ended_ms = job.created_ms + job.duration_ms
        if query.start_ms <= ended_ms < query.end_ms:
            unit, quantity = _quantity(job)
            sums[_floor(ended_ms, query.bucket_ms), job.model, unit] += quantity
    for (bucket_ms, endpoint, unit), quantity in sorted(sums.items()):
        price = float(prices.get(endpoint, 0))
        line = {"endpoint_id": endpoint, "unit": unit, "quantity": quantity, "unit_price": price}
        yield bucket_ms, {**line, "cost": quantity * price, "currency": "USD"}


def _quantity(job: Job) -> tuple[str, int]:
    first = job.artifacts[0]
    return ("second", first.duration_s) if isinstance(first, Mp4) else ("image", len(job.artifacts))


def _page(items: list[Item], query: _Query) -> dict[str, Any]:
    """Return a page. A bucket can continue on the next page."""
    end = (query.page + 1) * query.items
    buckets: dict[int, list[dict[str, Any]]] = {}
    for bucket_ms, line in items[query.page * query.items : end]:
        buckets.setdefault(bucket_ms, []).append(line)
    more = base64.b64encode(str(query.page + 2).encode()).decode() if end < len(items) else None
    series = [{"bucket": _stamp(bucket_ms), "results": lines} for bucket_ms, lines in buckets.items()]
    return {"time_series": series, "next_cursor": more, "has_more": more is not None}


def _stamp(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / MS_PER_S, tz=UTC).isoformat()


def _refused(status: int) -> Response:
    kind, message = _KINDS[status]
    return JSONResponse({"error": {"type": kind, "message": message}}, status)
