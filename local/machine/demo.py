"""`make demo`: the main functions of the running service, used like a customer."""

import time
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from local.machine.files import FOLDER, Service
from local.processes import LocalError
from tollgate.kit.money import dollars

TIMEOUT_S = 60.0
POLL_S = 0.2
TERMINAL = ("finished", "failed", "expired")
RESULTS = FOLDER / "demo"

REQUESTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("z-image", {"prompt": "a lighthouse at dusk, oil on canvas", "size": "16:9"}),
    ("seedance-1.5-pro", {"prompt": "waves roll in under a lighthouse", "duration": 4, "resolution": "720p"}),
    ("suno", {"prompt": "a calm song about a lighthouse"}),
    ("z-image", {"prompt": "every provider fails at this one [[fail]]", "size": "1:1"}),
)


def run_demo(service: Service, console: Console) -> None:
    """Create one task of each kind and a task that fails. Print prices, states, files and the balance."""
    headers = {"authorization": f"Bearer {service.apiKey}"}
    with httpx.Client(base_url=service.baseUrl, headers=headers, timeout=TIMEOUT_S) as http:
        before = _balance(http)
        console.print(f"Balance before: [bold]{dollars(before)}[/]\n")
        for model, values in REQUESTS:
            _generate(http, console, model, values)
        after = _balance(http)
        console.print(f"Balance after: [bold]{dollars(after)}[/] (spent {dollars(before - after)})")


def _generate(http: httpx.Client, console: Console, model: str, values: dict[str, Any]) -> None:
    body = {"model": model, "input": values}
    price = _data(http.post("/api/v1/generation/estimate", json=body))["price"]
    # Directions in a prompt look like rich's markup.
    console.print(f"{model}: {values['prompt']!r} costs {dollars(price)}", style="bold", markup=False)
    started = time.monotonic()
    task_id = _data(http.post("/api/v1/generation/create", json=body))["taskId"]
    task = _watch(http, console, task_id, started)
    for file in task.get("files", []):
        path = _save(file["fileUrl"], task_id)
        console.print(f"  {file['fileType']}, {file['bytes']} bytes: {file['fileUrl']}", soft_wrap=True)
        console.print(f"  saved as {path}", soft_wrap=True)
    if "error" in task:
        console.print(f"  {task['error']['code']}: {task['error']['message']}")
        console.print(f"  refunded: {dollars(task['refundedCents'])}")
    console.print()


def _watch(http: httpx.Client, console: Console, task_id: str, started: float) -> dict[str, Any]:
    seen = ""
    while time.monotonic() - started < TIMEOUT_S:
        task = _data(http.get(f"/api/v1/task/status/{task_id}"))
        if task["status"] != seen:
            seen = task["status"]
            console.print(f"  {time.monotonic() - started:5.1f} s  {seen}", highlight=False)
        if seen in TERMINAL:
            return task
        time.sleep(POLL_S)
    raise LocalError(f"{task_id} did not end in {TIMEOUT_S:g} s; the logs are in {FOLDER / 'logs'}")


def _balance(http: httpx.Client) -> int:
    balance: int = _data(http.get("/api/v1/user/me"))["balance"]
    return balance


def _save(url: str, task_id: str) -> Path:
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{task_id}-{url.rsplit('/', 1)[1]}"
    path.write_bytes(httpx.get(url).raise_for_status().content)
    return path


def _data(answer: httpx.Response) -> dict[str, Any]:
    if answer.is_error:
        raise LocalError(f"{answer.request.method} {answer.request.url}: {answer.text}")
    data: dict[str, Any] = answer.json()["data"]
    return data
