"""Customers of every kind, over HTTP: those who pay and wait, those who leave, and those who mean harm.

Each kind is a function that makes one visit and asserts what came of it. A visit counts as one request for
each HTTP request that it makes.
"""

import base64
import html
import io
import json
import os
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlsplit

import httpx
from PIL import Image

from tests.support.customer import TERMINAL
from tollgate.accounts.service import OpenedAccount

TIMEOUT_S = 60.0
MAX_POLLS = 60
POLL_S = 0.5
TEXT_MODELS = ("gpt-5.4-mini", "claude-haiku-5-5", "deepseek-v4-pro")
PEOPLE = 5
"""Who signs in at the dashboard: the same few, as a new one is a new account, which is there to stay."""
LEFT_AFTER = 3
"""Chunks that are read of a stream before its reader leaves."""
STALLED_S = 8.0
PAGES = (
    "/",
    "/docs",
    "/models/z-image",
    "/api/v1/catalog",
    "/api/v1/openapi.json",
    "/api/v1/catalog/z-image",
)
INNER = ("", "/tasks", "/keys", "/webhooks", "/playground", "/chat", "/top-up", "/catalog")
POSTS = (
    "/api/v1/generation/create",
    "/api/v1/generation/estimate",
    "/api/v1/chat/completions",
    "/api/v1/messages",
    "/api/v1/responses",
    "/api/v1/images/generations",
    "/api/v1/files",
    "/api/v1/keys",
    "/mcp",
)
BAD_BODIES = (
    b"",
    b"{",
    b"[]",
    b'{"model": 5}',
    b'{"a":' * 3_000 + b"1" + b"}" * 3_000,
    b'{"model": "z-image", "input": {"prompt": NaN}}',
    b'{"model": "\\ud800", "messages": []}',
    b'{"n": ' + b"9" * 6_000 + b"}",
    b"\xff\xfe\x00",
    json.dumps({f"field{n}": n for n in range(5_000)}).encode(),
)


def _png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (640, 640), (200, 30, 30)).save(file, "PNG")
    return file.getvalue()


PNG = _png()


