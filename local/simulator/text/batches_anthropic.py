"""Anthropic's Message Batches (`batch_store.py` has the words that direct a batch).

Source: `anthropic.types.messages` and `resources/messages/batches.py` of the package anthropic 2.14.0 (PyPI),
and https://platform.claude.com/docs/en/build-with-claude/batch-processing: the shape of a request is checked
at its create, its fields when it runs. INFERRED: the words of errors.
"""

import re
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.text.batch_store import (
    BAD,
    ENDED,
    KEY,
    OK,
    UNKNOWN,
    Batch,
    Line,
    Outcome,
    RefusedError,
    Store,
    jsonl,
)
from local.simulator.wire import api_key, header_key, json_object

MAX_REQUESTS, MAX_PAGE = 100_000, 1_000
PATH = "/v1/messages/batches"
VERSIONS = ("2023-06-01", "2026-10-21")
WINDOW_MS = 24 * 3600 * MS_PER_S
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the routes of batches."""
    store = Store(engine)

    @routes.post(PATH)
    async def create(request: Request) -> Response:
        owner, body = _owner(request), await json_object(request) or {}
        if owner is None:
            return _refused(KEY, "invalid x-api-key")
        if (reason := _refusal(body)) is not None:
            return _refused(BAD, reason)
        lines = [Line(each["custom_id"], "/v1/messages", each["params"]) for each in body["requests"]]
        names = ("anthropic-version", "anthropic-beta")
        told = {name: request.headers.get(name, "") for name in names}
        try:
            made = store.create(f"msgbatch_{uuid4().hex}", owner, told, lines)
        except RefusedError as refused:
            return _refused(refused.status, str(refused))
        return JSONResponse(_shown(store, made, request))

    @routes.get(PATH)
    async def listed(
        request: Request, limit: int = 20, after_id: str | None = None, before_id: str | None = None
    ) -> Response:
        owner = _owner(request)
        if owner is None:
            return _refused(KEY, "invalid x-api-key")
        own = store.own(owner)
        ids = [one.id for one in own]
        if not 1 <= limit <= MAX_PAGE or any(each not in (None, *ids) for each in (after_id, before_id)):
            return _refused(BAD, "limit, after_id or before_id: invalid")
        first = ids.index(after_id) + 1 if after_id else 0
        last = ids.index(before_id) if before_id else len(ids)
        page = [await _ended(store, one, request) for one in own[first:last][:limit]]
        return JSONResponse(
            {
                "data": page,
                "has_more": last - first > limit,
                "first_id": page[0]["id"] if page else None,
                "last_id": page[-1]["id"] if page else None,
            }
        )

    _add_one(routes, store)


def _add_one(routes: APIRouter, store: Store) -> None:
    def found(request: Request, batch_id: str) -> Batch | None:
        return store.found(_owner(request), batch_id)

    @routes.get(f"{PATH}/{{batch_id}}")
    async def retrieve(request: Request, batch_id: str) -> Response:
        if (batch := found(request, batch_id)) is None:
            return _refused(UNKNOWN, f"Message Batch {batch_id} not found")
        return JSONResponse(await _ended(store, batch, request))

    @routes.post(f"{PATH}/{{batch_id}}/cancel")
    async def cancel(request: Request, batch_id: str) -> Response:
        if (batch := found(request, batch_id)) is None:
            return _refused(UNKNOWN, f"Message Batch {batch_id} not found")
        if store.status(batch) in ENDED:
            return _refused(BAD, "The batch has ended.")
        store.cancel(batch)
        return JSONResponse(await _ended(store, batch, request))

    @routes.get(f"{PATH}/{{batch_id}}/results")
    async def results(request: Request, batch_id: str) -> Response:
        if (batch := found(request, batch_id)) is None:
            return _refused(UNKNOWN, f"Message Batch {batch_id} not found")
        status = store.status(batch)
        if status not in ENDED:
            return _refused(UNKNOWN, "The results are not available yet.")
        await _ended(store, batch, request)
        lines = [_result(one, status) for one in _outcomes(batch)]
        return Response(jsonl(lines), media_type="application/x-jsonl")


def _owner(request: Request) -> str | None:
    is_known = request.headers.get("anthropic-version") in VERSIONS
    return (header_key(request, "x-api-key") or api_key(request, "Bearer")) if is_known else None


def _refusal(body: dict[str, Any]) -> str | None:
    """Return the reason to refuse a create."""
    requests = body.get("requests")
    if unknown := body.keys() - {"requests"}:
        return f"{min(unknown)}: Extra inputs are not permitted"
    if not isinstance(requests, list) or not 1 <= len(requests) <= MAX_REQUESTS:
        return "requests: List should have 1 to 100000 items"
    names: set[str] = set()
    for at, each in enumerate(requests):
        if (reason := _request_refusal(each, names)) is not None:
            return f"requests.{at}: {reason}"
    return None


def _request_refusal(each: Any, names: set[str]) -> str | None:
    """Return the reason to refuse a request, whose name is added to those before it."""
    if not isinstance(each, dict) or each.keys() != {"custom_id", "params"}:
        return "custom_id and params are required"
    name, params = each["custom_id"], each["params"]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return "custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'"
    if name in names:
        return "custom_id: must be unique"
    names.add(name)
    is_good = isinstance(params, dict) and not params.get("stream") and "speed" not in params
    return None if is_good else "params: not supported in batches"


async def _ended(store: Store, batch: Batch, request: Request) -> dict[str, Any]:
    """Return a batch as it is shown. If it has ended, its lines are run first."""
    headers = {"x-api-key": batch.owner, **batch.told}
    await store.settle(batch, request, {name: value for name, value in headers.items() if value})
    return _shown(store, batch, request)


def _outcomes(batch: Batch) -> list[Outcome]:
    """Return how the lines ended: each with an error, if the batch failed."""
    if batch.outcomes is not None:
        return batch.outcomes
    return [Outcome(line, None) for line in batch.lines]


def _kind(one: Outcome, status: str) -> str:
    if not one.was_run:
        return "expired" if status == "expired" else "canceled"
    return "succeeded" if one.status == OK else "errored"


def _result(one: Outcome, status: str) -> dict[str, Any]:
    kind = _kind(one, status)
    told: dict[str, Any] = {}
    if kind == "succeeded":
        usage = {**one.body["usage"], "service_tier": "batch"} if "usage" in one.body else {}
        told = {"message": one.body | ({"usage": usage} if usage else {})}
    if kind == "errored":
        is_error = isinstance(one.body, dict) and one.body.get("type") == "error"
        told = {"error": one.body if is_error else _error("api_error", "Internal server error")}
    return {"custom_id": one.line.name, "result": {"type": kind, **told}}


def _shown(store: Store, batch: Batch, request: Request) -> dict[str, Any]:
    status = store.status(batch)
    # It is in progress until its requests were run.
    has_ended = status in ENDED and (batch.outcomes is not None or status == "failed")
    counts = dict.fromkeys(_COUNTS, 0)
    for one in _outcomes(batch):
        counts[_kind(one, status) if has_ended else "processing"] += 1
    is_cancelled, url = batch.cancelled_ms is not None, f"{request.base_url}{store.engine.provider}{PATH}"
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": "ended" if has_ended else "canceling" if is_cancelled else "in_progress",
        "request_counts": counts,
        "created_at": _time(batch.created_ms),
        "expires_at": _time(batch.created_ms + WINDOW_MS),
        "ended_at": _time(store.engine.now_ms()) if has_ended else None,
        "archived_at": None,
        "cancel_initiated_at": None if batch.cancelled_ms is None else _time(batch.cancelled_ms),
        "results_url": f"{url}/{batch.id}/results" if has_ended else None,
    }


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / MS_PER_S, UTC).isoformat().replace("+00:00", "Z")


def _error(kind: str, message: str) -> dict[str, Any]:
    return {
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": "req_simulated",
    }


def _refused(status: int, message: str) -> Response:
    kinds = {KEY: "authentication_error", UNKNOWN: "not_found_error", BAD: "invalid_request_error"}
    return JSONResponse(_error(kinds.get(status, "rate_limit_error"), message), status)
