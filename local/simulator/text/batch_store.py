"""Batches of any vendor: their files, their lines and their course. The vendors' forms are in other modules.

Each line is answered by the route of its endpoint. Words in the lines of a batch direct the whole batch:

| words | effect |
|---|---|
| `[[batch-slow 200]]` | it takes 200 ms |
| `[[batch-lost]]` | it is created, but the first response is lost |
| `[[batch-vanish]]` | the first create has no response and no effect |
| `[[batch-refuse]]`, `[[batch-busy 2]]` | its create gets 400; the first 2 creates get 429 |
| `[[batch-fail]]` | it fails before a line is run |
| `[[batch-expire]]` | it expires after half of its lines |
| `[[batch-stuck]]` | it is in progress until it is cancelled |
| `[[batch-gone]]` | it is unknown after its create |
"""

import json
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
from starlette.requests import Request

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.wire import LostAnswerError

MAX_STORED = 1_000
DEFAULT_MS = 2_000
# The longest time from its cancel to its end. OpenAI takes up to 10 minutes.
CANCELLING_MS = 500
# How long a batch is validated, of its whole time.
VALIDATING_SHARE = 4
OK, BAD, KEY, UNKNOWN, BUSY = 200, 400, 401, 404, 429
# States of a batch, by OpenAI's names, with lines that were run.
WITH_RESULTS = ("completed", "expired", "cancelled")
ENDED = (*WITH_RESULTS, "failed")
_WORDS = re.compile(r"\[\[batch-([a-z]+)(?: (\d+))?\]\]")


class RefusedError(Exception):
    """The create of a batch is refused."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class File:
    """A stored file."""

    id: str
    owner: str
    name: str
    purpose: str
    data: bytes
    created_s: int


@dataclass(frozen=True, slots=True)
class Line:
    """A request of a batch. `path` is that of its endpoint here."""

    name: str
    path: str
    body: Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a line ended. Without a `status` it was not run, or had no response."""

    line: Line
    status: int | None
    body: Any = None
    was_run: bool = True


@dataclass(slots=True)
class Batch:
    """A batch. `told` are the fields of its create, and `errors` are about its lines."""

    id: str
    owner: str
    told: Mapping[str, Any]
    created_ms: int
    duration_ms: int
    words: dict[str, int]
    errors: list[dict[str, Any]]
    lines: list[Line]
    cancelled_ms: int | None = None
    outcomes: list[Outcome] | None = None
    files: dict[str, File | None] = field(default_factory=dict)

    def status(self, now_ms: int) -> str:
        """Return its state by OpenAI's names."""
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

    @property
    def answered(self) -> list[Outcome]:
        """Return the lines that were answered with 200."""
        return [one for one in self.outcomes or [] if one.status == OK]

    @property
    def others(self) -> list[Outcome]:
        """Return the lines that were run or not, and have no answer with 200."""
        return [one for one in self.outcomes or [] if one.status != OK]


