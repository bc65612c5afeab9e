"""OpenAI's files and Batch API.

Source: `openai.types.batch`, `batch_create_params`, `file_create_params` and `resources/batches.py` of the
package openai 3.57.0, and https://platform.openai.com/docs/guides/batch. INFERRED: the words of errors, and
the order of results. The documentation only says that it can differ from the input.

Each line is answered by the route of its endpoint. Words in the file of a batch direct the whole batch:

| words | effect |
|---|---|
| `[[batch-slow 60]]` | it takes 60 s |
| `[[batch-lost]]` | it is created, but the first response is lost |
| `[[batch-vanish]]` | the first create has no response and no effect |
| `[[batch-refuse]]`, `[[batch-busy 2]]` | its create gets 400; the first 2 creates get 429 |
| `[[batch-fail]]` | it fails before a line is run, because the queue has too many tokens |
| `[[batch-expire]]` | it expires after half of its lines |
| `[[batch-stuck]]` | it is in progress until it is cancelled |
| `[[batch-gone]]` | it is unknown after its create |
"""

import json
import re
from collections import OrderedDict
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any
from uuid import uuid4

import httpx
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.wire import LostAnswerError, api_key, form_parts, json_object

MAX_STORED = 1_000
MAX_LINES = 50_000
MAX_PAGE = 100
MAX_PAIRS, MAX_NAME, MAX_VALUE = 16, 64, 512
MIN_EXPIRY_S, MAX_EXPIRY_S = 3600, 30 * 24 * 3600
WINDOW_S = 24 * 3600
ENDPOINTS = ("/v1/chat/completions", "/v1/responses", "/v1/embeddings", "/v1/moderations")
DEFAULT_MS = 2_000
# The longest time from its cancel to its end. OpenAI takes up to 10 minutes.
CANCELLING_MS = 500
# How long a batch is validated, of its whole time.
VALIDATING_SHARE = 4
_OK, _BAD, _KEY, _UNKNOWN, _BUSY = 200, 400, 401, 404, 429
_WORDS = re.compile(r"\[\[batch-([a-z]+)(?: (\d+))?\]\]")


@dataclass(slots=True)
class _File:
    id: str
    owner: str
    name: str
    purpose: str
    data: bytes
    created_s: int


