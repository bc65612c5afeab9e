"""The progress of a task as server-sent events. Pure.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html; site/tasks.md#follow-a-task.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

KEEP_ALIVE = ": keep-alive\n\n"
KEEP_ALIVE_S = 15
"""Proxies close a connection without data after 30 s or more."""
MAX_STREAM_S = 60
"""The length of a stream. Clients then reconnect, because each open stream occupies a process."""
RETRY = "retry: 2000\n\n"
"""The pause of a client before it reconnects, in milliseconds."""


def events_of(task: Mapping[str, Any], seq: int) -> Iterator[str]:
    """Yield the events of a task after its step number `seq`. `task` is the data of its status.

    The id of an event is the number of the step. A client that reconnects sends it as `Last-Event-ID`.
    """
    if task["status"] == "not_started":
        yield _event("queued", task, seq)
    elif task["status"] == "running":
        yield _event("progress", task, seq)
    else:
        for file in task.get("files", ()):
            yield _event("file", file)
        yield _event("end", task, seq)


def error_event(body: Mapping[str, Any]) -> str:
    """Return the event of an internal error. The client may reconnect."""
    return _event("error", body)


def _event(name: str, data: Mapping[str, Any], seq: int | None = None) -> str:
    # Files have no ids: after a break, the client gets all files again.
    event_id = "" if seq is None else f"id: {seq}\n"
    return f"event: {name}\n{event_id}data: {json.dumps(data)}\n\n"
