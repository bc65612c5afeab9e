"""Workflows of chats, on the emulator: `functions/run_batch` answers them. Messages are handed over here."""

import json
from typing import Any

import pytest

from local.machine.events import Context
from run_batch.app import handler
from tests.functional.test_run_batch import runner
from tests.support.text_app import USD, TextClient
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import Scope
from tollgate.composition import api as api_parts
from tollgate.composition import run_workflow as run_workflow_parts
from tollgate.kit.aws import sdk
from tollgate.kit.errors import StorageBusyError
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.callers import Caller
from tollgate.ledger.entries import EntryKind
from tollgate.workflows import worker
from tollgate.workflows.models import MAX_TEXT_BYTES
from tollgate.workflows.repository import WorkflowRepository

__all__ = ["runner"]

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

MODEL = "gpt-5.4-mini"


def chat(step_id: str, prompt: str, **more: Any) -> dict[str, Any]:
    values = {"max_tokens": 100, "messages": [{"role": "user", "content": prompt}]}
    return {"id": step_id, "model": MODEL, "input": values, **more}


def key_of(client: TextClient) -> ApiKey:
    return api_parts.api().authenticator.authenticate(client.account.api_key, Scope.TEXT, None)


def start(client: TextClient, *steps: Any, tags: Attribution = Attribution()) -> str:  # noqa: B008 - frozen
    return str(api_parts.api().workflows.create({"steps": list(steps)}, key_of(client), None, tags)["id"])


def shown(client: TextClient, workflow_id: str) -> Any:
    return api_parts.api().workflows.reader.one(Caller.of_account(client.account.account_id), workflow_id)


def run(workflow_id: str) -> bool:
    """Hand the message of a workflow over; return whether it was carried out."""
    record = {"messageId": "m", "body": json.dumps({"workflow_id": workflow_id})}
    return not handler({"Records": [record]}, Context("RunBatchFunction"))["batchItemFailures"]


def held(client: TextClient) -> int:
    row = api_parts.api().tasks.ledger.account_row(client.account.account_id)
    assert row is not None
    return len(row.get("holds", {}))


def test_a_chat_uses_the_answer_of_another_one_and_is_charged_by_its_tokens(client: TextClient) -> None:
    steps = [chat("first", "[[tokens 20]] hi"), chat("second", "[[tokens 30]] On: $first.text")]
    workflow_id = start(client, *steps, chat("beside", "[[tokens 5]]"), tags=Attribution(tags={"team": "a"}))
    most = shown(client, workflow_id)["totalMicroUsd"]
    assert client.balance() == USD - most
    assert run(workflow_id)
    ended = shown(client, workflow_id)
    assert (ended["status"], [step["status"] for step in ended["steps"]]) == ("finished", ["finished"] * 3)
    texts = {entry.request_id: entry for entry in client.texts()}
    assert {step["requestId"]: step["costMicroUsd"] for step in ended["steps"]} == {
        request_id: -entry.amount_micro_usd for request_id, entry in texts.items()
    }
    assert [entry.tags for entry in texts.values()] == [{"team": "a"}] * 3
    # The second chat's input has the answer of the first one in it: 20 tokens.
    first, second = (texts[step["requestId"]].usage or {} for step in ended["steps"][:2])
    assert second["input_tokens"] >= first["input_tokens"] + 20
    assert 0 < ended["costMicroUsd"] < most
    assert client.balance() == USD - ended["costMicroUsd"]
    assert client.settled()
    assert held(client) == 0


def test_a_refused_chat_costs_nothing(client: TextClient) -> None:
    workflow_id = start(client, chat("bad", "[[reject]]"), chat("after", "$bad.text"))
    assert run(workflow_id)
    ended = shown(client, workflow_id)
    assert [(step["status"], step["costMicroUsd"]) for step in ended["steps"]] == [
        ("failed", 0),
        ("skipped", 0),
    ]
    assert (ended["status"], client.balance()) == ("failed", USD)
    assert client.settled()


def test_a_long_answer_is_cut_and_still_fits_the_next_hold(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tollgate.workflows.chat_steps.MAX_TEXT_BYTES", 50)
    workflow_id = start(client, chat("long", "[[tokens 90]]"), chat("next", "$long.text $long.text"))
    assert run(workflow_id)
    first, second = shown(client, workflow_id)["steps"]
    assert (len(json.dumps(first["text"])) - 2 <= 50, first["isCut"], second["status"]) == (
        True,
        True,
        "finished",
    )
    assert second["priceMicroUsd"] > 2 * MAX_TEXT_BYTES * 0.75


@pytest.mark.parametrize("deaths", [1, 2, 3])
def test_a_chat_whose_worker_died_runs_again_and_is_charged_once(
    client: TextClient, monkeypatch: pytest.MonkeyPatch, deaths: int
) -> None:
    monkeypatch.setattr("tollgate.workflows.rules.CLAIM_MS", 0)
    labels = Attribution("auth0|123", {"team": "a"})
    workflow_id = start(client, chat("only", "[[tokens 20]]"), tags=labels)
    save = WorkflowRepository.save

    def dies(repository: WorkflowRepository, workflow: Any) -> None:
        """Fail at the result, when the chat is answered and charged."""
        if workflow.steps[0].has_ended:
            raise StorageBusyError
        save(repository, workflow)

    with monkeypatch.context() as patch:
        patch.setattr(WorkflowRepository, "save", dies)
        for _ in range(deaths):
            assert not run(workflow_id)
    assert run(workflow_id)
    ended = shown(client, workflow_id)
    (step,) = ended["steps"]
    _, *given = client.entries_of(EntryKind.CREDIT)
    texts = client.texts()
    assert (len(texts), len(given)) == (2, 1) if deaths == 1 else (len(texts), len(given)) == (2, 2)
    if deaths == 1:
        assert (step["status"], ended["costMicroUsd"]) == ("finished", -texts[-1].amount_micro_usd)
        assert [(entry.user, entry.tags) for entry in texts] == [("auth0|123", {"team": "a"})] * 2
    else:
        assert (step["status"], step["error"]["code"], ended["costMicroUsd"]) == ("failed", "worker_lost", 0)
    assert client.balance() == USD - ended["costMicroUsd"]
    assert client.settled()
    assert held(client) == 0


def test_a_worker_whose_time_is_over_leaves_the_chat_to_the_next_one(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow_id = start(client, chat("only", "hi"))
    url = run_workflow_parts.RunWorkflowSettings.from_env().workflow_queue_url
    with monkeypatch.context() as patch:
        patch.setattr(worker, "START_S", 0.0)
        assert run(workflow_id)
    (message,) = sdk.sqs().receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    sdk.sqs().delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    assert json.loads(message["Body"]) == {"workflow_id": workflow_id}
    assert shown(client, workflow_id)["steps"][0]["status"] == "not_started"
    assert run(workflow_id)
    assert shown(client, workflow_id)["status"] == "finished"


def test_a_key_that_lost_its_right_answers_nothing(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow_id = start(client, chat("only", "hi"))
    with monkeypatch.context() as patch:
        patch.setattr("tollgate.accounts.models.ApiKey.usable_at", lambda *_: False)
        assert run(workflow_id)
    (step,) = shown(client, workflow_id)["steps"]
    assert (step["error"]["code"], client.balance()) == ("invalid_api_key", USD)
