"""The pages of workflows and batches, and the options of a task in the playground."""

import json
import re
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.dashboard.test_dashboard_budgets import words
from tests.functional.test_dashboard import FIELDS, PLAYGROUND, beside
from tests.functional.test_run_task import task_of
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.samples import PAID_BODY
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import Scope
from tollgate.batches import reader
from tollgate.batches.models import CLAIM_S, ENDED, Batch, Kind, State, new_batch
from tollgate.composition import api as api_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import database
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.writes import put_if_unchanged
from tollgate.ledger.attribution import NONE
from tollgate.ledger.callers import Caller

HOSTILE = "<i>Launch"


def key_of(account_id: str) -> ApiKey:
    made = api_parts.api().keys.create(account_id, {"name": "Jobs"}, None)
    return api_parts.api().authenticator.authenticate(made["key"], Scope.MEDIA, "127.0.0.1")


class TestWorkflows:
    def test_one_is_shown_with_its_money_and_cancelled(self, account_id: str, browser: Browser) -> None:
        assert "No workflows yet" in words(browser.get("/workflows"))
        image = {"id": "image", **PAID_BODY}
        cutout = {"id": "cutout", "model": "bria-rmbg-2.0", "input": {"imageUrls": ["$image.files[0]"]}}
        body = {"name": HOSTILE, "steps": [image, cutout]}
        workflow_id = api_parts.api().workflows.create(body, key_of(account_id), None, NONE)["id"]
        listed = browser.get("/workflows")
        assert HOSTILE not in listed.text
        assert "0 of 2" in words(listed)
        shown = browser.get(f"/workflows/{workflow_id}")
        # $0.01 and $0.02 are reserved, and nothing is charged before a step starts.
        assert "Reserved $0.03 Charged $0.00 Not charged yet $0.03" in words(shown)
        assert "hx-trigger" in shown.text
        assert browser.post(f"/workflows/{workflow_id}/cancel").headers["hx-redirect"].endswith(workflow_id)
        ended = words(browser.get(f"/workflows/{workflow_id}"))
        assert ended.count("Skipped") == 2
        assert ended.count("Nothing was charged.") == 2

    def test_anothers_and_a_wrong_cursor_are_refused(self, account_id: str, browser: Browser) -> None:
        other = api_parts.api().accounts.open(1_000_000)
        body = {"steps": [{"id": "image", **PAID_BODY}]}
        made = api_parts.api().workflows.create(body, key_of(other.account_id), None, NONE)
        browser.get("/workflows")
        assert browser.get(f"/workflows/{made['id']}").status == 404
        assert browser.post(f"/workflows/{made['id']}/cancel").status == 404
        assert browser.get("/workflows?cursor=x").status == 400


