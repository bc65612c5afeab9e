"""`functions/get_status`: how a task is, when to ask again, and an answer that waits for the end."""

import json
from pathlib import Path
from typing import Any

import pytest

from get_status.app import handler
from local.machine.events import Context
from local.template import ROOT
from tests.conftest import Aws
from tests.functional.conftest import create
from tests.functional.test_api import call, details
from tests.functional.test_run_task import run_to_end
from tests.functional.test_task_api import get
from tests.support.clock import ManualClock
from tollgate.accounts.service import OpenedAccount
from tollgate.kit.clock import MS_PER_S

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/get_status.json").read_text())


class TestTheEventFile:
    def test_its_well_formed_but_unknown_key_is_refused(self, aws: Aws) -> None:
        answer = handler(EVENT, Context("GetStatusFunction"))  # type: ignore[arg-type]
        assert answer["statusCode"] == 401
        assert json.loads(answer["body"])["error"]["code"] == "invalid_api_key"


class TestPolling:
    @pytest.mark.parametrize(
        ("taken_s", "after_s"), [(0, 2), (19, 2), (30, 3), (90, 9), (149, 14), (3600, 15)]
    )
    def test_it_says_when_to_ask_again_in_body_and_header(
        self, customer: OpenedAccount, clock: ManualClock, taken_s: int, after_s: int
    ) -> None:
        task_id = create(customer)
        clock.advance_ms(taken_s * MS_PER_S)
        status, body, headers = call("GET", f"/api/v1/task/status/{task_id}", customer.api_key)
        assert (status, body["data"]["pollAfterS"], headers["retry-after"]) == (200, after_s, str(after_s))

    def test_a_task_that_has_ended_is_not_asked_for_again(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer)
        run_to_end(task_id, clock)
        _, body, headers = call("GET", f"/api/v1/task/status/{task_id}", customer.api_key)
        assert "pollAfterS" not in body["data"]
        assert "retry-after" not in headers


class TestWait:
    def test_it_answers_as_soon_as_the_task_has_ended(
        self, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task_id = create(customer)
        looked: list[float] = []

        async def pass_time(seconds: float) -> None:
            looked.append(seconds)
            if len(looked) == 3:
                run_to_end(task_id, clock)

        monkeypatch.setattr("get_status.status.anyio.sleep", pass_time)
        assert get(customer, f"/api/v1/task/status/{task_id}?wait=20")["status"] == "finished"
        assert len(looked) == 3

    def test_it_answers_in_time_when_nothing_happens(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task_id = create(customer)
        looked: list[float] = []

        async def pass_time(seconds: float) -> None:
            looked.append(seconds)

        monkeypatch.setattr("get_status.status.anyio.sleep", pass_time)
        assert get(customer, f"/api/v1/task/status/{task_id}?wait=20")["status"] == "not_started"
        assert sum(looked) == 20

    @pytest.mark.parametrize("wait", ["21", "-1", "1.5", "soon", ""])
    def test_another_wait_is_refused(self, customer: OpenedAccount, wait: str) -> None:
        status, body, _ = call("GET", f"/api/v1/task/status/{create(customer)}?wait={wait}", customer.api_key)
        assert status == 400
        assert details(body).keys() == {"/wait"}
