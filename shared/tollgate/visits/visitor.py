"""One visit: the first steps of a customer, at the public address, on models that cost nothing.

The reason of a failed step contains no prompt, key or address, because it goes into the log.
"""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

PAGE_PATH = "/"
# The head of every page.
PAGE_MARK = "<html"
CHAT_MODEL, IMAGE_MODEL = "test-chat", "test-image"
PROMPT = "visit"
# The test model's response (site/test-models.md).
CHAT_ANSWER = f"You wrote: {PROMPT}"
STREAM_END = "[DONE]"
# A word of the answer is a line or two.
MAX_STREAM_LINES = 200
PNG = b"\x89PNG"
ENDED = frozenset({"finished", "failed", "expired"})
# Each look waits on the other side; an image of the test model is there after a second.
WAIT_S = 20
MAX_READS = 3
# API Gateway gives up after 29 s.
TIMEOUT_S = 29.0
# A single slow start or lost packet is no failure.
TRIES = 2
PAUSE_S = 10.0
# Requests of the longest step, each of which takes TIMEOUT_S at most while bytes keep coming.
MAX_REQUESTS = {"page": 1, "chat": 1, "image": MAX_READS + 3}
LONGEST_VISIT_S = sum(TRIES * requests * TIMEOUT_S + PAUSE_S for requests in MAX_REQUESTS.values())


class VisitError(Exception):
    """A step did not end as a customer expects; the text says how, without a prompt, a key or an address."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A step that failed at each try, and how the last one failed."""

    step: str
    reason: str


class Visitor:
    """A customer of the service at `base_url`, whose key `read_key` gives or raises `VisitError`.

    `pause` waits for a number of seconds before a step is tried again.
    """

    def __init__(self, base_url: str, read_key: Callable[[], str], pause: Callable[[float], None]) -> None:
        self._base_url = base_url.rstrip("/")
        self._read_key = read_key
        self._pause = pause

    def visit(self) -> list[Failure]:
        """Do every step; return those that failed, which stop no other."""
        try:
            headers = {"authorization": f"Bearer {self._read_key()}"}
        except VisitError as exc:
            return [Failure("key", str(exc))]
        # A proxy of the environment is no customer's way.
        with httpx.Client(base_url=self._base_url, timeout=TIMEOUT_S, trust_env=False) as client:
            client.headers.update(headers)
            steps = {"page": _page, "chat": _chat, "image": _image}
            tried = [self._tried(name, step, client) for name, step in steps.items()]
        return [failure for failure in tried if failure is not None]

    def _tried(self, name: str, step: Callable[[httpx.Client], None], client: httpx.Client) -> Failure | None:
        reason = ""
        for attempt in range(TRIES):
            if attempt:
                self._pause(PAUSE_S)
            try:
                step(client)
            except VisitError as exc:
                reason = str(exc)
            except httpx.HTTPError as exc:
                # Its text may name the address
                reason = type(exc).__name__
            else:
                return None
        return Failure(name, reason)


def _page(client: httpx.Client) -> None:
    response = client.get(PAGE_PATH)
    _expect(response, "page")
    if PAGE_MARK not in response.text:
        raise VisitError("the page is invalid")


def _chat(client: httpx.Client) -> None:
    body = {
        "model": CHAT_MODEL,
        "stream": True,
        "messages": [{"role": "user", "content": PROMPT}],
    }
    said, has_ended = "", False
    with client.stream("POST", "/api/v1/chat/completions", json=body) as response:
        _expect(response, "chat")
        for number, line in enumerate(response.iter_lines()):
            if number >= MAX_STREAM_LINES:
                raise VisitError("the stream has no end")
            data = line.removeprefix("data: ")
            if data == STREAM_END:
                has_ended = True
            elif data != line:
                said += _word(data)
    if said.strip() != CHAT_ANSWER:
        raise VisitError("the chat returned a different text")
    if not has_ended:
        raise VisitError("the stream broke off")


def _word(data: str) -> str:
    try:
        choices = json.loads(data)["choices"]
        return str(choices[0]["delta"].get("content") or "") if choices else ""
    except (ValueError, LookupError, TypeError, AttributeError) as exc:
        raise VisitError("an event of the stream cannot be read") from exc


def _image(client: httpx.Client) -> None:
    body = {"model": IMAGE_MODEL, "input": {"prompt": PROMPT}}
    # Another one at each try: a task that hangs is not asked for again.
    headers = {"idempotency-key": f"visit-{uuid.uuid4()}"}
    task_id = _field(client.post("/api/v1/generation/create", json=body, headers=headers), "taskId", "create")
    for _ in range(MAX_READS):
        task = _data(client.get(f"/api/v1/task/status/{task_id}", params={"wait": WAIT_S}), "status")
        if task.get("status") in ENDED:
            break
    if task.get("status") != "finished":
        raise VisitError(f"the task is {task.get('status')}")
    try:
        address = str(task["files"][0]["fileUrl"])
    except (LookupError, TypeError) as exc:
        raise VisitError("the task has no file") from exc
    _file(address)
    _expect(client.delete(f"/api/v1/task/files/{task_id}"), "deletion")


def _file(address: str) -> None:
    """Read the file without the key, because its address is on another host."""
    response = httpx.get(address, timeout=TIMEOUT_S, trust_env=False)
    _expect(response, "file")
    if not response.content.startswith(PNG):
        raise VisitError("the file is not an image")


def _field(response: httpx.Response, name: str, what: str) -> str:
    value = _data(response, what).get(name)
    if not isinstance(value, str):
        raise VisitError(f"{what} has no {name}")
    return value


def _data(response: httpx.Response, what: str) -> dict[str, Any]:
    _expect(response, what)
    try:
        data = response.json()["data"]
    except (ValueError, LookupError, TypeError) as exc:
        raise VisitError(f"{what} cannot be read") from exc
    if not isinstance(data, dict):
        raise VisitError(f"{what} cannot be read")
    return data


def _expect(response: httpx.Response, what: str) -> None:
    if response.status_code != httpx.codes.OK:
        raise VisitError(f"{what} is answered {response.status_code}")
