"""The whole service as `make run` starts it: a customer's main job, failures, and a clean end."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import httpx
import pytest
from PIL import Image
from standardwebhooks import Webhook

from local.emulator import free_port
from local.template import ROOT
from tests.support.http_server import Received, http_server

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("local-service")]

TIMEOUT_S = 60.0
TERMINAL = ("finished", "failed", "expired")


def environment(folder: Path) -> dict[str, str]:
    """Give the environment that `make` gives, with a folder of its own."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "PYTHONPATH": "functions:shared:.",
        "TOLLGATE_LOCAL_FOLDER": str(folder),
        "TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS": "1",
    }


def command(*arguments: str) -> list[str]:
    """Give the command behind a Makefile target."""
    return [sys.executable, "-m", "local", *arguments]


@dataclass
class Customer:
    """A customer of the running service, with a receiver for webhooks."""

    http: httpx.Client
    secret: str
    receiver: str
    received: list[Received] = field(default_factory=list)

    def data(self, method: str, path: str, **kwargs: Any) -> Any:
        """Give the `data` of an answer that must be 200."""
        answer = self.http.request(method, path, **kwargs)
        assert answer.status_code == 200, answer.text
        assert answer.json()["code"] == 200
        return answer.json()["data"]

    def balance(self) -> int:
        """Give the balance in cents."""
        return int(self.data("GET", "/api/v1/user/me")["balance"])

    def run(self, body: dict[str, Any]) -> Any:
        """Create a task and follow it to its end; its status never goes back."""
        task_id = self.data("POST", "/api/v1/generation/create", json={**body, "webhook": self.receiver})[
            "taskId"
        ]
        seen = ["not_started"]
        end = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end:
            task = self.data("GET", f"/api/v1/task/status/{task_id}")
            if task["status"] != seen[-1]:
                seen.append(task["status"])
            if task["status"] in TERMINAL:
                assert seen in (["not_started", "running", seen[-1]], ["not_started", seen[-1]])
                return task
            time.sleep(0.02)
        pytest.fail(f"{task_id} did not end; it went {seen}")

    def webhook_of(self, task_id: str) -> Any:
        """Wait for a task's webhook, check its signature; give its event."""
        end = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end:
            for request in list(self.received):
                event = json.loads(request.body)
                if event["data"]["taskId"] == task_id:
                    Webhook(self.secret).verify(request.body.decode(), request.headers)
                    return event
            time.sleep(0.02)
        pytest.fail(f"no webhook for {task_id}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the service's folder."""
    return Path(tmp_path_factory.mktemp("local"))


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[dict[str, str]]:
    """Run the service as a process; give `service.json`."""
    log = (folder / "run.log").open("wb")
    process = subprocess.Popen(
        command("run", "--port", str(free_port())), cwd=ROOT, env=environment(folder), stdout=log, stderr=log
    )
    end = time.monotonic() + TIMEOUT_S
    while not (folder / "service.json").exists():
        assert process.poll() is None, (folder / "run.log").read_text()
        assert time.monotonic() < end, (folder / "run.log").read_text()
        time.sleep(0.05)
    yield json.loads((folder / "service.json").read_text())
    process.send_signal(signal.SIGINT)
    assert process.wait(TIMEOUT_S) == 0
    log.close()


@pytest.fixture(scope="module")
def customer(service: dict[str, str]) -> Iterator[Customer]:
    """Give the service's first customer."""
    received: list[Received] = []

    def note(request: Received) -> int:
        received.append(request)
        return 204

    headers = {"authorization": f"Bearer {service['apiKey']}"}
    with (
        http_server(note) as receiver,
        httpx.Client(base_url=service["baseUrl"], headers=headers, timeout=TIMEOUT_S) as http,
    ):
        yield Customer(http, service["webhookSecret"], receiver, received)


class TestMainJob:
    @pytest.mark.parametrize(
        ("model", "values", "file_type", "files"),
        [
            ("z-image", {"prompt": "a lighthouse", "size": "4:3"}, "image", 1),
            ("seedance-1.5-pro", {"prompt": "waves", "duration": 4, "generateAudio": True}, "video", 1),
            ("suno", {"action": "music", "prompt": "a calm song"}, "audio", 2),
        ],
    )
    def test_price_order_watch_receive_and_open(
        self,
        customer: Customer,
        service: dict[str, str],
        model: str,
        values: dict[str, Any],
        file_type: str,
        files: int,
    ) -> None:
        body = {"model": model, "input": values}
        before = customer.balance()
        price = customer.data("POST", "/api/v1/generation/estimate", json=body)["price"]
        task = customer.run(body)
        assert task["status"] == "finished"
        assert task["costCents"] == price
        assert before - customer.balance() == price
        assert [file["fileType"] for file in task["files"]] == [file_type] * files
        for file in task["files"]:
            assert file["fileUrl"].startswith(service["storageUrl"])
            self.opens(file)
        event = customer.webhook_of(task["taskId"])
        assert event["type"] == "task.finished"
        assert event["data"] == task

    @staticmethod
    def opens(file: dict[str, Any]) -> None:
        """Open a result with a real decoder."""
        answer = httpx.get(file["fileUrl"]).raise_for_status()
        assert answer.headers["content-type"] == file["contentType"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert len(answer.content) == file["bytes"]
        if file["fileType"] == "image":
            assert Image.open(io.BytesIO(answer.content)).size == (1024, 768)
            return
        with av.open(io.BytesIO(answer.content), "r") as container:
            kinds = {stream.type for stream in container.streams}
            assert kinds == ({"video", "audio"} if file["fileType"] == "video" else {"audio"})
            assert next(iter(container.decode(audio=0))).samples > 0

    def test_a_stored_film_can_be_read_in_ranges(self, customer: Customer) -> None:
        task = customer.run({"model": "z-image", "input": {"prompt": "a range", "size": "1:1"}})
        (file,) = task["files"]
        part = httpx.get(file["fileUrl"], headers={"range": "bytes=0-7"})
        assert (part.status_code, part.content) == (206, b"\x89PNG\r\n\x1a\n")
        assert httpx.head(file["fileUrl"]).headers["content-length"] == str(file["bytes"])


class TestFailures:
    @pytest.mark.parametrize(
        ("prompt", "status", "code"),
        [
            ("[[fal: fail]]", "finished", None),
            ("[[fal: lost]]", "finished", None),
            ("[[garbage 2]]", "finished", None),
            ("[[fail]]", "failed", "providers_exhausted"),
            ("[[status 503]]", "failed", "providers_exhausted"),
            ("[[reject]]", "failed", "content_rejected"),
        ],
    )
    def test_a_customer_gets_the_work_or_the_money_back(
        self, customer: Customer, prompt: str, status: str, code: str | None
    ) -> None:
        before = customer.balance()
        task = customer.run({"model": "z-image", "input": {"prompt": prompt, "size": "1:1"}})
        assert task["status"] == status
        assert task.get("error", {}).get("code") == code
        assert before - customer.balance() == (1 if status == "finished" else 0)
        assert customer.webhook_of(task["taskId"])["data"] == task


class TestCommands:
    def test_account_prints_one_line_of_json_last(self, service: dict[str, str], folder: Path) -> None:
        made = subprocess.run(
            command("account", "--balance-cents", "7"),
            cwd=ROOT,
            env=environment(folder),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=True,
        )
        account = json.loads(made.stdout.splitlines()[-1])
        assert account.keys() == {"apiKey", "userId", "webhookSecret"}
        headers = {"authorization": f"Bearer {account['apiKey']}"}
        me = httpx.get(f"{service['baseUrl']}/api/v1/user/me", headers=headers).json()["data"]
        assert (me["id"], me["balance"]) == (account["userId"], 7)

    def test_a_port_that_is_taken_is_one_clear_line(self, service: dict[str, str], tmp_path: Path) -> None:
        port = service["baseUrl"].rpartition(":")[2]
        refused = subprocess.run(
            command("run", "--port", port),
            cwd=ROOT,
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert refused.returncode == 1
        assert refused.stderr.strip() == f"tollgate: Port {port} is taken. Choose another: make run PORT=8081"

    def test_without_a_service_the_tools_say_so(self, tmp_path: Path) -> None:
        refused = subprocess.run(
            command("demo"),
            cwd=ROOT,
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert refused.returncode == 1
        assert refused.stderr.strip() == "tollgate: No service is running here. Start it with: make run"


class TestTheEnd:
    def test_ctrl_c_ends_every_process_it_started(self, tmp_path: Path) -> None:
        process = subprocess.Popen(
            command("run", "--port", str(free_port())),
            cwd=ROOT,
            env=environment(tmp_path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + TIMEOUT_S
        while not (tmp_path / "service.json").exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        children = children_of(process.pid)
        assert len(children) == 4
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT_S) == 0
        assert not any(Path(f"/proc/{child}").exists() for child in children)
        assert not (tmp_path / "service.json").exists()


def children_of(pid: int) -> list[str]:
    """Give the process ids of a process's children (Linux)."""
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
