"""The gallery of tasks and public pages of results, through the handler of `functions/dashboard`."""

import re

import pytest

from tests.functional.conftest import with_prompt
from tests.functional.dashboard.test_dashboard_members import member
from tests.functional.test_audit_log import operator_console
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import Answer, Browser
from tests.support.samples import PAID_IMAGE
from tests.support.tasks import create_task
from tollgate.audit.events import Action, Log
from tollgate.composition import api as api_parts
from tollgate.ledger.callers import Caller

WITH_INPUT = {"input": "on"}


def made(account_id: str, prompt: str, clock: ManualClock) -> str:
    """Have a task end; return its id."""
    created = create_task(account_id, {"model": PAID_IMAGE, **with_prompt(prompt)})
    task_id = str(created["taskId"])
    run_to_end(task_id, clock)
    return task_id


def link_in(answer: Answer) -> str:
    """Return the path of the public page below `/dashboard`."""
    found = re.search(r"/dashboard(/shared/task_\w+)<", answer.text)
    assert found is not None, answer.text
    return found[1]


@pytest.fixture
def task_id(account_id: str, clock: ManualClock) -> str:
    """Return a generation that has ended well."""
    return made(account_id, "a red boat", clock)


class TestSharing:
    def test_a_stranger_sees_the_result_until_it_is_private_again(
        self, account_id: str, browser: Browser, task_id: str
    ) -> None:
        link = link_in(browser.post(f"/tasks/{task_id}/share", WITH_INPUT))
        # Sent again, it is the same page.
        assert link_in(browser.post(f"/tasks/{task_id}/share", WITH_INPUT)) == link
        stranger = Browser()
        seen = stranger.get(link)
        (file,) = api_parts.api().reader.find(Caller.of_account(account_id), task_id).files
        assert (seen.status, file.url in seen.text, "a red boat" in seen.text) == (200, True, True)
        assert 'content="noindex"' in seen.text
        assert account_id not in seen.text
        guessed = f"{link[:-1]}{'0' if link[-1] != '0' else '1'}"
        for wrong in (guessed, f"/shared/{task_id}_", f"/shared/{task_id}_é", "/shared/x", "/shared/_"):
            assert stranger.get(wrong).status == 404, wrong
        assert browser.post(f"/tasks/{task_id}/unshare").status == 200
        assert stranger.get(link).status == 404
        assert link_in(browser.post(f"/tasks/{task_id}/share", WITH_INPUT)) != link
        acts = [event.action for event in api_parts.api().audit.page(account_id, log=Log.ACCESS).rows]
        assert acts[:3] == [Action.TASK_SHARED, Action.TASK_UNSHARED, Action.TASK_SHARED]

    def test_the_input_is_shown_and_remixed_only_if_it_is_shared(
        self, browser: Browser, task_id: str
    ) -> None:
        link = link_in(browser.post(f"/tasks/{task_id}/share"))
        assert "a red boat" not in Browser().get(link).text
        bob = Browser()
        bob.sign_in("bob@example.com")
        remix = f"/playground/{PAID_IMAGE}?remix={link.rpartition('/')[2]}"
        assert "a red boat" not in bob.get(remix).text
        # The address stays.
        assert link_in(browser.post(f"/tasks/{task_id}/share", WITH_INPUT)) == link
        assert remix.partition("?")[2] in bob.get(link).text
        assert "a red boat" in bob.get(remix).text

    def test_others_cannot_share_and_nothing_is_shown_of_a_suspended_account(
        self, account_id: str, browser: Browser, task_id: str
    ) -> None:
        bob = Browser()
        bob.sign_in("bob@example.com")
        assert bob.post(f"/tasks/{task_id}/share", WITH_INPUT).status == 404
        viewer = member(browser, "viewer", "cy@example.com")
        assert viewer.post(f"/tasks/{task_id}/share", WITH_INPUT).status == 403
        browser.get("/tasks")
        link = link_in(browser.post(f"/tasks/{task_id}/share", WITH_INPUT))
        operator_console().post(f"/accounts/{account_id}", {"action": "suspend", "reason": "abuse"})
        assert Browser().get(link).status == 404

    def test_what_has_no_files_is_not_shared(
        self, account_id: str, browser: Browser, clock: ManualClock
    ) -> None:
        task_id = made(account_id, "[[reject]]", clock)
        assert browser.post(f"/tasks/{task_id}/share", WITH_INPUT).status == 403


class TestTheGallery:
    def test_it_finds_words_and_deletes_what_is_chosen(
        self, account_id: str, browser: Browser, clock: ManualClock, task_id: str
    ) -> None:
        fox = made(account_id, "a grey fox", clock)
        running = str(create_task(account_id, {"model": PAID_IMAGE, **with_prompt("x")})["taskId"])
        shown = browser.get("/tasks?words=RED+boat").text
        assert (task_id in shown, fox in shown) == (True, False)
        link = link_in(browser.post(f"/tasks/{task_id}/share", WITH_INPUT))
        answer = browser.post("/tasks/delete", {"task": [task_id, running]})
        assert "Files of 1 generation deleted. 1 still running." in answer.text
        assert answer.headers["hx-trigger"] == "tasks-deleted"
        reader, caller = api_parts.api().reader, Caller.of_account(account_id)
        tasks = {each: reader.find(caller, each) for each in (task_id, fox)}
        assert (tasks[task_id].files, len(tasks[fox].files)) == ((), 1)
        assert Browser().get(link).status == 404
        assert browser.post("/tasks/delete", {"task": [task_id]}).status == 200
        assert browser.post("/tasks/delete").status == 400
        assert browser.post("/tasks/delete", {"task": [fox] * 25}).status == 400
        bob = Browser()
        bob.sign_in("bob@example.com")
        assert bob.post("/tasks/delete", {"task": [fox]}).status == 404
