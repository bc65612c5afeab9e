"""Examples of models: made by the operator's command, shown on the pages of models and the landing page."""

import json
from typing import Any

import pytest

from tests.functional.commands import Run, refusal, run
from tests.functional.test_landing import get
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.samples import PAID_IMAGE
from tollgate.composition import api as api_parts
from tollgate.ledger.callers import Caller
from tollgate.web.prompts import PROMPTS

__all__ = ["run"]


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, clock: ManualClock, account_id: str) -> list[float]:
    """Work on the account's tasks whenever the command waits for them; return its waits in seconds."""
    waits: list[float] = []

    def work(seconds: float) -> None:
        waits.append(seconds)
        for task in api_parts.api().reader.found(Caller.of_account(account_id), {}).rows:
            run_to_end(task.task_id, clock)

    monkeypatch.setattr("tollgate.command.examples.time.sleep", work)
    return waits


def made(run: Run, account_id: str, *more: str) -> Any:
    """Make examples of a model; return the rows of the answer."""
    result = run("examples", "make", "--account", account_id, "--model", PAID_IMAGE, "--yes", "--json", *more)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["examples"]


class TestExamples:
    def test_they_are_made_once_and_shown_to_visitors_with_a_way_to_the_playground(
        self, run: Run, browser: Browser, account_id: str, worker: list[float]
    ) -> None:
        model_page = Browser(base="/models")
        assert "no examples of" in model_page.get(f"/{PAID_IMAGE}").text
        rows = made(run, account_id, "--each", "2")
        assert [row["status"] for row in rows] == ["published", "published"]
        assert worker
        assert made(run, account_id, "--each", "2") == []
        assert f"{PAID_IMAGE}" in run("examples", "list").stdout
        shown = model_page.get(f"/{PAID_IMAGE}").text
        tasks = [api_parts.api().reader.find(Caller.of_account(account_id), row["taskId"]) for row in rows]
        for task, prompt in zip(tasks, PROMPTS["IMAGE"], strict=False):
            assert task.files[0].url in shown
            assert prompt in shown
            assert f"?remix={task.task_id}_" in shown
        assert any(task.files[0].url in get("/")["body"] for task in tasks)
        # An example whose sharing has ended is gone from the pages.
        browser.get("/tasks")
        assert browser.post(f"/tasks/{rows[0]['taskId']}/unshare").status == 200
        shown = model_page.get(f"/{PAID_IMAGE}").text
        assert (tasks[0].files[0].url in shown, tasks[1].files[0].url in shown) == (False, True)
        assert run("examples", "clear", PAID_IMAGE).exit_code == 0
        assert "no examples of" in model_page.get(f"/{PAID_IMAGE}").text

    def test_a_model_without_examples_stays_without(self, run: Run) -> None:
        cleared = run("examples", "clear", "")
        assert (cleared.exit_code, cleared.stdout) == (0, " has no examples.\n")

    def test_what_cannot_be_made_is_told(self, run: Run, account_id: str) -> None:
        told = refusal(run("examples", "make", "--account", account_id, "--model", "gpt-5.4-mini", "--yes"))
        assert told == "tollgate: No media model is named gpt-5.4-mini."
        told = refusal(run("examples", "make", "--account", account_id, "--model", PAID_IMAGE, "--json"))
        assert "--yes" in told
        # It needs an image.
        rows = run("examples", "make", "--account", account_id, "--model", "bria-rmbg-2.0", "--yes")
        assert "0 of 0 published" in rows.stdout
