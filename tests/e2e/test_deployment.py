"""The real template, built and deployed by `sam`, under IAM: used, deployed over, deleted. `make e2e`."""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from local.template import ROOT, Template, stem_of
from tests.e2e.conftest import CREDIT_CENTS, LIVE
from tests.e2e.deployment import BUILD, Deployment
from tests.support.customer import Customer
from tests.support.samples import PAID_IMAGE, PAID_IMAGE_CENTS

pytestmark = pytest.mark.e2e

IMAGE_BODY = {"model": PAID_IMAGE, "input": {"prompt": "a lighthouse", "size": "4:3"}}
CHAT = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": "Say hello"}]}


class TestDeployed:
    def test_the_providers_with_a_key_are_live(self, deployment: Deployment) -> None:
        rows = deployment.tollgate("secrets", "list", "--json")["providers"]
        assert rows == [{"provider": name, "key": True, "live": True} for name in LIVE]

    def test_a_generation_is_charged_stored_and_announced(
        self, deployment: Deployment, customer: Customer
    ) -> None:
        task = customer.run(IMAGE_BODY)
        assert (task["status"], task["costCents"]) == ("finished", PAID_IMAGE_CENTS)
        assert customer.balance() == CREDIT_CENTS - PAID_IMAGE_CENTS
        (file,) = task["files"]
        content = opened(deployment, file["fileUrl"])
        assert content.startswith(b"\x89PNG")
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
        assert customer.webhook_of(task["taskId"])["data"] == task

    def test_a_failed_generation_is_refunded(self, customer: Customer) -> None:
        before = customer.balance()
        task = customer.run({"model": PAID_IMAGE, "input": {"prompt": "[[fail]]", "size": "1:1"}})
        assert (task["status"], task["error"]["code"]) == ("failed", "providers_exhausted")
        assert task["refundedCents"] == PAID_IMAGE_CENTS
        assert customer.balance() == before
        assert customer.webhook_of(task["taskId"])["type"] == "task.failed"

    def test_a_chat_is_answered_and_billed(self, customer: Customer) -> None:
        answer = customer.http.post("/api/v1/chat/completions", json=CHAT)
        assert answer.status_code == 200, answer.text
        usage = answer.json()["usage"]
        # $0.75 and $4.50 a million tokens, rounded up (reference of prices: catalog/data/text)
        exact = usage["prompt_tokens"] * 75 + usage["completion_tokens"] * 450
        assert int(answer.headers["x-tollgate-cost-micro-usd"]) == -(-exact // 100)

    def test_a_streamed_chat_ends_as_one(self, customer: Customer) -> None:
        answer = customer.http.post("/api/v1/chat/completions", json={**CHAT, "stream": True})
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.text.endswith("data: [DONE]\n\n")

    def test_every_function_takes_its_sample_event(self, deployment: Deployment, template: Template) -> None:
        for function in template.functions():
            event = (ROOT / "events" / f"{stem_of(function)}.json").read_bytes()
            answer = deployment.client("lambda").invoke(
                FunctionName=deployment.physical(function), Payload=event
            )
            body = answer["Payload"].read().decode()
            failed = "FunctionError" in answer or failed_in(json.loads(body))
            assert not failed, f"{function}: {body}\n{deployment.log(function)}"


@dataclass(frozen=True, slots=True)
class Again:
    """A second deployment over the first: a task from before, and the published layers of then and now."""

    task: Any
    before: set[str]
    after: set[str]


@pytest.fixture(scope="module")
def again(deployment: Deployment, customer: Customer) -> Again:
    """Deploy over what is there, with nothing changed but the code in a layer."""
    task = customer.run(IMAGE_BODY)
    before = published_layers(deployment)
    (BUILD / "SharedLayer" / "python" / "tollgate" / "again.py").write_text("AGAIN = True\n")
    deployment.deploy()
    return Again(task, before, published_layers(deployment))


class TestDeployedAgain:
    def test_requests_run_the_code_of_the_new_layer(self, again: Again) -> None:
        # The dependencies are the ones they were
        assert len(again.before & again.after) == 1
        assert len(again.after - again.before) == 1

    def test_key_balance_task_and_file_are_still_there(
        self, deployment: Deployment, customer: Customer, again: Again
    ) -> None:
        task, balance = again.task, customer.balance()
        assert customer.data("GET", f"/api/v1/task/status/{task['taskId']}") == task
        assert len(opened(deployment, task["files"][0]["fileUrl"])) == task["files"][0]["bytes"]
        assert customer.run(IMAGE_BODY)["status"] == "finished"
        assert customer.balance() == balance - PAID_IMAGE_CENTS

    @pytest.mark.usefixtures("again")
    def test_the_providers_are_still_live(self, deployment: Deployment) -> None:
        rows = deployment.tollgate("secrets", "list", "--json")["providers"]
        assert {row["provider"] for row in rows if row["live"]} == set(LIVE)

    def test_no_function_logged_a_fault(self, deployment: Deployment, template: Template) -> None:
        for function in template.functions():
            faults = [line for line in deployment.log(function) if '"level":"ERROR"' in line]
            assert not faults, function


class TestOperated:
    def test_the_doctor_says_what_the_stack_lacks_and_then_finds_nothing(
        self, deployment: Deployment, template: Template
    ) -> None:
        tables = template.of_type("AWS::DynamoDB::Table")
        findings = deployment.doctor()
        lacking = {each["said"] for each in findings if each["state"] != "good"}
        # The emulator passes over that part of a table's template
        assert lacking == {f"{table} cannot be restored to a point in time" for table in tables}, findings
        for table in tables:
            deployment.client("dynamodb").update_continuous_backups(
                TableName=deployment.physical(table),
                PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
            )
        findings = deployment.doctor()
        assert {each["state"] for each in findings} == {"good"}, findings

    def test_spoilt_tables_are_restored_and_the_ledger_proves_it(
        self, deployment: Deployment, customer: Customer, tmp_path: Path
    ) -> None:
        before, at = customer.balance(), f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        deployment.tollgate("restore", "copy", "--to", at, "--json")
        dynamodb, accounts = deployment.client("dynamodb"), deployment.physical("AccountsTable")
        (row,) = (each for each in dynamodb.scan(TableName=accounts)["Items"] if "balance_micro_usd" in each)
        dynamodb.put_item(TableName=accounts, Item={**row, "balance_micro_usd": {"N": "1"}})
        removed = str(tmp_path / "removed.jsonl")
        options = ("--to", at, "--removed", removed, "--drain-s", "0", "--yes", "--json")
        done = deployment.tollgate("restore", "swap", *options)["tables"]
        assert done["AccountsTable"] == {"put_back": 1, "removed": 0}
        assert customer.balance() == before
        assert deployment.tollgate("check-ledger", "--json")["faults"] == []
        assert customer.run(IMAGE_BODY)["status"] == "finished"
        deployment.tollgate("restore", "drop", "--to", at, "--yes", "--json")


class TestDeleted:
    def test_nothing_that_runs_is_left(self, deployment: Deployment) -> None:
        deployment.delete()
        assert deployment.client("lambda").list_functions()["Functions"] == []
        assert deployment.client("dynamodb").list_tables()["TableNames"] == []


def opened(deployment: Deployment, url: str) -> bytes:
    """Return a stored file, read as a browser would from the distribution."""
    parts = urlsplit(url)
    assert parts.hostname == deployment.storage_host
    found = httpx.get(deployment.endpoint + parts.path, headers={"host": deployment.storage_host})
    return found.raise_for_status().content


def published_layers(deployment: Deployment) -> set[str]:
    """Return the layers of the version of `api` that the gateway calls."""
    found = deployment.client("lambda").get_function_configuration(
        FunctionName=deployment.physical("ApiFunction"), Qualifier="live"
    )
    return {layer["Arn"] for layer in found["Layers"]}


def failed_in(answer: Any) -> bool:
    """Say whether something went wrong by a function's answer: records to be tried again, a fault of ours."""
    if not isinstance(answer, dict):
        return False
    return bool(answer.get("batchItemFailures")) or answer.get("statusCode", 200) >= 500