@dataclass
class Visitor:
    """One customer with a connection pool, and what the visits came to."""

    account: OpenedAccount
    base_url: str
    webhook: str
    http: httpx.Client
    random: Random
    requests: Counter[str] = field(default_factory=Counter)

    def send(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Send one request and count it."""
        answer = self.http.request(method, path, **more)
        self.requests["all"] += 1
        return answer

    def data(self, method: str, path: str, **more: Any) -> Any:
        """Return the `data` of an answer that must be 200."""
        answer = self.send(method, path, **more)
        assert answer.status_code == 200, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json()["data"]


def chat(visitor: Visitor) -> None:
    body = _chat(visitor, "Say hello [[tokens 60]]")
    answer = visitor.send("POST", "/api/v1/chat/completions", json=body)
    assert answer.status_code == 200, answer.text[:500]
    assert answer.json()["usage"]["completion_tokens"] == 60


def stream(visitor: Visitor) -> None:
    body = _chat(visitor, "Say hello [[tokens 80]]") | {"stream": True}
    with visitor.http.stream("POST", "/api/v1/chat/completions", json=body) as answer:
        assert answer.status_code == 200
        assert list(answer.iter_lines())[-2:] == ["data: [DONE]", ""]
    visitor.requests["all"] += 1


def messages(visitor: Visitor) -> None:
    said = [{"role": "user", "content": "Say hello [[think]]"}]
    body = {"model": "claude-haiku-5-5", "max_tokens": 200, "stream": True, "messages": said}
    with visitor.http.stream("POST", "/api/v1/messages", json=body) as answer:
        assert answer.status_code == 200
        assert "message_stop" in answer.read().decode()
    visitor.requests["all"] += 1


def stored_response(visitor: Visitor) -> None:
    body = {"model": "gpt-5.4-mini", "input": "Say hello"}
    made = visitor.send("POST", "/api/v1/responses", json=body)
    assert made.status_code == 200, made.text[:500]
    path = f"/api/v1/responses/{made.json()['id']}"
    assert visitor.send("GET", path).status_code == 200
    assert visitor.send("DELETE", path).status_code == 200


def refused_chat(visitor: Visitor) -> None:
    words = visitor.random.choice(("[[reject]]", "[[garbage]]", "[[no-usage]]", "[[stream-cut 4]]"))
    body = _chat(visitor, f"Say hello {words}") | {"stream": visitor.random.random() < 0.5}
    answer = visitor.send("POST", "/api/v1/chat/completions", json=body)
    assert answer.status_code in {200, 400, 502, 503}, answer.text[:500]


def abandoned_stream(visitor: Visitor) -> None:
    body = _chat(visitor, "Tell a story [[tokens 300]] [[delay 15]]") | {"stream": True}
    with visitor.http.stream("POST", "/api/v1/chat/completions", json=body) as answer:
        assert answer.status_code == 200
        for number, _ in enumerate(answer.iter_lines()):
            if number == LEFT_AFTER:
                break
    visitor.requests["all"] += 1


def stalled_stream(visitor: Visitor) -> None:
    """Ask for a stream, read nothing of it, and go without a word."""
    body = json.dumps(_chat(visitor, "Tell a story [[tokens 4000]]") | {"stream": True}).encode()
    with _connected(visitor) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.sendall(_head(visitor, "POST /api/v1/chat/completions", len(body)) + body)
        time.sleep(STALLED_S)
        # Reset, not closed: nobody reads what is under way.
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    visitor.requests["all"] += 1


def half_a_request(visitor: Visitor) -> None:
    """Announce a body, send half of it, and leave."""
    with _connected(visitor) as line:
        line.sendall(_head(visitor, "POST /api/v1/generation/create", 1_000) + b'{"model": "z-image"')
        time.sleep(visitor.random.random())
    visitor.requests["all"] += 1


def generation(visitor: Visitor) -> None:
    kinds: Sequence[dict[str, Any]] = (
        {"model": "z-image", "input": {"prompt": "a fox", "size": "1:1"}},
        {"model": "z-image", "input": {"prompt": "a fox [[fail]]", "size": "1:1"}},
        {"model": "z-image", "input": {"prompt": "a fox [[truncate]]", "size": "1:1"}},
        {"model": "seedream-4.5", "input": {"prompt": "a fox", "urls": [_data_uri()]}},
        {"model": "seedance-1.5-pro", "input": {"prompt": "a fox [[slow 1]]"}},
        {"model": "suno", "input": {"action": "music", "prompt": "a song [[slow 1]]"}},
    )
    body = visitor.random.choices(kinds, weights=(8, 2, 1, 2, 1, 1))[0]
    price = visitor.data("POST", "/api/v1/generation/estimate", json=body)["price"]
    sent = {**body, "webhook": visitor.webhook, "maxCostCents": price}
    task_id = visitor.data("POST", "/api/v1/generation/create", json=sent)["taskId"]
    if visitor.random.random() < 0.1:
        visitor.data("POST", f"/api/v1/task/cancel/{task_id}")
    for _ in range(MAX_POLLS):
        task = visitor.data("GET", f"/api/v1/task/status/{task_id}")
        if task["status"] in TERMINAL:
            break
        time.sleep(POLL_S)
    for file in task.get("files", []):
        assert len(httpx.get(file["fileUrl"], timeout=TIMEOUT_S).content) == file["bytes"]
    visitor.data("GET", "/api/v1/tasks?limit=5")


def image_by_openai(visitor: Visitor) -> None:
    body = {"model": "z-image", "prompt": "a fox", "size": "1024x1024", "response_format": "b64_json"}
    answer = visitor.send("POST", "/api/v1/images/generations", json=body)
    assert answer.status_code in {200, 504}, answer.text[:500]


def uploaded_file(visitor: Visitor) -> None:
    body = {"filename": "a.png", "contentType": "image/png", "bytes": len(PNG)}
    made = visitor.data("POST", "/api/v1/files", json=body)
    form = made["upload"]
    sent = httpx.post(form["url"], data=form["fields"], files={"file": PNG}, timeout=TIMEOUT_S)
    assert sent.status_code in {200, 201, 204}, sent.text[:500]
    asked = {"model": "seedream-4.5", "input": {"prompt": "a fox", "urls": [made["id"]]}}
    visitor.data("POST", "/api/v1/generation/estimate", json=asked)
    visitor.data("DELETE", f"/api/v1/files/{made['id']}")


def a_key(visitor: Visitor) -> None:
    """Make a key, use it, and take it back."""
    made = visitor.data("POST", "/api/v1/keys", json={"name": "soak", "scopes": ["account"]})
    headers = {"authorization": f"Bearer {made['key']}"}
    visitor.data("GET", "/api/v1/user/me", headers=headers)
    visitor.data("DELETE", f"/api/v1/keys/{made['id']}")


def public_pages(visitor: Visitor) -> None:
    path = visitor.random.choice(PAGES)
    answer = visitor.send("GET", path, headers={"authorization": ""})
    assert answer.status_code == 200, f"{path}: {answer.status_code}"


def dashboard(visitor: Visitor) -> None:
    """Sign in, look around, sign out."""
    name = f"person{visitor.random.randrange(PEOPLE)}@example.com"
    with httpx.Client(base_url=visitor.base_url, timeout=TIMEOUT_S) as browser:
        browser.headers["origin"] = visitor.base_url
        browser.headers["x-csrf-token"] = _token(browser.get("/dashboard/sign-in").text)
        signed = browser.post(
            "/dashboard/sign-in/development/email", data={"email": name}, headers={"hx-request": "true"}
        )
        assert signed.headers.get("hx-redirect") == "/dashboard", signed.text[:500]
        for path in visitor.random.sample(INNER, 4):
            page = browser.get(f"/dashboard{path}")
            assert page.status_code == 200, f"{path}: {page.status_code}"
        browser.headers["x-csrf-token"] = _token(browser.get("/dashboard").text)
        assert browser.post("/dashboard/sign-out", headers={"hx-request": "true"}).status_code == 200
    visitor.requests["all"] += 8


def agent(visitor: Visitor) -> None:
    """Ask the tools' server, as agents do."""
    headers = {"accept": "application/json, text/event-stream"}
    call = {"name": "balance", "arguments": {}}
    for method, params in (("tools/list", {}), ("tools/call", call)):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = visitor.send("POST", "/mcp", json=body, headers=headers)
        assert answer.status_code == 200, answer.text[:500]
        assert "result" in answer.json()


def bad_bodies(visitor: Visitor) -> None:
    body, path = visitor.random.choice(BAD_BODIES), visitor.random.choice(POSTS)
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    answer = visitor.send("POST", path, content=body, headers=headers)
    assert 400 <= answer.status_code < 500, f"{path} {body[:40]!r}: {answer.status_code}"
    assert len(answer.content) < 64 * 1024


def strangers(visitor: Visitor) -> None:
    """Come without a key, with a wrong one, or for something of somebody else."""
    ids = ("task_01M7Y2Q4WSP59F26XXE50F2Y69", os.urandom(8).hex(), "x" * 3_000)
    path = visitor.random.choice(("task/status", "files", "keys", "responses", "requests"))
    method = "GET" if path in {"task/status", "responses"} else "DELETE"
    known = visitor.random.random() < 0.5
    headers = {} if known else {"authorization": f"Bearer {visitor.random.choice(ids)}"}
    answer = visitor.send(method, f"/api/v1/{path}/{visitor.random.choice(ids)}", headers=headers)
    assert answer.status_code in ({404} if known else {401}), answer.text[:500]


KINDS: Sequence[tuple[Callable[[Visitor], None], int]] = (
    (chat, 12),
    (stream, 12),
    (messages, 6),
    (stored_response, 3),
    (refused_chat, 4),
    (abandoned_stream, 6),
    (stalled_stream, 1),
    (half_a_request, 3),
    (generation, 8),
    (image_by_openai, 1),
    (uploaded_file, 3),
    (a_key, 2),
    (public_pages, 6),
    (dashboard, 4),
    (agent, 2),
    (bad_bodies, 10),
    (strangers, 6),
)
"""Each kind of visit, and how often it comes beside the others."""


@dataclass
class Traffic:
    """Visitors who come until they are told to stop, each at most `most` times.

    One whose visit fails tries it once more, as people do: a lost answer of a provider may have spoiled it.
    """

    visitors: Sequence[Visitor]
    most: int
    pause_s: float
    failures: list[str] = field(default_factory=list)
    spoiled: list[str] = field(default_factory=list)
    """Why visits failed that went well when they were tried once more."""
    visits: Counter[str] = field(default_factory=Counter)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def begin(self) -> None:
        """Let them come."""
        for visitor in self.visitors:
            self._threads.append(threading.Thread(target=self._come, args=(visitor,), daemon=True))
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Wait until the last visit is over."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(MAX_POLLS * POLL_S + 2 * TIMEOUT_S)

    @property
    def requests(self) -> int:
        """Return how many requests there were so far."""
        return sum(visitor.requests["all"] for visitor in self.visitors)

    def _come(self, visitor: Visitor) -> None:
        kinds, weights = zip(*KINDS, strict=True)
        for _ in range(self.most):
            if self._stopping.wait(self.pause_s):
                return
            visit = visitor.random.choices(kinds, weights)[0]
            wrong = _failure_of(visit, visitor)
            if wrong is not None:
                is_spoiled = _failure_of(visit, visitor) is None
                (self.spoiled if is_spoiled else self.failures).append(wrong)
            self.visits[visit.__name__] += 1


def _failure_of(visit: Callable[[Visitor], None], visitor: Visitor) -> str | None:
    """Make a visit; return what was wrong with it."""
    try:
        visit(visitor)
    except (AssertionError, httpx.HTTPError, OSError, KeyError, ValueError) as exc:
        return f"{visit.__name__}: {type(exc).__name__}: {exc}"[:500]
    return None


def _chat(visitor: Visitor, prompt: str) -> dict[str, Any]:
    model = visitor.random.choice(TEXT_MODELS)
    return {"model": model, "max_tokens": 5_000, "messages": [{"role": "user", "content": prompt}]}


def _data_uri() -> str:
    return f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


def _token(page: str) -> str:
    found = re.search(r"""hx-headers=(?:"([^"]*)"|'([^']*)')""", page)
    assert found is not None, page[:500]
    return str(json.loads(html.unescape(found[1] or found[2]))["x-csrf-token"])


def _connected(visitor: Visitor) -> socket.socket:
    where = urlsplit(visitor.base_url)
    return socket.create_connection((where.hostname, where.port), TIMEOUT_S)


def _head(visitor: Visitor, line: str, length: int) -> bytes:
    return (
        f"{line} HTTP/1.1\r\nHost: {urlsplit(visitor.base_url).netloc}\r\n"
        f"Authorization: Bearer {visitor.account.api_key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()
