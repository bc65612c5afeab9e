"""xAI's files and Batch API (`batch_store.py` has the words that direct a batch).

Source: https://docs.x.ai/developers/advanced-api-usage/batch-api, `xai_sdk.proto.v6.batch_pb2` of the package
xai-sdk 1.21.0 (PyPI), and litellm 1.110.2 (PyPI) for REST: counts instead of a status, results in pages, and
a day as the time of a create. INFERRED: the words of errors, and the counts of an expired batch.
"""

import json
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
    openai_line,
)
from local.simulator.wire import api_key, form_parts, json_object

PATH = "/v1/batches"
MAX_PAGE = 1_000
ENDPOINTS = {"/v1/chat/completions": "chat_get_completion", "/v1/responses": "responses"}
DAY = "%Y-%m-%d"
# The token of the first page.
FIRST = "0"


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the routes of files and batches."""
    store = Store(engine)
    _add_one(routes, store)

    @routes.post("/v1/files")
    async def upload(request: Request) -> Response:
        owner, parts = api_key(request, "Bearer"), await form_parts(request)
        if owner is None or "file" not in parts:
            return _refused(KEY if owner is None else BAD, "A file and a key are required.")
        data = parts["file"].get_payload(decode=True)
        content = data if isinstance(data, bytes) else b""
        made = store.add_file(owner, parts["file"].get_filename() or "", "", content, f"file_{uuid4()}")
        shown = {"bytes": len(content), "created_at": made.created_s, "filename": made.name, "purpose": ""}
        return JSONResponse({"id": made.id, "object": "file", "expires_at": None, **shown})

    @routes.post(PATH)
    async def create(request: Request) -> Response:
        owner, body = api_key(request, "Bearer"), await json_object(request) or {}
        file = store.files.get(str(body.get("input_file_id")))
        if owner is None:
            return _refused(KEY, "Incorrect API key provided.")
        is_named = isinstance(body.get("name"), str) and bool(body["name"])
        if file is None or file.owner != owner or not is_named or body.keys() - {"name", "input_file_id"}:
            return _refused(BAD, "Invalid name or input_file_id.")
        lines, errors = _read(file.data)
        try:
            text = file.data.decode("utf-8", "replace")
            made = store.create(f"batch_{uuid4()}", owner, body, lines, errors=errors, text=text)
        except RefusedError as refused:
            return _refused(refused.status, str(refused))
        return JSONResponse(_shown(store, made))

    @routes.get(PATH)
    async def listed(request: Request, limit: int = 20) -> Response:
        pagination_token = request.query_params.get("pagination_token", FIRST)
        owner = api_key(request, "Bearer")
        if owner is None or not 1 <= limit <= MAX_PAGE or not pagination_token.isdecimal():
            return _refused(KEY if owner is None else BAD, "Invalid limit or pagination_token.")
        own, first = store.own(owner), int(pagination_token)
        page = [await _ended(store, one, request) for one in own[first : first + limit]]
        more = str(first + limit) if first + limit < len(own) else None
        return JSONResponse({"batches": page, "pagination_token": more})


def _add_one(routes: APIRouter, store: Store) -> None:
    @routes.get(f"{PATH}/{{batch_id}}")
    async def retrieve(request: Request, batch_id: str) -> Response:
        if (batch := store.found(api_key(request, "Bearer"), batch_id)) is None:
            return _refused(UNKNOWN, "Batch not found.")
        return JSONResponse(await _ended(store, batch, request))

    @routes.post(f"{PATH}/{{batch_id}}:cancel")
    async def cancel(request: Request, batch_id: str) -> Response:
        if (batch := store.found(api_key(request, "Bearer"), batch_id)) is None:
            return _refused(UNKNOWN, "Batch not found.")
        if store.status(batch) in ENDED:
            return _refused(BAD, "The batch has ended.")
        store.cancel(batch)
        return JSONResponse(await _ended(store, batch, request))

    @routes.get(f"{PATH}/{{batch_id}}/results")
    async def results(request: Request, batch_id: str, limit: int = 100) -> Response:
        pagination_token = request.query_params.get("pagination_token", FIRST)
        if (batch := store.found(api_key(request, "Bearer"), batch_id)) is None:
            return _refused(UNKNOWN, "Batch not found.")
        if not 1 <= limit <= MAX_PAGE or not pagination_token.isdecimal():
            return _refused(BAD, "Invalid limit or pagination_token.")
        await _ended(store, batch, request)
        # A page may have fewer than were asked for.
        first, size = int(pagination_token), min(limit, 2)
        ones = [one for one in reversed(batch.outcomes or []) if one.was_run or not batch.cancelled_ms]
        more = str(first + size) if first + size < len(ones) else None
        page = [_result(one) for one in ones[first : first + size]]
        return JSONResponse({"results": page, "pagination_token": more})


def _read(data: bytes) -> tuple[list[Line], list[dict[str, Any]]]:
    try:
        lines = [openai_line(json.loads(text)) for text in data.splitlines() if text.strip()]
    except (ValueError, KeyError, TypeError):
        return [], [{"message": "The file is not valid."}]
    is_good = lines and all(line.path in ENDPOINTS for line in lines)
    return (lines, []) if is_good else ([], [{"message": "A line has an unknown url."}])


async def _ended(store: Store, batch: Batch, request: Request) -> dict[str, Any]:
    """Return a batch as it is shown. If it has ended, its lines are run first."""
    await store.settle(batch, request, {"authorization": f"Bearer {batch.owner}"})
    return _shown(store, batch)


def _result(one: Outcome) -> dict[str, Any]:
    if one.status == OK:
        told: dict[str, Any] = {"response": {ENDPOINTS[one.line.path]: one.body}}
    else:
        told = {"error": {"code": 3, "message": "The request failed." if one.was_run else "Expired."}}
    return {"batch_request_id": one.line.name, "batch_result": told}


def _shown(store: Store, batch: Batch) -> dict[str, Any]:
    status, total = store.status(batch), len(batch.lines)
    is_failed, is_cancelled = status == "failed", batch.cancelled_ms is not None
    done, idle = len(batch.answered), len([one for one in batch.others if not one.was_run])
    pending = 0 if status in ENDED else total
    # Its lines are counted while its file is read.
    state = dict.fromkeys(("num_requests", "num_pending", "num_success", "num_error", "num_cancelled"), 0)
    if status not in ("validating", "failed"):
        cancelled = idle if is_cancelled else 0
        state = {
            "num_requests": total,
            "num_pending": pending,
            "num_success": done,
            "num_error": len(batch.others) - cancelled,
            "num_cancelled": cancelled,
        }
    day = datetime.fromtimestamp(batch.created_ms / MS_PER_S, UTC).strftime(DAY)
    return {
        "batch_id": batch.id,
        "name": batch.told["name"],
        "create_time": day,
        "expire_time": day,
        "create_api_key_id": "simulated",
        "cancel_time": day if is_failed or is_cancelled else None,
        "cancel_by_xai_message": "The input file is not valid." if is_failed else None,
        "state": state,
        "cost_breakdown": None,
        "input_file_id": batch.told["input_file_id"],
    }


def _refused(status: int, message: str) -> Response:
    return JSONResponse({"code": "invalid-argument", "error": message}, status)
