"""The media test models: each end of a task, on an account without any money."""

import json
import struct
from io import BytesIO
from typing import Any

import av
import pytest
from PIL import Image

from tests.conftest import Aws
from tests.functional.test_run_task import ledger_of, run_to_end, task_of
from tests.support.clock import ManualClock
from tests.support.overrides import STORAGE_URL
from tests.support.samples import PAID_IMAGE
from tests.support.tasks import create_task
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.clock import MS_PER_S
from tollgate.ledger.audit import audit
from tollgate.tasks.models import Task

DEADLINE_S = 60


@pytest.fixture
def pauper(aws: Aws) -> OpenedAccount:
    """Return an account with nothing on it."""
    return api_parts.api().accounts.open(0)


def order(account: OpenedAccount, prompt: str, model: str = "test-image", **fields: Any) -> str:
    body = {"model": model, "input": {"prompt": prompt}, **fields}
    return str(create_task(account.account_id, body)["taskId"])


def is_sound(account: OpenedAccount) -> bool:
    """Return whether the books agree at a balance of 0, and no task is counted as open or running."""
    found = api_parts.api().accounts.me(account.account_id)
    ledger = run_task_parts.step_runner().ledger
    free, waiting, _ = ledger.slots(account.account_id)
    entries = ledger.entries(account.account_id)
    return (found.balance_micro_usd, free, waiting) == (0, 100, 0) and audit(
        account.account_id, found.balance_micro_usd, entries
    ) is None


def stored(aws: Aws, task: Task) -> bytes:
    (file,) = task.files
    key = file.url.removeprefix(f"{STORAGE_URL}/")
    answer = aws.clients.s3.get_object(Bucket=aws.stack.refs["MediaBucket"], Key=key)
    return answer["Body"].read()


@pytest.mark.usefixtures("aws")
class TestPrice:
    @pytest.mark.parametrize("model", ["test-image", "test-video"])
    def test_the_estimate_is_nothing(self, pauper: OpenedAccount, model: str) -> None:
        body = {"model": model, "input": {"prompt": "a fox"}, "maxCostCents": 0}
        found = api_parts.api().tasks.estimate(pauper.account_id, body, key=None)
        assert (found["price"], found["breakdown"][0]["amountUsd"]) == (0, "0")

    def test_what_costs_something_stays_out_of_reach(self, pauper: OpenedAccount) -> None:
        body = {"model": PAID_IMAGE, "input": {"prompt": "a fox", "size": "1:1"}}
        with pytest.raises(Exception, match=r"balance of \$0\.00 does not cover"):
            create_task(pauper.account_id, body)


@pytest.mark.usefixtures("aws")
class TestFinished:
    def test_a_picture(self, aws: Aws, pauper: OpenedAccount, clock: ManualClock) -> None:
        task = run_to_end(order(pauper, "a fox"), clock)
        assert task.status == "finished"
        assert task.view()["costCents"] == task.view()["refundedCents"] == 0
        assert Image.open(BytesIO(stored(aws, task))).size == (512, 512)
        assert ledger_of(pauper) == [("charge", 0)]
        assert is_sound(pauper)

    def test_a_clip(self, aws: Aws, pauper: OpenedAccount, clock: ManualClock) -> None:
        task = run_to_end(order(pauper, "a fox", "test-video"), clock)
        with av.open(BytesIO(stored(aws, task)), "r") as clip:
            assert clip.duration == 2 * av.time_base
        assert task.files[0].file_type == "video"
        assert is_sound(pauper)

    def test_a_3d_object(self, aws: Aws, pauper: OpenedAccount, clock: ManualClock) -> None:
        task = run_to_end(order(pauper, "a fox", "test-3d"), clock)
        file = stored(aws, task)
        magic, version, size = struct.unpack_from("<4sII", file)
        assert (magic, version, size) == (b"glTF", 2, len(file))
        (scene_bytes,) = struct.unpack_from("<I", file, 12)
        scene = json.loads(file[20 : 20 + scene_bytes])
        assert scene["meshes"][0]["primitives"][0]["attributes"]["POSITION"] == 0
        assert (task.files[0].file_type, task.files[0].content_type) == ("3d", "model/gltf-binary")
        assert is_sound(pauper)

    def test_a_slow_one_tells_its_progress_on_the_way(
        self, pauper: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = order(pauper, "a fox [[slow 20]]")
        runner = run_task_parts.step_runner()
        runner.run(task_id, 0)
        clock.advance_ms(5 * MS_PER_S)
        runner.run(task_id, task_of(task_id).seq)
        assert (task_of(task_id).status, task_of(task_id).progress) == ("running", 25)
        task = run_to_end(task_id, clock)
        assert task.status == "finished"
        assert task.finished_at_ms is not None
        assert 20 * MS_PER_S <= task.finished_at_ms - task.created_at_ms < 22 * MS_PER_S


@pytest.mark.usefixtures("aws")
class TestOtherEnds:
    @pytest.mark.parametrize(
        ("prompt", "status", "code"),
        [
            ("[[fail]]", "failed", "providers_exhausted"),
            ("[[slow 3]] then [[FAIL]]", "failed", "providers_exhausted"),
            ("[[reject]]", "failed", "content_rejected"),
        ],
    )
    def test_it_is_refunded_to_the_last_nothing(
        self, pauper: OpenedAccount, clock: ManualClock, prompt: str, status: str, code: str
    ) -> None:
        task = run_to_end(order(pauper, prompt), clock)
        assert (task.status, task.error and task.error.code) == (status, code)
        assert ledger_of(pauper) == [("charge", 0), ("refund", 0)]
        assert is_sound(pauper)

    @pytest.mark.parametrize("prompt", ["[[expire]]", "[[slow 61]]"])
    def test_it_expires_at_its_deadline_and_not_before(
        self, pauper: OpenedAccount, clock: ManualClock, prompt: str
    ) -> None:
        task_id = order(pauper, prompt)
        runner = run_task_parts.step_runner()
        runner.run(task_id, 0)
        clock.advance_ms(DEADLINE_S * MS_PER_S - 1)
        runner.run(task_id, task_of(task_id).seq)
        assert task_of(task_id).status == "running"
        clock.advance_ms(1)
        runner.run(task_id, task_of(task_id).seq)
        task = task_of(task_id)
        assert (task.status, task.error and task.error.code) == ("expired", "deadline_passed")
        assert ledger_of(pauper) == [("charge", 0), ("refund", 0)]
        assert is_sound(pauper)

    def test_it_can_be_cancelled(self, pauper: OpenedAccount) -> None:
        task_id = order(pauper, "[[slow 30]]")
        run_task_parts.step_runner().run(task_id, 0)
        run_task_parts.step_runner().cancel(task_id)
        task = task_of(task_id)
        assert (task.status, task.error and task.error.code) == ("failed", "cancelled")
        assert is_sound(pauper)

    def test_what_is_no_direction_is_a_prompt(self, pauper: OpenedAccount, clock: ManualClock) -> None:
        prompt = "[fail] [[fall]] [[fail 3]] [[slow]] [[slow x]] [[ ]] ]]fail[["
        assert run_to_end(order(pauper, prompt), clock).status == "finished"

    def test_failures_on_order_do_not_count_against_the_provider(
        self, pauper: OpenedAccount, clock: ManualClock
    ) -> None:
        for _ in range(6):
            run_to_end(order(pauper, "[[fail]]"), clock)
        assert run_task_parts.step_runner().health.health() == {}
