"""The HTTP contract on Lambda's own runtime: `make sam-local`, where there is Docker."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from local.deploy.build import TIMEOUT_S as BUILD_TIMEOUT_S
from local.machine import sam_local
from local.machine.emulator import free_port
from local.machine.sam_local import FIRST_ANSWER_S
from local.template import ROOT
from tests.support.customer import Customer, customer_of
from tests.support.missing import missing
from tests.support.samples import PAID_IMAGE

pytestmark = [pytest.mark.e2e, pytest.mark.docker, pytest.mark.emulator]

CHAT = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": "Say hello"}]}
READY = "The API in containers: "
STOP_TIMEOUT_S = 60.0


@pytest.fixture(scope="module")
def customer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Customer]:
    """Return the first customer of the service, at the API in containers."""
    if lack := sam_local.missing():
        missing(lack)
    folder = Path(tmp_path_factory.mktemp("sam-local"))
    switches = {"TOLLGATE_LOCAL_FOLDER": str(folder), "TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS": "1"}
    port, sam_port = free_port(), free_port()
    command = [sys.executable, "-m", "local", "sam-local", "--port", str(port), "--sam-port", str(sam_port)]
    with (folder / "run.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **switches}, stdout=log, stderr=log)
    try:
        wait_until_ready(process, folder / "run.log")
        service = json.loads((folder / "service.json").read_text())
        url, key = f"http://127.0.0.1:{sam_port}", service["apiKey"]
        with customer_of(url, key, service["webhookSecret"], patience_s=FIRST_ANSWER_S) as found:
            yield found
    finally:
        process.send_signal(signal.SIGINT)
        ended = process.wait(STOP_TIMEOUT_S)
    assert ended == 0


class TestContract:
    def test_the_catalog_needs_no_key(self, customer: Customer) -> None:
        answer = httpx.get(f"{customer.http.base_url}/api/v1/catalog/test-image")
        assert (answer.status_code, answer.json()["id"]) == (200, "test-image")
        assert answer.headers["x-request-id"].startswith("req_")

    def test_all_else_does(self, customer: Customer) -> None:
        answer = httpx.get(f"{customer.http.base_url}/api/v1/user/me")
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")

    def test_what_is_not_allowed_is_named(self, customer: Customer) -> None:
        body = {"model": "test-image", "input": {"prompt": "x", "size": "7:7"}}
        answer = customer.http.post("/api/v1/generation/create", json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")
        assert answer.json()["error"]["details"][0]["path"] == "/input/size"

    def test_a_generation_runs_to_its_end_and_is_announced(self, customer: Customer) -> None:
        before = customer.balance()
        task = customer.run({"model": PAID_IMAGE, "input": {"prompt": "a lighthouse", "size": "4:3"}})
        assert (task["status"], before - customer.balance()) == ("finished", task["costCents"])
        assert customer.webhook_of(task["taskId"])["data"] == task

    def test_a_chat_is_answered_and_billed(self, customer: Customer) -> None:
        answer = customer.http.post("/api/v1/chat/completions", json=CHAT)
        assert answer.status_code == 200, answer.text
        assert int(answer.headers["x-tollgate-cost-micro-usd"]) > 0

    def test_a_streamed_chat_ends_as_one(self, customer: Customer) -> None:
        answer = customer.http.post("/api/v1/chat/completions", json={**CHAT, "stream": True})
        assert answer.headers["content-type"].startswith("text/event-stream")
        # `sam local` puts an empty line behind whatever a function answers
        assert answer.text.rstrip().endswith("data: [DONE]")

    def test_a_page_is_served(self, customer: Customer) -> None:
        page = customer.http.get("/docs")
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert "<title>" in page.text


def wait_until_ready(process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until the command says that the containers answer."""
    end = time.monotonic() + BUILD_TIMEOUT_S + FIRST_ANSWER_S
    while READY not in log.read_text():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.5)