class TestBatches:
    def stored(self, account_id: str, now_ms: int, kind: Kind = Kind.OPENAI, **fields: Any) -> Batch:
        more: dict[str, Any] = {
            "endpoint": "/v1/messages",
            "input_file_id": None,
            "key_id": "k",
            "metadata": {},
        }
        batch = new_batch(account_id, kind, now_ms, "f", {**more, "input_key": "x", **fields})
        table = dashboard_parts.dashboard().settings.responses_table
        database.database().write(
            put_if_unchanged(table, batch.row, "response_id", 0, lambda _: AssertionError())
        )
        return batch

    def test_both_protocols_are_one_list_in_pages(
        self, account_id: str, browser: Browser, clock: ManualClock
    ) -> None:
        assert "No batches yet" in words(browser.get("/batches"))
        kinds = [Kind.OPENAI, Kind.ANTHROPIC] * 11
        made = [self.stored(account_id, clock.now_ms() + n, kind) for n, kind in enumerate(kinds)]
        other = api_parts.api().accounts.open(0)
        self.stored(other.account_id, clock.now_ms())
        first = browser.get("/batches").text
        (cursor,) = re.findall(r"cursor=([0-9A-Z]{26})", first)
        second = browser.get(f"/batches?cursor={cursor}").text
        shown = [re.findall(r'<article[^>]* id="(\w+)"', text) for text in (first, second)]
        assert [*shown[0], *shown[1]] == [batch.id for batch in reversed(made)]
        assert len(shown[0]) == 20
        assert browser.get("/batches?cursor=x").status == 400
        # After its 30 days a row is gone, also before DynamoDB deletes it.
        clock.advance_ms(31 * 24 * 3600 * MS_PER_S)
        browser.sign_in()
        assert "No batches yet" in words(browser.get("/batches"))

    @pytest.mark.parametrize("state", list(State), ids=str)
    def test_it_is_cancelled_before_its_end_only(
        self, account_id: str, browser: Browser, clock: ManualClock, state: State
    ) -> None:
        counts: dict[str, Any] = {"total": 12, "succeeded": 7, "errored": 2, "state": str(state)}
        batch = self.stored(account_id, clock.now_ms(), **counts)
        shown = browser.get("/batches")
        assert "7 of 12 answered, 2 failed" in words(shown)
        assert ('hx-trigger="load' in shown.text) == (state not in ENDED)
        may = state in (State.VALIDATING, State.IN_PROGRESS)
        assert (f"{batch.id}-cancel" in shown.text) == may
        after = browser.post(f"/batches/{batch.id}/cancel")
        assert after.status == 200
        found = dashboard_parts.dashboard().batches.find(account_id, batch.id)
        assert found.state is (State.CANCELLING if may else state)

    def test_one_that_changes_all_the_time_is_not_cancelled(
        self, account_id: str, browser: Browser, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        batch = self.stored(account_id, clock.now_ms())
        monkeypatch.setattr(reader, "MAX_ATTEMPTS", 0)
        assert browser.post(f"/batches/{batch.id}/cancel").status == 503
        assert dashboard_parts.dashboard().batches.find(account_id, batch.id).state is State.VALIDATING

    def test_one_that_no_worker_has_is_awakened(
        self, account_id: str, browser: Browser, clock: ManualClock, aws: Aws
    ) -> None:
        batch = self.stored(account_id, clock.now_ms())
        clock.advance_ms(CLAIM_S * MS_PER_S)
        for _ in range(2):
            assert browser.get(f"/batches/{batch.id}").status == 200
        messages = [json.loads(body) for body in aws.messages("BatchQueue")]
        assert messages == [{"account_id": account_id, "batch_id": batch.id}]

    def test_files_are_signed_for_their_account(
        self, account_id: str, browser: Browser, clock: ManualClock
    ) -> None:
        uploads = api_parts.api().files.uploads
        file_id = uploads.new_id()
        uploads.put(Caller.of_account(account_id), file_id, "application/jsonl", b"{}", ("in.jsonl", "batch"))
        batch = self.stored(account_id, clock.now_ms(), input_file_id=file_id, output_file_id=file_id)
        of_anthropic = self.stored(
            account_id, clock.now_ms(), Kind.ANTHROPIC, state=str(State.COMPLETED), input_file_id=None
        )
        browser.get("/batches")
        found = browser.get(f"/batches/{batch.id}/files/input")
        assert found.status == 303
        assert f"inputs/{account_id}" in found.headers["location"]
        # Chosen before they are written.
        assert browser.get(f"/batches/{batch.id}/files/results").status == 404
        results = browser.get(f"/batches/{of_anthropic.id}/files/results")
        assert f"responses/{account_id}/{of_anthropic.id}.jsonl" in results.headers["location"]
        bob = Browser()
        bob.sign_in("bob@example.com")
        for path in (f"/batches/{batch.id}", f"/batches/{of_anthropic.id}/files/results"):
            assert bob.get(path).status == 404


FORM = {
    **FIELDS,
    "form_id": "order_1",
    "option-private": "on",
    "option-expiresInS": "3600",
    "option-webhook": "https://example.com/hook",
    "option-webhookProgress": "on",
    "option-tags": "team=search, feature=x",
}


class TestOptions:
    def made(self, ada: Browser, path: str, form: Any) -> Any:
        answer = ada.post(path, form)
        assert answer.status == 200, answer.text
        return task_of(re.findall(r"task_[0-9A-Z]{26}", answer.text)[0])

    def test_the_task_has_them_and_a_repeat_those_of_its_files(self, ada: Browser) -> None:
        task = self.made(ada, f"{PLAYGROUND}/run", FORM)
        assert (task.private, task.expires_in_s, task.webhook) == (True, 3600, "https://example.com/hook")
        assert task.told is not None
        assert task.attribution.tags == {"team": "search", "feature": "x"}
        page = ada.get(f"{PLAYGROUND}?again={task.task_id}").text
        assert re.search(r'name="option-private" checked', page)
        assert 'value="team=search,feature=x"' in page
        repeat = self.made(ada, f"/playground/tasks/{task.task_id}/again", {"form_id": "again_1"})
        assert (repeat.private, repeat.expires_in_s, repeat.webhook) == (True, 3600, None)
        # So the budgets of its tags count the repeat too.
        assert repeat.attribution.tags == {"team": "search", "feature": "x"}

    def test_the_code_has_them(self, ada: Browser) -> None:
        text = ada.post(f"{PLAYGROUND}/estimate", FORM).text
        assert "private=True" in text
        assert "&#34;expiresInS&#34;: 3600" in text

    @pytest.mark.parametrize(
        ("name", "value", "said"),
        [
            ("finishByS", "1", "Must be whole seconds, for this model"),
            ("finishByS", "soon", "Must be whole seconds"),
            ("expiresInS", "5", "Must be whole seconds, 3600 to 31536000."),
            ("webhook", "nonsense", "http"),
            ("tags", "team", "Each tag needs a name and a value."),
            ("tags", "Team=x", "Wrong name of a tag: Team."),
            ("webhookProgress", "on", "Needs a webhook"),
        ],
    )
    def test_what_is_wrong_is_said_beside_it_and_nothing_is_made(
        self, ada: Browser, name: str, value: str, said: str
    ) -> None:
        form = {**FIELDS, "form_id": "order_1", f"option-{name}": value}
        refused = ada.post(f"{PLAYGROUND}/run", form)
        assert refused.status == 400
        assert said in beside(refused.text, f"option-{name}")
        assert "No generations yet" in ada.get("/tasks").text
