"""The playground, its files, and the pages of tasks, through the handler of `functions/dashboard`."""

import html
import json
import re
from typing import Any

import pytest
from ulid import ULID

from tests.functional.conftest import MAX_STEPS
from tests.functional.test_api_repeats import TestPriceVersion
from tests.functional.test_dashboard import CREDIT_CENTS, FIELDS, PLAYGROUND, balance_cents, beside
from tests.support.clock import ManualClock
from tests.support.dashboard import ORIGIN, Answer, Browser
from tests.support.samples import PAID_IMAGE
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts


class TestPlayground:
    def test_every_media_model_has_a_form(self, ada: Browser) -> None:
        for dto in api_parts.api().listing.matching({"kind": "media"}):
            text = ada.get(f"/playground/{dto['id']}").text
            fields = set(re.findall(r'name="input\.(\w+)"', text))
            assert fields == {param["name"] for param in dto["params"] if not param["deprecated"]}

    def test_a_text_model_has_none(self, ada: Browser) -> None:
        assert ada.get("/playground/claude-haiku-4-5").status == 404

    def test_the_price_is_what_a_create_takes(self, ada: Browser) -> None:
        account_id = ada.sign_in()
        answer = ada.post(f"{PLAYGROUND}/estimate", FIELDS)
        assert "$0.01" in answer.text
        ada.post(f"{PLAYGROUND}/run", {**FIELDS, "form_id": "order_1"})
        assert balance_cents(account_id) == CREDIT_CENTS - 1

    def test_another_price_than_the_shown_one_is_shown_and_not_charged(
        self, ada: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        account_id = ada.sign_in()
        (agreed,) = re.findall(r'name="price_version" value="(\w+)" form="a-form"', ada.get(PLAYGROUND).text)
        TestPriceVersion.reprice(monkeypatch)
        sent = {**FIELDS, "form_id": "order_1", "price_version": agreed}
        refused = ada.post(f"{PLAYGROUND}/run", sent)
        assert (refused.status, refused.headers["hx-retarget"]) == (409, "#a-price")
        assert "$0.02" in refused.text
        assert "The price has changed" in beside(refused.text, "")
        assert balance_cents(account_id) == CREDIT_CENTS
        (now,) = re.findall(r'name="price_version" value="(\w+)"', refused.text)
        assert ada.post(f"{PLAYGROUND}/run", {**sent, "price_version": now}).status == 200
        assert balance_cents(account_id) == CREDIT_CENTS - 2

    def test_the_code_asks_for_what_the_form_says(self, ada: Browser) -> None:
        text = ada.post(f"{PLAYGROUND}/estimate", {**FIELDS, "input.prompt": "it's <b>"}).text
        assert "&#34;prompt&#34;: &#34;it&#39;\\&#39;&#39;s &lt;b&gt;&#34;" in text

    def test_what_is_missing_is_said_by_name_and_nothing_is_charged(self, ada: Browser) -> None:
        account_id = ada.sign_in()
        assert "Enter a prompt" in ada.post(f"{PLAYGROUND}/estimate", {"input.size": "1:1"}).text
        refused = ada.post(f"{PLAYGROUND}/run", {"input.size": "1:1", "form_id": "order_1"})
        assert refused.status == 400
        assert beside(refused.text, "prompt") == "Required."
        assert balance_cents(account_id) == CREDIT_CENTS

    def test_a_second_press_makes_no_second_task(self, ada: Browser) -> None:
        account_id = ada.sign_in()
        for _ in range(2):
            answer = ada.post(f"{PLAYGROUND}/run", {**FIELDS, "form_id": "order_1"})
            assert answer.status == 200, answer.text
        assert balance_cents(account_id) == CREDIT_CENTS - 1
        assert len(set(re.findall(r"task_[0-9A-Z]{26}", ada.get("/tasks").text))) == 1

    def test_after_a_run_the_form_has_another_name(self, ada: Browser) -> None:
        answer = ada.post(f"{PLAYGROUND}/run", {**FIELDS, "form_id": "order_1"})
        (name,) = re.findall(r'name="form_id" value="(\w+)"', answer.text)
        assert name != "order_1"
        assert answer.headers["hx-trigger"] == "money-moved, made"

    def test_without_balance_it_is_402_and_no_task(self, browser: Browser) -> None:
        opened = api_parts.api().accounts.open(0)
        browser.get("/sign-in")
        browser.post("/sign-in/development/key", {"key": opened.api_key})
        browser.get("/playground")
        answer = browser.post(f"{PLAYGROUND}/run", {**FIELDS, "form_id": "order_1"})
        assert answer.status == 402
        assert "No generations yet" in browser.get("/tasks").text

    def test_the_price_is_there_before_the_prompt(self, ada: Browser) -> None:
        # Published: $0.084 a second, 5 s when nothing else is said
        page = ada.get("/playground/kling-3.0").text
        assert "$0.42" in page
        assert "Enter a prompt" in page
        assert "$0.84" in ada.post("/playground/kling-3.0/estimate", {"input.duration": "10"}).text

    def test_a_price_by_the_length_of_a_file_is_said_to_be_one(self, ada: Browser) -> None:
        assert "Depends on your file" in ada.get("/playground/kling-3.0-motion-control").text

    def test_a_field_of_another_action_is_neither_sent_nor_charged(self, ada: Browser) -> None:
        fields = {"input.action": "lyrics", "input.prompt": "the sea", "input.title": "left from before"}
        estimate = ada.post("/playground/suno/estimate", fields).text
        assert "The exact charge" in estimate
        assert "left from before" not in estimate
        page = ada.get("/playground/suno").text
        (shown,) = re.findall(r'data-field="input.title" data-shown-with="([^"]*)"', page)
        actions = json.loads(html.unescape(shown))["input.action"]
        assert "music" in actions
        assert "lyrics" not in actions

    def test_what_is_wrong_is_said_beside_its_field(self, ada: Browser) -> None:
        fields = {"input.prompt": "a boat", "input.size": "7:1"}
        estimate = ada.post(f"{PLAYGROUND}/estimate", fields).text
        assert beside(estimate, "size").count("1:1, 4:3, 3:4, 16:9, 9:16") == 1
        assert not beside(estimate, "prompt")
        refused = ada.post(f"{PLAYGROUND}/run", {**fields, "form_id": "order_1", "panel": "b"})
        assert "Must be one of: 1:1" in beside(refused.text, "size", panel="b")
        assert refused.headers["hx-reswap"] == "none"

    def test_a_link_opens_the_form_as_it_was(self, ada: Browser) -> None:
        query = "input.prompt=a+red+boat&input.size=9:16&input.enableSafetyChecker=off"
        page = ada.get(f"{PLAYGROUND}?{query}").text
        assert ">a red boat</textarea>" in page
        assert re.search(r'value="9:16" checked', page)
        assert 'name="input.enableSafetyChecker" checked' not in page
        assert (
            'name="input.enableSafetyChecker" checked' in ada.get("/playground/z-image?input.size=9:16").text
        )
        assert "No generations yet" in ada.get("/tasks").text

    def test_two_models_stand_side_by_side(self, ada: Browser) -> None:
        query = "beside=kling-3.0&input.prompt=a+boat&b.input.prompt=a+ship"
        page = ada.get(f"{PLAYGROUND}?{query}").text
        assert ">a boat</textarea>" in page
        assert ">a ship</textarea>" in page
        assert page.count('name="panel" value="b"') == 1
        assert ada.get(f"{PLAYGROUND}?beside=claude-haiku-4-5").status == 404

    def test_the_models_to_choose_from_have_kind_and_price(self, ada: Browser) -> None:
        models = ada.get("/playground/models", part=True).text
        (z_image,) = re.findall(r'(?s)data-model="z-image".*?</li>', models)
        assert "Image" in z_image
        assert "$0.01" in z_image
        assert "claude" not in models


class TestFilesOfTheForm:
    def grant(self, browser: Browser, **body: Any) -> Answer:
        sent = {"filename": "boat.png", "contentType": "image/png", "bytes": 1000, **body}
        headers = {"content-type": "application/json", "origin": ORIGIN, "x-csrf-token": browser.csrf}
        return browser.send("POST", "/playground/files", headers, json.dumps(sent))

    def test_the_page_is_given_a_form_that_its_policy_lets_it_send(self, ada: Browser) -> None:
        ada.get("/playground")
        granted = json.loads(self.grant(ada).text)
        assert granted["id"].startswith("file_")
        policy = ada.get("/playground").headers["content-security-policy"]
        (allowed,) = re.findall(r"connect-src 'self' (\S+?);", policy)
        assert granted["upload"]["url"].startswith(f"{allowed}/")

    def test_what_models_do_not_take_is_refused_in_words(self, ada: Browser) -> None:
        ada.get("/playground")
        answer = self.grant(ada, contentType="text/html")
        assert answer.status == 400
        assert "Must be one of: " in json.loads(answer.text)["message"]

    def test_it_takes_a_session_and_its_token(self, ada: Browser, browser: Browser) -> None:
        assert self.grant(Browser(ada.session, "forged")).status == 403
        stranger = Browser()
        stranger.get("/sign-in")
        assert self.grant(stranger).status == 303


class TestTasks:
    def run(self, browser: Browser, prompt: str = "a lighthouse") -> str:
        fields = {"input.prompt": prompt, "input.size": "1:1", "form_id": f"order_{prompt[:9]}"}
        answer = browser.post(f"{PLAYGROUND}/run", fields)
        return str(re.findall(r"task_[0-9A-Z]{26}", answer.text)[0])

    def finish(self, task_id: str, clock: ManualClock) -> None:
        runner = run_task_parts.step_runner()
        for _ in range(MAX_STEPS):
            task = runner.tasks.get(task_id)
            assert task is not None
            if task.ended:
                return
            runner.run(task_id, task.seq)
            clock.advance_ms(1000)
        pytest.fail(f"{task_id} did not end")

    def test_a_task_asks_again_until_it_has_ended(self, ada: Browser, clock: ManualClock) -> None:
        task_id = self.run(ada)
        card = ada.get(f"/tasks/{task_id}/card", part=True)
        assert f'hx-get="/live/dashboard/tasks/{task_id}/card"' in card.text
        self.finish(task_id, clock)
        ended = ada.get(f"/tasks/{task_id}/card", part=True)
        assert "hx-get" not in ended.text
        assert ended.headers["hx-trigger"] == "money-moved"
        assert '<img src="https://files.test/' in ended.text

    def test_its_page_has_attempts_cost_and_the_code(self, ada: Browser, clock: ManualClock) -> None:
        task_id = self.run(ada)
        self.finish(task_id, clock)
        text = ada.get(f"/tasks/{task_id}").text
        assert "$0.01" in text
        assert "Attempts" in text
        assert "Succeeded" in text
        assert "a lighthouse" in text

    def test_a_failed_one_shows_its_refund(self, ada: Browser, clock: ManualClock) -> None:
        task_id = self.run(ada, "none [[fail]]")
        self.finish(task_id, clock)
        text = ada.get(f"/tasks/{task_id}/card").text
        assert "refunded $0.01" in text
        assert "Failed" in text

    def test_anothers_is_as_if_it_did_not_exist(self, ada: Browser) -> None:
        task_id = self.run(ada)
        bob = Browser()
        bob.sign_in("bob@example.com")
        pages = (
            f"/tasks/{task_id}",
            f"/tasks/{task_id}/card",
            f"{PLAYGROUND}?again={task_id}",
            f"{PLAYGROUND}?use={task_id}",
            f"/playground/tasks/{task_id}",
        )
        for path in pages:
            assert bob.get(path).status == 404
        for action in ("cancel", "again"):
            assert bob.post(f"/playground/tasks/{task_id}/{action}").status == 404
        assert task_id not in bob.get("/tasks").text

    def test_a_budget_of_the_account_counts_it(self, ada: Browser) -> None:
        account_id = ada.sign_in("ada@example.com")
        budget = {"name": "All", "scope": "account", "limitCents": 1, "per": "total"}
        api_parts.api().budgets.create(account_id, budget, None)
        task_id = self.run(ada)
        refused = ada.post(f"/playground/tasks/{task_id}/again", {"form_id": "again_1"})
        assert refused.status == 402
        assert "The budget All has $0.00 of $0.01 left" in refused.text

    def test_it_can_be_made_again_for_no_more(self, ada: Browser) -> None:
        task_id = self.run(ada)
        for _ in range(2):
            made = ada.post(f"/playground/tasks/{task_id}/again", {"form_id": "again_1"})
            assert made.status == 200, made.text
        assert len(set(re.findall(r"task_[0-9A-Z]{26}", ada.get("/tasks").text))) == 2

    def test_the_panel_follows_it_to_its_end(self, ada: Browser, clock: ManualClock) -> None:
        task_id = self.run(ada)
        panel = ada.get(f"/playground/tasks/{task_id}", part=True)
        assert "Next in the queue" in panel.text
        assert f'hx-post="/live/dashboard/playground/tasks/{task_id}/cancel"' in panel.text
        self.finish(task_id, clock)
        ended = ada.get(f"/playground/tasks/{task_id}", part=True)
        assert "hx-get" not in ended.text
        assert " download" in ended.text
        assert ended.headers["hx-trigger"] == "money-moved, made"
        assert task_id in ada.get("/playground/history", part=True).text

    def test_its_end_is_asked_for(self, ada: Browser) -> None:
        task_id = self.run(ada)
        answer = ada.post(f"/playground/tasks/{task_id}/cancel")
        assert "Cancelling" in answer.text

    def test_its_file_becomes_the_input_of_another(self, ada: Browser, clock: ManualClock) -> None:
        task_id = self.run(ada)
        self.finish(task_id, clock)
        page = ada.get(f"/playground/seedance-1.5-pro?use={task_id}&file=0").text
        assert re.search(r'name="input.imageUrls">https://files.test/\S+</textarea>', page)

    def test_they_are_filtered_by_status_and_day(self, ada: Browser) -> None:
        task_id = self.run(ada)
        assert task_id in ada.get(f"/tasks?status=not_started&model={PAID_IMAGE}").text
        assert task_id not in ada.get("/tasks?status=finished").text
        # A task is of the day in its id.
        day = ULID.from_str(task_id.removeprefix("task_")).datetime.date().isoformat()
        assert task_id in ada.get(f"/tasks?from={day}&to={day}").text
        assert "No tasks found" in ada.get("/tasks?to=2020-01-01").text
        assert ada.get("/tasks?from=2020-02-30").status == 400

    def test_one_can_be_made_again(self, ada: Browser) -> None:
        task_id = self.run(ada, "a red boat")
        assert ">a red boat</textarea>" in ada.get(f"{PLAYGROUND}?again={task_id}").text

    def test_a_prompt_is_shown_as_text(self, ada: Browser) -> None:
        task_id = self.run(ada, "<img src=x onerror=alert(1)>")
        for path in ("/tasks", f"/tasks/{task_id}", f"{PLAYGROUND}?again={task_id}"):
            assert "<img src=x" not in ada.get(path).text
