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

from local.emulator import free_port
from local.sam_local import missing
from local.template import ROOT
from tests.e2e.deployment import SAM
from tests.support.customer import Customer, customer_of
from tests.support.samples import PAID_IMAGE

pytestmark = [pytest.mark.e2e, pytest.mark.docker]

START_TIMEOUT_S = 300.0
"""The first request to a function makes an image with its layers."""


@pytest.fixture(scope="module")
def customer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Customer]:
    """Return the first customer of the service, at the API in containers."""
    if lack := missing():
        pytest.skip(lack)
    folder = Path(tmp_path_factory.mktemp("sam-local"))
    environment = {**os.environ, "TOLLGATE_LOCAL_FOLDER": str(folder)}
    subprocess.run([SAM, "build"], cwd=ROOT, env=environment, check=True, capture_output=True, timeout=300)
    port, sam_port = free_port(), free_port()
    command = [sys.executable, "-m", "local", "sam-local", "--port", str(port), "--sam-port", str(sam_port)]
    with (folder / "run.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{sam_port}"
    wait_for_catalog(url, process, folder)
    service = json.loads((folder / "service.json").read_text())
    with customer_of(url, service["apiKey"], service["webhookSecret"]) as found:
        yield found
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0


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

    def test_a_generation_runs_to_its_end(self, customer: Customer) -> None:
        before = customer.balance()
        task = customer.follow({"model": PAID_IMAGE, "input": {"prompt": "a lighthouse", "size": "4:3"}})
        assert (task["status"], before - customer.balance()) == ("finished", task["costCents"])

    def test_a_chat_is_answered_and_billed(self, customer: Customer) -> None:
        body = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": "Say hello"}]}
        answer = customer.http.post("/api/v1/chat/completions", json=body, timeout=START_TIMEOUT_S)
        assert answer.status_code == 200, answer.text
        assert int(answer.headers["x-tollgate-cost-micro-usd"]) > 0


def wait_for_catalog(url: str, process: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Wait for the first answer of a container."""
    end = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end:
        assert process.poll() is None, (folder / "run.log").read_text()
        try:
            if httpx.get(f"{url}/api/v1/catalog", timeout=START_TIMEOUT_S).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.5)
    pytest.fail((folder / "run.log").read_text())