@dataclass(slots=True)
class _Batch:
    id: str
    owner: str
    file: _File
    endpoint: str
    metadata: dict[str, str] | None
    created_ms: int
    duration_ms: int
    words: dict[str, int]
    errors: list[dict[str, Any]]
    lines: list[dict[str, Any]]
    cancelled_ms: int | None = None
    outputs: dict[str, _File | None] = field(default_factory=dict)
    is_run: bool = False
    counts: dict[str, int] = field(default_factory=dict)

    def status(self, now_ms: int) -> str:
        if self.errors or "fail" in self.words:
            return "failed"
        if self.cancelled_ms is not None:
            wait_ms = min(self.duration_ms // 2, CANCELLING_MS)
            return "cancelled" if now_ms >= self.cancelled_ms + wait_ms else "cancelling"
        age_ms = now_ms - self.created_ms
        if age_ms < self.duration_ms // VALIDATING_SHARE:
            return "validating"
        if age_ms < self.duration_ms or "stuck" in self.words:
            return "in_progress"
        return "expired" if "expire" in self.words else "completed"

    def run_share(self) -> int:
        """Return how many lines were run."""
        if self.cancelled_ms is None:
            return len(self.lines) // 2 if "expire" in self.words else len(self.lines)
        age_ms = self.cancelled_ms - self.created_ms
        return len(self.lines) * age_ms // self.duration_ms if self.duration_ms > age_ms else len(self.lines)


class _Store:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.files: OrderedDict[str, _File] = OrderedDict()
        self.batches: OrderedDict[str, _Batch] = OrderedDict()
        self.creates: OrderedDict[str, int] = OrderedDict()

    def add_file(self, owner: str, name: str, purpose: str, data: bytes) -> _File:
        made = _File(f"file-{uuid4().hex}", owner, name, purpose, data, self.engine.now_ms() // MS_PER_S)
        _keep(self.files, made.id, made)
        return made

    async def ended(self, batch: _Batch, request: Request) -> dict[str, Any]:
        """Return a batch as it is shown. If it has ended, its lines are run first."""
        status = batch.status(self.engine.now_ms())
        if not batch.is_run and status in ("completed", "expired", "cancelled"):
            await self._run(batch, request, status)
        return self.shown(batch)

    async def _run(self, batch: _Batch, request: Request, status: str) -> None:
        """Run the lines of a batch, and store their results in another order."""
        batch.is_run = True
        ran = batch.run_share()
        outputs: list[dict[str, Any]] = []
        errors: list[dict[str, Any]] = []
        transport = httpx.ASGITransport(request.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://simulator") as client:
            for number, line in enumerate(batch.lines):
                result = await self._result(client, batch, line, status, is_run=number < ran)
                is_answer = result["response"] is not None and result["response"]["status_code"] == _OK
                (outputs if is_answer else errors).append(result)
        batch.counts = {"total": len(batch.lines), "completed": len(outputs), "failed": len(errors)}
        for name, lines in (("output", outputs), ("error", errors)):
            data = b"".join(json.dumps(line).encode() + b"\n" for line in reversed(lines))
            batch.outputs[name] = (
                self.add_file(batch.owner, f"{batch.id}_{name}.jsonl", "batch_output", data)
                if lines
                else None
            )

    async def _result(
        self, client: httpx.AsyncClient, batch: _Batch, line: dict[str, Any], status: str, *, is_run: bool
    ) -> dict[str, Any]:
        shown = {"id": f"batch_req_{uuid4().hex}", "custom_id": line["custom_id"]}
        if not is_run:
            error = {"code": f"batch_{status}", "message": "This request was not executed."}
            return {**shown, "response": None, "error": error}
        path = f"/{self.engine.provider}{batch.endpoint}"
        sent = {"authorization": f"Bearer {batch.owner}"}
        try:
            answer = await client.post(path, json=line["body"], headers=sent, timeout=60)
            body = answer.json()
        except (httpx.HTTPError, ValueError, KeyError, AssertionError):
            return {**shown, "response": None, "error": {"code": "server_error", "message": "No response."}}
        told = {"status_code": answer.status_code, "request_id": uuid4().hex, "body": body}
        return {**shown, "response": told, "error": None}

    def shown(self, batch: _Batch) -> dict[str, Any]:
        now_ms = self.engine.now_ms()
        status = batch.status(now_ms)
        created_s = batch.created_ms // MS_PER_S
        files = {name: None if made is None else made.id for name, made in batch.outputs.items()}
        times = dict.fromkeys(
            ("in_progress", "finalizing", "completed", "failed", "expired", "cancelling", "cancelled")
        )
        times |= {status: now_ms // MS_PER_S} if status in times else {}
        fault = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached."}
        errors = batch.errors or [{**fault, "param": None, "line": None}]
        return {
            "id": batch.id,
            "object": "batch",
            "endpoint": batch.endpoint,
            "errors": {"object": "list", "data": errors} if status == "failed" else None,
            "input_file_id": batch.file.id,
            "completion_window": "24h",
            "status": status,
            "output_file_id": files.get("output"),
            "error_file_id": files.get("error"),
            "created_at": created_s,
            "expires_at": created_s + WINDOW_S,
            **{f"{name}_at": at for name, at in times.items()},
            "request_counts": batch.counts or {"total": 0, "completed": 0, "failed": 0},
            "metadata": batch.metadata,
        }


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the routes of files and batches."""
    store = _Store(engine)
    _add_files(routes, store)
    _add_one(routes, store)

    @routes.post("/v1/batches")
    async def create(request: Request) -> Response:
        owner, body = api_key(request, "Bearer"), await json_object(request) or {}
        if owner is None:
            return _refused(_KEY, "Incorrect API key provided.")
        reason = _create_refusal(store, owner, body)
        return _created(store, owner, body) if reason is None else _refused(_BAD, reason)

    @routes.get("/v1/batches")
    async def listed(request: Request, limit: int = 20, after: str | None = None) -> Response:
        owner = api_key(request, "Bearer")
        if owner is None:
            return _refused(_KEY, "Incorrect API key provided.")
        own = [one for one in reversed(store.batches.values()) if one.owner == owner]
        ids = [one.id for one in own]
        if not 1 <= limit <= MAX_PAGE or (after is not None and after not in ids):
            return _refused(_BAD, "Invalid 'limit' or 'after'.")
        first = 0 if after is None else ids.index(after) + 1
        page = [await store.ended(one, request) for one in own[first : first + limit]]
        return JSONResponse(
            {
                "object": "list",
                "data": page,
                "first_id": page[0]["id"] if page else None,
                "last_id": page[-1]["id"] if page else None,
                "has_more": first + limit < len(own),
            }
        )


def _add_one(routes: APIRouter, store: _Store) -> None:
    def found(request: Request, batch_id: str) -> _Batch | None:
        batch = store.batches.get(batch_id)
        is_there = batch is not None and "gone" not in batch.words
        return batch if batch is not None and is_there and batch.owner == api_key(request, "Bearer") else None

    @routes.get("/v1/batches/{batch_id}")
    async def retrieve(request: Request, batch_id: str) -> Response:
        if (batch := found(request, batch_id)) is None:
            return _refused(_UNKNOWN, f"No batch found with id '{batch_id}'.")
        return JSONResponse(await store.ended(batch, request))

    @routes.post("/v1/batches/{batch_id}/cancel")
    async def cancel(request: Request, batch_id: str) -> Response:
        if (batch := found(request, batch_id)) is None:
            return _refused(_UNKNOWN, f"No batch found with id '{batch_id}'.")
        status = batch.status(store.engine.now_ms())
        if status in ("completed", "failed", "expired"):
            return _refused(_BAD, f"Cannot cancel a batch with status '{status}'.")
        if batch.cancelled_ms is None:
            batch.cancelled_ms = store.engine.now_ms()
        return JSONResponse(await store.ended(batch, request))


def _add_files(routes: APIRouter, store: _Store) -> None:
    def found(request: Request, file_id: str) -> _File | None:
        made = store.files.get(file_id)
        return made if made is not None and made.owner == api_key(request, "Bearer") else None

    @routes.post("/v1/files")
    async def upload(request: Request) -> Response:
        owner = api_key(request, "Bearer")
        if owner is None:
            return _refused(_KEY, "Incorrect API key provided.")
        parts = await form_parts(request)
        if (reason := _upload_refusal(parts)) is not None:
            return _refused(_BAD, reason)
        data = parts["file"].get_payload(decode=True)
        name = parts["file"].get_filename() or "file"
        made = store.add_file(owner, name, _text(parts["purpose"]), data if isinstance(data, bytes) else b"")
        return JSONResponse(_shown_file(made))

    @routes.get("/v1/files/{file_id}")
    async def retrieve(request: Request, file_id: str) -> Response:
        made = found(request, file_id)
        return _refused(_UNKNOWN, "No such File object.") if made is None else JSONResponse(_shown_file(made))

    @routes.get("/v1/files/{file_id}/content")
    async def content(request: Request, file_id: str) -> Response:
        made = found(request, file_id)
        if made is None:
            return _refused(_UNKNOWN, "No such File object.")
        return Response(made.data, media_type="application/octet-stream")


def _created(store: _Store, owner: str, body: dict[str, Any]) -> Response:
    file = store.files[body["input_file_id"]]
    words = {name: int(count or 1) for name, count in _WORDS.findall(file.data.decode("utf-8", "replace"))}
    # A second file of the same lines is the same work.
    asked = file.data.decode("utf-8", "replace")
    number = store.creates[asked] = store.creates.get(asked, 0) + 1
    _trim(store.creates)
    if "refuse" in words:
        return _refused(_BAD, "The batch was refused.")
    if number <= words.get("busy", 0):
        return _refused(_BUSY, "Too many batches were created.")
    if "vanish" in words and number == 1:
        raise LostAnswerError
    errors, lines = _read(file.data, body["endpoint"])
    usual_ms = store.engine.duration_ms
    duration_ms = DEFAULT_MS if usual_ms is None else usual_ms
    made = _Batch(
        f"batch_{uuid4().hex}",
        owner,
        file,
        body["endpoint"],
        body.get("metadata"),
        store.engine.now_ms(),
        words["slow"] * MS_PER_S if "slow" in words else duration_ms,
        words,
        errors,
        lines,
    )
    _keep(store.batches, made.id, made)
    if "lost" in words and number == 1:
        raise LostAnswerError
    return JSONResponse(store.shown(made))


def _create_refusal(store: _Store, owner: str, body: dict[str, Any]) -> str | None:
    """Return the reason to refuse the create of a batch."""
    file, metadata = store.files.get(str(body.get("input_file_id"))), body.get("metadata")
    known = {"input_file_id", "endpoint", "completion_window", "metadata", "output_expires_after"}
    if unknown := body.keys() - known:
        return f"Unknown parameter: '{min(unknown)}'."
    if file is None or file.owner != owner or file.purpose != "batch":
        return "Invalid input_file_id."
    if body.get("endpoint") not in ENDPOINTS or body.get("completion_window") != "24h":
        return "Invalid endpoint or completion_window."
    if metadata is not None and not _is_metadata(metadata):
        return "Invalid metadata."
    expiry = body.get("output_expires_after")
    is_expiry = expiry is None or (
        expiry.get("anchor") == "created_at" and MIN_EXPIRY_S <= expiry.get("seconds", 0) <= MAX_EXPIRY_S
    )
    return None if is_expiry else "Invalid output_expires_after."


def _is_metadata(pairs: Any) -> bool:
    return (
        isinstance(pairs, dict)
        and len(pairs) <= MAX_PAIRS
        and all(
            isinstance(value, str) and len(name) <= MAX_NAME and len(value) <= MAX_VALUE
            for name, value in pairs.items()
        )
    )


def _upload_refusal(parts: dict[str, EmailMessage]) -> str | None:
    """Return the reason to refuse an upload."""
    if "file" not in parts or "purpose" not in parts:
        return "'file' and 'purpose' are required."
    if _text(parts["purpose"]) not in ("batch", "user_data", "assistants", "vision", "fine-tune", "evals"):
        return "Invalid purpose."
    seconds = parts.get("expires_after[seconds]")
    if seconds is not None and not MIN_EXPIRY_S <= int(_text(seconds)) <= MAX_EXPIRY_S:
        return "Invalid expires_after."
    return None


def _read(data: bytes, endpoint: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the errors of an input, and its lines."""
    errors: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []

    def refuse(number: int, code: str, message: str) -> None:
        errors.append({"code": code, "message": message, "param": None, "line": number})

    names: set[str] = set()
    for number, text in enumerate(data.splitlines(), 1):
        try:
            line = json.loads(text)
            name, model = str(line["custom_id"]), line["body"]["model"]
        except (ValueError, KeyError, TypeError):
            refuse(number, "invalid_json_line", "This line is not parseable as valid JSON.")
            continue
        if line.get("method") != "POST" or line.get("url") != endpoint:
            refuse(number, "invalid_url", "The URL does not match the batch endpoint.")
        if name in names:
            refuse(number, "duplicate_custom_id", "The custom_id is not unique.")
        if lines and model != lines[0]["body"]["model"]:
            refuse(number, "mismatched_model", "Each batch has one model.")
        names.add(name)
        lines.append(line)
    if not lines or len(lines) > MAX_LINES:
        refuse(0, "empty_file" if not lines else "too_many_requests", "The number of lines is not allowed.")
    return errors, lines


def _shown_file(made: _File) -> dict[str, Any]:
    return {
        "id": made.id,
        "object": "file",
        "bytes": len(made.data),
        "created_at": made.created_s,
        "filename": made.name,
        "purpose": made.purpose,
        "status": "processed",
    }


def _text(part: EmailMessage) -> str:
    return str(part.get_content()).strip()


def _refused(status: int, message: str) -> Response:
    kind = "rate_limit_error" if status == _BUSY else "invalid_request_error"
    error = {"message": message, "type": kind, "param": None, "code": None}
    return JSONResponse({"error": error}, status)


def _keep(stored: "OrderedDict[str, Any]", name: str, value: Any) -> None:
    stored[name] = value
    _trim(stored)


def _trim(stored: "OrderedDict[str, Any]") -> None:
    while len(stored) > MAX_STORED:
        stored.popitem(last=False)
