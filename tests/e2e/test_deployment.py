"""The real template, built and deployed by `sam`, under IAM: used, deployed over, deleted. `make e2e`.

Tests that are not marked `emulator` run against a stack in an AWS account too: `make e2e E2E_STACK=<name>`.
"""

import hashlib
import json
import re
import tarfile
import time
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from local.template import ROOT, Template, stem_of
from tests.e2e.conftest import LIVE, PAID, Offer
from tests.e2e.deployed import ANSWER_TIMEOUT_S, Deployed
from tests.e2e.deployment import BUILD, Deployment
from tests.support.customer import Customer
from tollgate.catalog.loader import read_yaml
from tollgate.reference import HERE
from tollgate.reference.clients import WHEELS
from tollgate.reference.previews import SERVICE
from tollgate.tasks.waiting import MAX_HELD_S

pytestmark = pytest.mark.e2e

NO_ROUTE = re.compile(r"No such endpoint|Missing Authentication Token")
"""What the gateway or a function says of a route that it does not have. The second is the emulator's."""


class TestDeployed:
    @pytest.mark.emulator
    def test_the_providers_with_a_key_are_live(self, deployment: Deployment) -> None:
        rows = deployment.tollgate("secrets", "list", "--json")["providers"]
        assert rows == [{"provider": name, "key": True, "live": True} for name in LIVE]

    def test_every_described_route_has_a_function(self, stack: Deployed) -> None:
        with httpx.Client(base_url=stack.base_url, timeout=ANSWER_TIMEOUT_S) as http:
            for route in read_yaml(HERE / "operations.yaml")["operations"]:
                method, path = route.split(" ")
                answer = http.request(method, re.sub(r"\{\w+\}", "none", path))
                assert not NO_ROUTE.search(answer.text), f"{route}: {answer.status_code} {answer.text}"

    def test_a_generation_is_charged_stored_and_announced(
        self, stack: Deployed, customer: Customer, offer: Offer
    ) -> None:
        before = customer.balance()
        task = customer.run(offer.body("a lighthouse"))
        assert (task["status"], task["costCents"]) == ("finished", offer.image_cents)
        assert customer.balance() == before - offer.image_cents
        (file,) = task["files"]
        content = stack.opened(file["fileUrl"])
        assert content.startswith(b"\x89PNG")
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
        delivery = delivered(customer, task["taskId"])
        assert (delivery["type"], delivery["attempts"][-1]["status"] // 100) == ("task.finished", 2)

    def test_an_image_in_openai_s_protocol_is_waited_for(
        self, stack: Deployed, customer: Customer, offer: Offer
    ) -> None:
        before = customer.balance()
        asked = offer.body("a lighthouse")
        body = {"model": asked["model"], "prompt": asked["input"]["prompt"], "size": asked["input"]["size"]}
        made = customer.http.post("/api/v1/images/generations", json=body, timeout=MAX_HELD_S)
        assert made.status_code == 200, made.text
        (image,) = made.json()["data"]
        assert stack.opened(image["url"]).startswith(b"\x89PNG")
        assert customer.balance() == before - offer.image_cents

    @pytest.mark.emulator
    def test_the_event_is_signed_and_holds_the_task(self, customer: Customer) -> None:
        task = customer.run(PAID.body("a lighthouse"))
        assert customer.webhook_of(task["taskId"])["data"] == task

    def test_a_failed_generation_is_refunded(self, customer: Customer, offer: Offer) -> None:
        before = customer.balance()
        task = customer.run(offer.body("[[fail]]"))
        assert (task["status"], task["error"]["code"]) == ("failed", "providers_exhausted")
        assert task["refundedCents"] == offer.image_cents
        assert customer.balance() == before
        assert delivered(customer, task["taskId"])["type"] == "task.failed"

    def test_a_chat_is_answered_and_billed(self, customer: Customer, offer: Offer) -> None:
        answer = customer.http.post("/api/v1/chat/completions", json=offer.chatted())
        assert answer.status_code == 200, answer.text
        usage = answer.json()["usage"]
        exact = usage["prompt_tokens"] * offer.prompt_micro_usd
        exact += usage["completion_tokens"] * offer.answer_micro_usd
        # Rounded up
        assert int(answer.headers["x-tollgate-cost-micro-usd"]) == -(-exact // 100)

    def test_a_streamed_chat_ends_as_one(self, customer: Customer, offer: Offer) -> None:
        answer = customer.http.post("/api/v1/chat/completions", json=offer.chatted(stream=True))
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.text.endswith("data: [DONE]\n\n")

    def test_a_page_is_served_and_the_dashboard_asks_who_it_is(self, customer: Customer) -> None:
        page = customer.http.get("/docs")
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert customer.http.get("/dashboard", headers={"authorization": ""}).status_code == 303

    def test_the_packages_of_the_clients_arrive_whole(self, stack: Deployed) -> None:
        with tarfile.open(fileobj=BytesIO(stack.built_file("/clients/tollgate-client.tgz"))) as archive:
            assert "package/dist/index.js" in archive.getnames()
        for file, wheel in WHEELS.items():
            assert zipfile.ZipFile(BytesIO(stack.built_file(f"/clients/{wheel}"))).testzip() is None
            # The emulator does not tell a function its domain.
            if not stack.endpoint:
                assert stack.built_file(f"/clients/{file}") == f"{stack.base_url}/clients/{wheel}\n".encode()

    def test_a_image_of_a_link_preview_arrives_whole(self, stack: Deployed) -> None:
        with Image.open(BytesIO(stack.built_file(f"/previews/{SERVICE.file}"))) as image:
            image.load()
            assert image.size == (1200, 630)

    def test_every_function_takes_its_sample_event(self, stack: Deployed, template: Template) -> None:
        assert set(template.functions()) - set(stack.functions) <= {"VisitServiceFunction"}
        for function in stack.functions:
            event = (ROOT / "events" / f"{stem_of(function)}.json").read_bytes()
            answer = stack.client("lambda").invoke(FunctionName=stack.physical(function), Payload=event)
            body = answer["Payload"].read().decode()
            failed = "FunctionError" in answer or failed_in(json.loads(body))
            assert not failed, f"{function}: {body}\n{stack.log(function)}"

    def test_the_books_agree(self, stack: Deployed) -> None:
        assert stack.tollgate("check-ledger", "--json")["faults"] == []

    def test_no_function_logged_a_fault(self, stack: Deployed) -> None:
        assert faults_in(stack) == {}

    @pytest.mark.emulator
    def test_the_same_tests_run_against_a_stack_that_is_named(self, deployment: Deployment) -> None:
        # As the pipeline runs them against a stack in an AWS account (.github/workflows/pipeline.yml)
        told = deployment.run(["make", "e2e", f"E2E_STACK={deployment.stack}"])
        (ran,) = re.findall(r"^(\d+) passed, (\d+) deselected", told, re.MULTILINE)
        assert (int(ran[0]), "skipped" in told) == (12, False), told


@dataclass(frozen=True, slots=True)
class Again:
    """A second deployment over the first: a task from before, and the published layers of then and now."""

    task: Any
    before: set[str]
    after: set[str]


@pytest.fixture(scope="module")
def again(deployment: Deployment, customer: Customer) -> Again:
    """Deploy over what is there, with nothing changed but the code in a layer."""
    task = customer.run(PAID.body("a lighthouse"))
    before = published_layers(deployment)
    (BUILD / "SharedLayer" / "python" / "tollgate" / "again.py").write_text("AGAIN = True\n")
    deployment.deploy_again("SharedLayer")
    return Again(task, before, published_layers(deployment))


@pytest.mark.emulator
class TestDeployedAgain:
    def test_requests_run_the_code_of_the_new_layer(self, again: Again) -> None:
        # Both layers of dependencies stay as they are
        assert len(again.before & again.after) == 2
        assert len(again.after - again.before) == 1

    def test_key_balance_task_and_file_are_still_there(
        self, deployment: Deployment, customer: Customer, again: Again
    ) -> None:
        task, balance = again.task, customer.balance()
        assert customer.data("GET", f"/api/v1/task/status/{task['taskId']}") == task
        assert len(deployment.opened(task["files"][0]["fileUrl"])) == task["files"][0]["bytes"]
        assert customer.run(PAID.body("a lighthouse"))["status"] == "finished"
        assert customer.balance() == balance - PAID.image_cents

    @pytest.mark.usefixtures("again")
    def test_the_providers_are_still_live(self, deployment: Deployment) -> None:
        rows = deployment.tollgate("secrets", "list", "--json")["providers"]
        assert {row["provider"] for row in rows if row["live"]} == set(LIVE)

    def test_no_function_logged_a_fault(self, deployment: Deployment) -> None:
        assert faults_in(deployment) == {}


@pytest.mark.emulator
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

    def test_the_version_before_answers_within_seconds_and_the_deployed_one_again(
        self, deployment: Deployment, customer: Customer
    ) -> None:
        for words in (("--yes",), ("--yes",), ("--undo", "--yes")):
            moved = deployment.tollgate("rollback", *words, "--json")["functions"]
            assert len(moved) == 3
            for each in moved:
                alias = deployment.client("lambda").get_alias(FunctionName=each["function"], Name="live")
                assert alias["FunctionVersion"] == str(each["to"])
                assert (each["to"] > each["from"]) is ("--undo" in words)
            assert customer.data("GET", "/api/v1/user/me")["id"]
        assert deployment.tollgate("prune-versions", "--yes", "--json") == {"deleted": []}

    def test_spoilt_tables_are_restored_and_the_ledger_proves_it(
        self, deployment: Deployment, customer: Customer, tmp_path: Path
    ) -> None:
        before, at = customer.balance(), f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        deployment.tollgate("restore", "copy", "--to", at, "--json")
        dynamodb, accounts = deployment.client("dynamodb"), deployment.physical("AccountsTable")
        # The run by the stack's name has an account of its own
        key = {"account_id": {"S": customer.data("GET", "/api/v1/user/me")["id"]}}
        row = dynamodb.get_item(TableName=accounts, Key=key)["Item"]
        assert "balance_micro_usd" in row
        dynamodb.put_item(TableName=accounts, Item={**row, "balance_micro_usd": {"N": "1"}})
        removed = str(tmp_path / "removed.jsonl")
        options = ("--to", at, "--removed", removed, "--drain-s", "0", "--yes", "--json")
        done = deployment.tollgate("restore", "swap", *options)["tables"]
        # Without a drain, work on its way can change another row meanwhile.
        assert done["AccountsTable"]["put_back"] >= 1
        assert done["AccountsTable"]["removed"] == 0
        assert customer.balance() == before
        assert deployment.tollgate("check-ledger", "--json")["faults"] == []
        assert customer.run(PAID.body("a lighthouse"))["status"] == "finished"
        deployment.tollgate("restore", "drop", "--to", at, "--yes", "--json")


@pytest.mark.emulator
class TestDeleted:
    def test_nothing_that_runs_is_left(self, deployment: Deployment) -> None:
        deployment.delete()
        assert deployment.client("lambda").list_functions()["Functions"] == []
        assert deployment.client("dynamodb").list_tables()["TableNames"] == []


def delivered(customer: Customer, task_id: str) -> Any:
    """Wait until the account's log says that a task's event was delivered; give its line."""
    end = time.monotonic() + customer.patience_s
    while time.monotonic() < end:
        page = customer.data("GET", "/api/v1/webhooks/deliveries", params={"taskId": task_id})
        if page["deliveries"] and page["deliveries"][0]["state"] == "delivered":
            return page["deliveries"][0]
        time.sleep(customer.poll_s)
    pytest.fail(f"no event of {task_id} was delivered")


def faults_in(stack: Deployed) -> dict[str, list[str]]:
    """Return the faults of ours that functions logged."""
    found = {
        function: [line for line in stack.log(function) if '"level":"ERROR"' in line]
        for function in stack.functions
    }
    return {function: lines for function, lines in found.items() if lines}


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
