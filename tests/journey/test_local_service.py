"""The whole service as `make run` starts it: a customer's main job, and failures."""

import io
import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import httpx
import pytest
from PIL import Image

from local.template import ROOT
from tests.support.customer import TIMEOUT_S, Customer, customer_of
from tests.support.local_service import command, environment
from tests.support.samples import PAID_IMAGE
from tollgate.visits.visitor import Visitor

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("local-service")]


@pytest.fixture(scope="module")
def service(shared_service: dict[str, Any]) -> dict[str, Any]:
    """Return what `service.json` says of the running service."""
    return shared_service


@pytest.fixture(scope="module")
def customer(service: dict[str, str]) -> Iterator[Customer]:
    """Return the service's first customer."""
    with customer_of(service["baseUrl"], service["apiKey"], service["webhookSecret"]) as found:
        yield found


class TestVisits:
    def test_a_visit_finds_it_well(self, service: dict[str, str]) -> None:
        assert Visitor(service["baseUrl"], lambda: service["apiKey"], time.sleep).visit() == []

    def test_a_visit_with_a_key_that_is_wrong_does_not(self, service: dict[str, str]) -> None:
        failures = Visitor(service["baseUrl"], lambda: "tg_live_wrong", lambda _: None).visit()
        assert [(each.step, each.reason) for each in failures] == [
            ("chat", "chat is answered 401"),
            ("image", "create is answered 401"),
        ]


class TestMainJob:
    @pytest.mark.parametrize(
        ("model", "values", "file_type", "files"),
        [
            (PAID_IMAGE, {"prompt": "a lighthouse", "size": "4:3"}, "image", 1),
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
        task = customer.run({"model": "test-image", "input": {"prompt": "a range", "size": "1:1"}})
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
        task = customer.run({"model": PAID_IMAGE, "input": {"prompt": prompt, "size": "1:1"}})
        assert task["status"] == status
        assert task.get("error", {}).get("code") == code
        assert before - customer.balance() == (1 if status == "finished" else 0)
        assert customer.webhook_of(task["taskId"])["data"] == task


class TestStatistics:
    def test_they_are_the_sums_of_the_ledger_within_seconds(self, customer: Customer) -> None:
        customer.run({"model": PAID_IMAGE, "input": {"prompt": "[[reject]]", "size": "1:1"}})
        ask = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": "Say hello"}]}
        customer.http.post("/api/v1/chat/completions", json=ask).raise_for_status()
        entries = ledger_of(customer)
        assert entries == sorted(entries, key=lambda entry: entry["createdAt"], reverse=True)
        amounts = [(entry["kind"], entry["amountMicroUsd"]) for entry in entries]
        expected = {
            "spentMicroUsd": -sum(amount for _, amount in amounts if amount < 0),
            "refundedMicroUsd": sum(amount for kind, amount in amounts if kind == "refund"),
            "tasks": sum(kind == "charge" for kind, _ in amounts),
            "requests": sum(kind == "text" for kind, _ in amounts),
        }
        end = time.monotonic() + TIMEOUT_S
        while (total := customer.data("GET", "/api/v1/stats?range=7d")["total"]) != total | expected:
            assert time.monotonic() < end, (total, expected)
            time.sleep(0.1)
        assert customer.balance() == sum(amount for _, amount in amounts) // 10_000


class TestMails:
    EMAIL = "ada@example.com"

    def test_who_owns_an_account_finds_a_mail_about_its_rotated_secret(
        self, service: dict[str, str], service_folder: Path
    ) -> None:
        with httpx.Client(base_url=f"{service['baseUrl']}/dashboard", follow_redirects=True) as browser:

            def click(page: str, action: str, **fields: str) -> None:
                (token,) = re.findall(r'"x-csrf-token": "([^"]+)"', browser.get(page).text)
                headers = {"x-csrf-token": token, "origin": service["baseUrl"]}
                browser.post(action, headers=headers, data=fields).raise_for_status()

            click("/sign-in", "/sign-in/development/email", email=self.EMAIL)
            click("/webhooks", "/webhooks/secret/rotate")
        known = json.loads((service_folder / "environment.json").read_text())
        end = time.monotonic() + TIMEOUT_S
        while not (mails := self.mails(known["AWS_ENDPOINT_URL"])):
            assert time.monotonic() < end, "no mail"
            time.sleep(0.1)
        assert [(each["To"], each["Subject"]) for each in mails] == [
            ([self.EMAIL], "Webhook secret rotated: Webhook signing secret")
        ]
        assert f"{service['baseUrl']}/dashboard/audit" in mails[0]["BodyText"]

    @classmethod
    def mails(cls, emulator: str) -> list[dict[str, Any]]:
        """Return the mails that SES took for this test's person, as docs/local.md says."""
        found = httpx.get(f"{emulator}/_ministack/ses/messages").json()["messages"]
        return [each for mails in found.values() for each in mails if each["To"] == [cls.EMAIL]]


class TestCommands:
    def test_account_prints_one_line_of_json_last(
        self, service: dict[str, str], service_folder: Path
    ) -> None:
        made = subprocess.run(
            command("account", "--balance-cents", "7"),
            cwd=ROOT,
            env=environment(service_folder),
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


def ledger_of(customer: Customer) -> list[dict[str, Any]]:
    """Return all entries of the ledger, in pages of five."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = customer.data("GET", "/api/v1/ledger", params={"limit": "5", **cursor})
        found += page["entries"]
        if "cursor" not in page:
            return found
        cursor = {"cursor": page["cursor"]}
