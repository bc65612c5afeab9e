"""`make run KEEP=1`: what was there when it was stopped is there when it starts again."""

import signal
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.machine.emulator import free_port
from tests.support.local_service import running_service
from tests.support.samples import PAID_BODY
from tollgate.kit.money import dollars

pytestmark = [pytest.mark.ministack, pytest.mark.long]

WAIT_S = 60.0


def call(service: dict[str, Any], method: str, path: str, body: Any = None) -> Any:
    """Ask the API with the first account's key; give `data`."""
    headers = {"authorization": f"Bearer {service['apiKey']}"}
    url = service["baseUrl"] + path
    answer = httpx.request(method, url, json=body, headers=headers, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def made(service: dict[str, Any]) -> dict[str, Any]:
    """Return the task of an image that was paid for and made."""
    task_id = call(service, "POST", "/api/v1/generation/create", PAID_BODY)["taskId"]
    end = time.monotonic() + WAIT_S
    while True:
        task: dict[str, Any] = call(service, "GET", f"/api/v1/task/status/{task_id}?wait=20")
        if task["status"] == "finished":
            return task
        assert time.monotonic() < end, task


def balance(service: dict[str, Any]) -> int:
    """Return the balance in cents."""
    cents: int = call(service, "GET", "/api/v1/user/me")["balance"]
    return cents


class TestKeep:
    def test_a_stop_keeps_everything_and_a_hard_kill_what_was_there_at_the_last_stop(
        self, tmp_path: Path
    ) -> None:
        port = free_port()
        with running_service(tmp_path, "--keep", port=port) as first:
            before = balance(first)
            task = made(first)

        with running_service(tmp_path, "--keep", port=port, ending=signal.SIGKILL) as again:
            assert again["apiKey"] == first["apiKey"]
            assert again["webhookSecret"] == first["webhookSecret"]
            assert balance(again) == before - 1
            kept = call(again, "GET", f"/api/v1/task/status/{task['taskId']}")
            assert kept == task
            file = httpx.get(kept["files"][0]["fileUrl"], timeout=30)
            assert file.status_code == 200
            assert len(file.content) == kept["files"][0]["bytes"]
            # The file that names the service is there before the last lines of its greeting.
            end = time.monotonic() + WAIT_S
            while f"Balance      {dollars(before - 1)}\n" not in (tmp_path / "run.log").read_text():
                assert time.monotonic() < end, "another balance is shown"
            # It still works: queues and streams too.
            lost = made(again)

        (tmp_path / "service.json").unlink()
        with running_service(tmp_path, "--keep", port=port) as third:
            assert third["apiKey"] == first["apiKey"]
            assert balance(third) == before - 1
            assert call(third, "GET", f"/api/v1/task/status/{task['taskId']}") == task
            assert httpx.get(lost["files"][0]["fileUrl"], timeout=30).status_code == 200
