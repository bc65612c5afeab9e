"""The options of a workflow's steps, and the files that it shows."""

from typing import Any

import pytest

from tests.functional.test_api import call, details
from tests.functional.test_budgets import ok
from tests.functional.test_private_files import signed_key
from tests.functional.test_run_task import task_of
from tests.functional.test_workflows import (
    CHAT,
    CUTOUT,
    HOOK,
    WORKFLOWS,
    Carrier,
    carrier,
    created,
    cutout,
    image,
    shown,
)
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import deliver_webhook as deliver_parts
from tollgate.kit.clock import MS_PER_S
from tollgate.workflows.events import pending_delivery
from tollgate.workflows.repository import StaleWorkflowError, WorkflowRepository

__all__ = ["carrier"]


class TestOptions:
    """A step has the options of a task."""

    def test_a_private_result_is_signed_for_its_customer_and_for_the_next_step(
        self, customer: OpenedAccount, carrier: Carrier
    ) -> None:
        options: dict[str, Any] = {
            "private": True,
            "expiresInS": 7_200,
            "metadata": {"order": 7},
            "finishByS": 100,
        }
        made = created(customer, image(**options), cutout())
        carrier.run()
        first, second = shown(customer, made["id"])["steps"]
        task = task_of(first["taskId"])
        assert (task.private, task.expires_in_s, task.metadata) == (True, 7_200, {"order": 7})
        assert task.deadline_at_ms - task.created_at_ms == 100 * MS_PER_S
        assert (first["private"], second.get("private"), second["status"]) == (True, None, "finished")
        signed_key(first["files"][0]["fileUrl"])
        for view in (ok(customer, "GET", WORKFLOWS)["workflows"][0], event_data(made["id"])):
            signed_key(view["steps"][0]["files"][0]["fileUrl"])
        # The row has no signature, which would be over before a slow task begins. Each attempt signs it anew.
        (source,) = task_of(second["taskId"]).values["imageUrls"]
        assert source == task.files[0].url
        signed_key(api_parts.api().tasks.inputs.signed({"": source})[""])
        # Only the workflow can name it.
        others = {"model": CUTOUT, "input": {"imageUrls": [source]}}
        status, answer, _ = call("POST", "/api/v1/generation/create", customer.api_key, others)
        assert (status, details(answer)["/input/imageUrls/0"]) == (400, "This account has no such file.")

    def test_a_private_result_has_a_longer_address_in_a_chat(self, customer: OpenedAccount) -> None:
        said = [{"role": "user", "content": "Look at $image.files[0]"}]
        chat = {**CHAT, "input": {**CHAT["input"], "messages": said}}
        public, private = (
            ok(customer, "POST", f"{WORKFLOWS}/estimate", {"steps": [image(private=private), chat]})
            for private in (False, True)
        )
        assert private["steps"][1]["priceMicroUsd"] > 2 * public["steps"][1]["priceMicroUsd"]

    def test_providers_are_chosen_for_each_step(self, customer: OpenedAccount, carrier: Carrier) -> None:
        made = created(customer, image(provider={"only": ["fal"]}), image("free"))
        carrier.run()
        chosen, free = (task_of(step["taskId"]).routing for step in shown(customer, made["id"])["steps"])
        assert (chosen, free) == (("fal",), None)

    def test_deleted_files_are_not_shown_and_not_used(
        self, customer: OpenedAccount, carrier: Carrier
    ) -> None:
        between = image("between", dependsOn=["image"])
        made = created(customer, image(), between, cutout(dependsOn=["between"]), webhook=HOOK)
        while "files" not in (first := shown(customer, made["id"])["steps"][0]):
            carrier.move()
        ok(customer, "DELETE", f"/api/v1/task/files/{first['taskId']}")
        carrier.run()
        for view in (shown(customer, made["id"]), event_data(made["id"])):
            image_step, _, last = view["steps"]
            assert ("files" in image_step, "filesDeletedAt" in image_step) == (False, True)
            assert (last["error"]["code"], last["costMicroUsd"]) == ("invalid_input", 0)


def event_data(workflow_id: str) -> Any:
    workflow = api_parts.api().workflows.reader.workflows.get(workflow_id)
    assert workflow is not None
    sender = deliver_parts.webhook_sender()
    event = sender.event_of_task(pending_delivery(workflow, HOOK, 0))
    assert event is not None
    return event.data


def test_a_cancellation_that_others_always_overtake_is_refused(
    customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = created(customer, image())

    def overtaken(*_: object) -> None:
        raise StaleWorkflowError

    monkeypatch.setattr(WorkflowRepository, "save", overtaken)
    status, answer, _ = call("POST", f"{WORKFLOWS}/{made['id']}/cancel", customer.api_key)
    assert (status, answer["error"]["code"]) == (429, "concurrency_limited")
