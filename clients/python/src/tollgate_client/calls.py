"""The parts of a call that are equal with and without asyncio: bodies, streamed lines, files, errors."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import httpx

from tollgate_client.errors import BrokenStreamError, TaskFailedError, TollgateError, unreachable
from tollgate_client.models import FINISHED, Chat, Progress, RemoteFile, TaskStatus
from tollgate_client.wire import PutFile, Reply

Messages = str | Sequence[Mapping[str, Any]]
OnProgress = Callable[[Progress], None]
DOWNLOAD_CHUNK_BYTES = 1 << 20


@contextmanager
def reaching(what: str) -> Iterator[None]:
    """Raise an error of the HTTP client as a `TollgateError`; `what` is the address."""
    try:
        yield
    except httpx.TransportError as exc:
        raise unreachable(exc) from exc
    except httpx.HTTPStatusError as exc:
        raise TollgateError(f"{what}: HTTP {exc.response.status_code}") from exc


@contextmanager
def streaming() -> Iterator[None]:
    """Raise an error of the HTTP client as a `BrokenStreamError`. A part of the stream has arrived."""
    try:
        yield
    except httpx.TransportError as exc:
        raise BrokenStreamError(f"The stream broke off: {str(exc) or type(exc).__name__}") from exc


@contextmanager
def saving(file: RemoteFile, to: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing. If writing fails, no file remains."""
    path = place_of(file, to)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as out:
            yield out
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def check_finished(task: TaskStatus) -> None:
    """Raise `TaskFailedError` if a task has failed, and `TollgateError` if it has not ended."""
    if not task.ended:
        raise TollgateError(f"Task {task.id} is {task.status}. Call wait() before save().")
    if task.status != FINISHED:
        raise TaskFailedError(task)


def place_of(file: RemoteFile, to: str | os.PathLike[str]) -> Path:
    """Return the path under which a file is saved: in a folder, or with another name."""
    target = Path(to)
    return target / file.name if target.is_dir() else target


def form_of(put: PutFile) -> dict[str, Any]:
    """Return an upload as arguments of an httpx request: the form's fields and the file."""
    return {"data": dict(put.fields), "files": {"file": (put.name, put.content, put.content_type)}}


def chat_body(model: str, messages: Messages, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a chat request."""
    said = [{"role": "user", "content": messages}] if isinstance(messages, str) else list(messages)
    return {"model": model, "messages": said, **options}


def chat_of(reply: Reply) -> Chat:
    """Return the chat of a complete response."""
    choices = reply.body.get("choices") or [{}]
    cost = reply.headers.get("x-tollgate-cost-micro-usd")
    return Chat(
        text=(choices[0].get("message") or {}).get("content") or "",
        usage=reply.body.get("usage"),
        cost_micro_usd=int(cost) if cost is not None and cost.isdigit() else None,
        data=reply.body,
    )


def text_of(line: str) -> str | None:
    """Return the text in one line of an event stream, or `None` at its end. Raises `BrokenStreamError`."""
    if not line.startswith("data:"):
        return ""
    said = line.removeprefix("data:").strip()
    if said == "[DONE]":
        return None
    chunk = json.loads(said)
    if "error" in chunk:
        raise BrokenStreamError(chunk["error"].get("message") or "The response broke off.")
    choices = chunk.get("choices") or [{}]
    return (choices[0].get("delta") or {}).get("content") or ""