class Store:
    """The files and batches of one vendor."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.files: OrderedDict[str, File] = OrderedDict()
        self.batches: OrderedDict[str, Batch] = OrderedDict()
        self.creates: OrderedDict[str, int] = OrderedDict()

    def add_file(self, owner: str, name: str, purpose: str, data: bytes, file_id: str = "") -> File:
        """Store a file."""
        made = File(
            file_id or f"file-{uuid4().hex}", owner, name, purpose, data, self.engine.now_ms() // MS_PER_S
        )
        _keep(self.files, made.id, made)
        return made

    def create(
        self,
        batch_id: str,
        owner: str,
        told: Mapping[str, Any],
        lines: list[Line],
        *,
        errors: list[dict[str, Any]] | None = None,
        text: str = "",
    ) -> Batch:
        """Create a batch of lines, whose `text` has words. Raises `RefusedError` and `LostAnswerError`."""
        # The same lines again are the same work.
        asked = text or json.dumps([[line.name, line.body] for line in lines], ensure_ascii=False)
        words = {name: int(count or 1) for name, count in _WORDS.findall(asked)}
        number = self.creates[asked] = self.creates.get(asked, 0) + 1
        _trim(self.creates)
        if "refuse" in words:
            raise RefusedError(BAD, "The batch was refused.")
        if number <= words.get("busy", 0):
            raise RefusedError(BUSY, "Too many batches were created.")
        if "vanish" in words and number == 1:
            raise LostAnswerError
        usual_ms = self.engine.duration_ms
        duration_ms = DEFAULT_MS if usual_ms is None else usual_ms
        made = Batch(
            batch_id,
            owner,
            told,
            self.engine.now_ms(),
            words.get("slow", duration_ms),
            words,
            errors or [],
            lines,
        )
        _keep(self.batches, made.id, made)
        if "lost" in words and number == 1:
            raise LostAnswerError
        return made

    def found(self, owner: str | None, batch_id: str) -> Batch | None:
        """Return a batch of its owner."""
        batch = self.batches.get(batch_id)
        is_there = batch is not None and "gone" not in batch.words
        return batch if batch is not None and is_there and batch.owner == owner else None

    def own(self, owner: str) -> list[Batch]:
        """Return the batches of an owner, the newest first."""
        return [one for one in reversed(self.batches.values()) if one.owner == owner]

    def status(self, batch: Batch) -> str:
        """Return the state of a batch now."""
        return batch.status(self.engine.now_ms())

    def cancel(self, batch: Batch) -> None:
        """Cancel a batch; a repeat changes nothing."""
        if batch.cancelled_ms is None:
            batch.cancelled_ms = self.engine.now_ms()

    async def settle(self, batch: Batch, request: Request, headers: Mapping[str, str]) -> bool:
        """Run the lines of a batch that has ended, with these headers; return whether that is new."""
        if batch.outcomes is not None or self.status(batch) not in WITH_RESULTS:
            return False
        batch.outcomes = []
        ran = batch.run_share()
        transport = httpx.ASGITransport(request.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://simulator") as client:
            for number, line in enumerate(batch.lines):
                if number < ran:
                    batch.outcomes.append(await self._outcome(client, line, headers))
                else:
                    batch.outcomes.append(Outcome(line, None, was_run=False))
        return True

    async def _outcome(self, client: httpx.AsyncClient, line: Line, headers: Mapping[str, str]) -> Outcome:
        path = f"/{self.engine.provider}{line.path}"
        try:
            answer = await client.post(path, json=line.body, headers=dict(headers), timeout=60)
            return Outcome(line, answer.status_code, answer.json())
        except (httpx.HTTPError, ValueError, KeyError, AssertionError):
            return Outcome(line, None)


def openai_line(line: dict[str, Any]) -> Line:
    """Return a line of a file in OpenAI's form."""
    return Line(str(line["custom_id"]), str(line["url"]), line["body"])


def openai_result(status: str, one: Outcome) -> dict[str, Any]:
    """Return the result of a line in OpenAI's form."""
    shown = {"id": f"batch_req_{uuid4().hex}", "custom_id": one.line.name}
    if not one.was_run:
        error = {"code": f"batch_{status}", "message": "This request was not executed."}
        return {**shown, "response": None, "error": error}
    if one.status is None:
        return {**shown, "response": None, "error": {"code": "server_error", "message": "No response."}}
    told = {"status_code": one.status, "request_id": uuid4().hex, "body": one.body}
    return {**shown, "response": told, "error": None}


def jsonl(lines: list[dict[str, Any]]) -> bytes:
    """Return lines of JSON, in another order than they ran."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in reversed(lines))


def _keep(stored: "OrderedDict[str, Any]", name: str, value: Any) -> None:
    stored[name] = value
    _trim(stored)


def _trim(stored: "OrderedDict[str, Any]") -> None:
    while len(stored) > MAX_STORED:
        stored.popitem(last=False)
