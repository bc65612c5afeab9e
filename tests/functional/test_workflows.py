"""Workflows of generations through the handlers: `functions/api` creates them, `functions/run_batch` moves
them, and the streams, queues and timers of tasks carry the messages."""

import json
from typing import Any

import pytest

from local.machine.events import Context
from run_batch.app import handler as run_batch
from run_task.app import handler as run_task
from sweep.app import handler as sweep
from tests.conftest import Aws
from tests.functional.conftest import StreamReader, Worker, invoke
from tests.functional.test_api import call, details
from tests.functional.test_budgets import BUDGETS, ok, proved
from tests.functional.test_run_task import task_of
from tests.functional.test_run_tokens import token
from tests.functional.test_sweep import EVENT as SWEEP
from tests.functional.test_task_stream import events, streamed
from tests.support.clock import ManualClock
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import deliver_webhook as deliver_parts
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import MS_PER_S, iso
from tollgate.ledger import repository as ledger_repository
from tollgate.probing.facts import ProbedMedia
from tollgate.probing.service import Prober
from tollgate.tasks.models import is_workflow
from tollgate.webhooks.models import delivery_id_of
from tollgate.workflows.rules import LOOK_MS
from tollgate.workflows.worker import RETRY_S

__all__ = ["proved"]

WORKFLOWS = "/api/v1/workflows"
HOOK = "https://example.com/hook"
CUTOUT, UPSCALE, UPSCALE_VIDEO = "bria-rmbg-2.0", "topaz-image-upscale", "bytedance-video-upscaler"
CHAT: dict[str, Any] = {
    "id": "c",
    "model": "gpt-5.4-mini",
    "input": {"max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]},
}
# One cent, and two cents.
IMAGE_MICRO_USD, CUTOUT_MICRO_USD = 10_000, 20_000


def image(step_id: str = "image", prompt: str = "a boat", **more: Any) -> dict[str, Any]:
    return {"id": step_id, "model": PAID_IMAGE, "input": {"prompt": prompt, "size": "1:1"}, **more}


def cutout(of: str = "$image.files[0]", step_id: str = "cutout", **more: Any) -> dict[str, Any]:
    return {"id": step_id, "model": CUTOUT, "input": {"imageUrls": [of]}, **more}


def created(customer: OpenedAccount, *steps: Any, key: str = "", **fields: Any) -> Any:
    """Create a workflow; return its view."""
    status, answer, _ = call("POST", WORKFLOWS, key or customer.api_key, {"steps": list(steps), **fields})
    assert status == 200, answer
    return answer["data"]


def shown(customer: OpenedAccount, workflow_id: str) -> Any:
    return ok(customer, "GET", f"{WORKFLOWS}/{workflow_id}")


def micro_usd(customer: OpenedAccount) -> int:
    """Return the exact balance of an account."""
    found = api_parts.api().tasks.ledger.account_row(customer.account_id)
    assert found is not None
    return int(found["balance_micro_usd"])


def held_micro_usd(customer: OpenedAccount) -> int:
    found = api_parts.api().tasks.ledger.account_row(customer.account_id)
    assert found is not None
    return sum(hold["amount"] for hold in found.get("holds", {}).values())


def states(view: Any) -> dict[str, str]:
    return {step["id"]: step["status"] for step in view["steps"]}


class Carrier:
    """Carries all messages by hand until none is left, and takes each step of a task when it is due."""

    def __init__(self, aws: Aws, clock: ManualClock) -> None:
        self.aws, self.clock = aws, clock
        self.worker, self.stream = Worker(aws), StreamReader(aws, "TasksTable")

    def move(self) -> int:
        """Hand over each message once; return how many there were."""
        records = self.stream.new_records()
        if records:
            self.worker.dispatch(records)
        moves = self.aws.messages("WorkflowQueue")
        for body in moves:
            assert invoke(run_batch, "WorkflowQueue", body) == {"batchItemFailures": []}
        return len(records) + len(moves) + self.tasks()

    def tasks(self) -> int:
        """Take a step of each task that has not ended; return how many there were."""
        tasks = [task for task in map(task_of, scan(self.aws)) if not task.ended]
        self.aws.messages("TaskQueue")
        for task in tasks:
            self.worker.send({"task_id": task.task_id, "seq": task.seq})
        self.worker.step()
        self.clock.advance_ms(MS_PER_S)
        return len(tasks)

    def run(self) -> None:
        """Carry until nothing moves."""
        for _ in range(60):
            if not self.move():
                return
        pytest.fail("messages never end")


def scan(aws: Aws) -> list[str]:
    """Return the ids of all tasks."""
    found = aws.clients.dynamodb.scan(TableName=aws.stack.refs["TasksTable"])["Items"]
    return [row["task_id"]["S"] for row in found if not is_workflow(row["task_id"]["S"])]


@pytest.fixture
def carrier(aws: Aws, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Carrier:
    """Return what carries messages. Each file is an image of 1000 by 1000 pixels."""
    facts = ProbedMedia("image", "png", None, 1_000, 1_000, 5_000)
    monkeypatch.setattr(Prober, "probe", lambda _, urls: dict.fromkeys(urls, facts))
    return Carrier(aws, clock)


@pytest.mark.usefixtures("proved")
class TestMoney:
    def test_the_estimate_is_reserved_and_each_step_is_charged(
        self, customer_of: OpenedAccount, carrier: Carrier
    ) -> None:
        steps = [image(), cutout()]
        estimate = ok(customer_of, "POST", f"{WORKFLOWS}/estimate", {"steps": steps})
        assert (estimate["totalMicroUsd"], estimate["totalCents"]) == (30_000, 3)
        assert [step["isExact"] for step in estimate["steps"]] == [True, True]
        assert micro_usd(customer_of) == 1_000_000
        made = created(customer_of, *steps)
        assert (made["status"], made["totalMicroUsd"], made["costMicroUsd"]) == ("running", 30_000, 0)
        assert micro_usd(customer_of) == 970_000
        carrier.run()
        ended = shown(customer_of, made["id"])
        assert (ended["status"], ended["costMicroUsd"]) == ("finished", 30_000)
        assert states(ended) == {"image": "finished", "cutout": "finished"}
        assert micro_usd(customer_of) == 970_000
        first, second = ended["steps"]
        task = ok(customer_of, "GET", f"/api/v1/tasks?ids={second['taskId']}")["tasks"][0]
        assert (task["workflowId"], task["files"]) == (made["id"], second["files"])
        assert first["files"][0]["fileUrl"].startswith("https://")

    def test_a_price_by_size_is_its_most_before_and_its_own_after(
        self, customer: OpenedAccount, carrier: Carrier
    ) -> None:
        large = {
            "id": "large",
            "model": UPSCALE,
            "input": {"imageUrls": ["$image.files[0]"], "upscaleFactor": 2},
        }
        made = created(customer, image(), large)
        most = made["steps"][1]
        assert (most["priceMicroUsd"], most["isExact"]) == (320_000, False)
        assert micro_usd(customer) == 1_000_000 - 330_000
        carrier.run()
        # 4 megapixels are in the first tier, of 24.
        ended = shown(customer, made["id"])
        assert (ended["status"], ended["costMicroUsd"]) == ("finished", 90_000)
        assert micro_usd(customer) == 1_000_000 - 90_000

    def test_a_failed_step_is_refunded_and_those_that_need_it_cost_nothing(
        self, customer_of: OpenedAccount, carrier: Carrier
    ) -> None:
        steps = [
            *(image("bad", "[[reject]]"), cutout("$bad.files[0]", "cut"), cutout("$cut.files[0]", "again")),
            image("good"),
        ]
        made = created(customer_of, *steps, image("after", dependsOn=["bad"]))
        carrier.run()
        ended = shown(customer_of, made["id"])
        skipped = dict.fromkeys(("cut", "again", "after"), "skipped")
        assert states(ended) == {"bad": "failed", "good": "finished", **skipped}
        assert (ended["status"], ended["costMicroUsd"]) == ("failed", 10_000)
        bad, cut, *_ = ended["steps"]
        assert (bad["costMicroUsd"], bad["refundedMicroUsd"], bad["error"]["code"]) == (
            *(10_000, 10_000, "content_rejected"),
        )
        assert (cut["costMicroUsd"], cut["error"]["code"]) == (0, "needed_step_failed")
        assert "endedAt" in cut
        assert micro_usd(customer_of) == 990_000

    def test_budgets_and_caps_count_the_sum_and_get_the_rest_back(
        self, customer: OpenedAccount, carrier: Carrier
    ) -> None:
        ok(customer, "POST", BUDGETS, {"name": "b", "scope": "account", "limitCents": 3, "per": "day"})
        capped = token(customer, maxCostCents=3)["token"]
        status, answer, _ = call(
            "POST", WORKFLOWS, customer.api_key, {"steps": [image(), image("b"), cutout()]}
        )
        assert (status, answer["error"]["code"]) == (402, "budget_reached")
        made = created(customer, image("bad", "[[reject]]"), cutout("$bad.files[0]"), key=capped)
        carrier.run()
        assert shown(customer, made["id"])["status"] == "failed"
        again = created(customer, image(), cutout(), key=capped)
        carrier.run()
        assert shown(customer, again["id"])["status"] == "finished"
        assert micro_usd(customer) == 970_000
        status, answer, _ = call("POST", WORKFLOWS, capped, {"steps": [image()]})
        assert status == 402

    def test_a_repeat_creates_nothing_more(self, customer: OpenedAccount) -> None:
        headers, body = {"Idempotency-Key": "k"}, {"steps": [image()]}
        first = call("POST", WORKFLOWS, customer.api_key, body, headers)
        assert call("POST", WORKFLOWS, customer.api_key, body, headers)[:2] == first[:2]
        other = call("POST", WORKFLOWS, customer.api_key, {"steps": [image("b")]}, headers)
        assert (other[0], other[1]["error"]["code"]) == (422, "idempotency_key_reused")
        assert micro_usd(customer) == 990_000

    @pytest.mark.parametrize("moves", range(1, 7))
    def test_a_cancelled_workflow_returns_all_that_has_no_result(
        self, customer: OpenedAccount, carrier: Carrier, moves: int
    ) -> None:
        made = created(customer, image(), cutout(), cutout("$cutout.files[0]", "again"))
        for _ in range(moves):
            carrier.move()
        stopped = ok(customer, "POST", f"{WORKFLOWS}/{made['id']}/cancel")
        assert stopped["isCancelled"]
        carrier.run()
        sweep(SWEEP, Context("SweepFunction"))
        carrier.run()
        ended = shown(customer, made["id"])
        # The last step runs after the fourth move, and is not stopped by its provider.
        is_whole = set(states(ended).values()) == {"finished"}
        assert is_whole is (moves > 4)
        assert ended["status"] == ("finished" if is_whole else "failed")
        skipped = [step["error"]["code"] for step in ended["steps"] if step["status"] == "skipped"]
        assert set(skipped) <= {"cancelled"}
        assert micro_usd(customer) == 1_000_000 - ended["costMicroUsd"]
        assert held_micro_usd(customer) == 0
        assert ok(customer, "POST", f"{WORKFLOWS}/{made['id']}/cancel") == ended

    def test_a_running_generation_is_cancelled_too(
        self, customer: OpenedAccount, carrier: Carrier, aws: Aws
    ) -> None:
        made = created(customer, image())
        invoke(run_batch, "WorkflowQueue", json.dumps({"workflow_id": made["id"]}))
        aws.messages("TaskQueue")
        assert ok(customer, "POST", f"{WORKFLOWS}/{made['id']}/cancel")["steps"][0]["status"] == "running"
        for message in aws.messages("TaskQueue"):
            invoke(run_task, "TaskQueue", message)
        carrier.run()
        assert (states(shown(customer, made["id"])), micro_usd(customer)) == ({"image": "failed"}, 1_000_000)

    def test_a_key_that_was_revoked_starts_nothing_more(
        self, customer: OpenedAccount, carrier: Carrier
    ) -> None:
        key = ok(customer, "POST", "/api/v1/keys", {"name": "worker"})
        made = created(customer, image(), cutout(), key=key["key"])
        carrier.move()
        ok(customer, "DELETE", f"/api/v1/keys/{key['id']}")
        carrier.run()
        ended = shown(customer, made["id"])
        assert [step.get("error", {}).get("code") for step in ended["steps"]] == [None, "invalid_api_key"]
        assert micro_usd(customer) == 990_000


class TestLostMessages:
    def test_the_timer_moves_a_workflow_whose_messages_are_lost(
        self, customer: OpenedAccount, carrier: Carrier, clock: ManualClock, aws: Aws
    ) -> None:
        made = created(customer, image(), cutout())
        for _ in range(8):
            carrier.stream.new_records()
            aws.messages("WorkflowQueue")
            clock.advance_ms(LOOK_MS)
            sweep(SWEEP, Context("SweepFunction"))
            for body in aws.messages("WorkflowQueue"):
                invoke(run_batch, "WorkflowQueue", body)
            while carrier.tasks():
                pass
        assert shown(customer, made["id"])["status"] == "finished"
        assert micro_usd(customer) == 970_000

    def test_a_message_that_comes_again_does_nothing(self, customer: OpenedAccount, carrier: Carrier) -> None:
        made = created(customer, image(), cutout())
        message = json.dumps({"workflow_id": made["id"]})
        for _ in range(3):
            invoke(run_batch, "WorkflowQueue", message)
        carrier.run()
        ended = shown(customer, made["id"])
        for known in (message, json.dumps({"workflow_id": "wfl_01KBAA000000000000000000AA"})):
            assert invoke(run_batch, "WorkflowQueue", known) == {"batchItemFailures": []}
        assert shown(customer, made["id"]) == ended
        assert micro_usd(customer) == 970_000


class TestRefusals:
    @pytest.mark.parametrize(
        ("steps", "place", "words"),
        [
            ([image(prompt="$gone.text")], "/steps/0/input/prompt", "no step 'gone'"),
            ([image(prompt="$image.files[0]")], "/steps/0/input/prompt", "of this step or of a later one"),
            (
                [image(prompt="$b.files[0]"), image("b", "$image.files[0]")],
                "/steps/0/input/prompt",
                "later one",
            ),
            (
                [image("a", dependsOn=["b"]), image("b", dependsOn=["a"])],
                "/steps/0/dependsOn/0",
                "earlier step",
            ),
            ([image(), cutout("$image.files[4]")], "/steps/1/input/imageUrls/0", "has 4 files at most"),
            ([image(), cutout("$image.text")], "/steps/1/input/imageUrls/0", "has files, and no text"),
            ([image(), cutout("$image.file[0]")], "/steps/1/input/imageUrls/0", "is no result of a step"),
            ([image(), cutout("$image.files[0]" * 257)], "/steps/1/input", "at most 256 references"),
            ([image(), image()], "/steps/1/id", "Another step is 'image' already"),
            ([image("1")], "/steps/0/id", "a letter, then letters"),
            ([{**image(), "model": "nothing"}], "/steps/0/model", "Unknown model"),
            ([{**image("c"), "model": "gpt-1"}, image(prompt="$c.text")], "/steps/0/model", "Unknown model"),
            ([{**image(), "more": 1}], "/steps/0/more", "Unknown field"),
            ([], "/steps", "list of 1 to 16 objects"),
            ([image(f"s{n}") for n in range(17)], "/steps", "list of 1 to 16 objects"),
            (
                [image(), {"id": "v", "model": UPSCALE_VIDEO, "input": {"videoUrls": ["$image.files[0]"]}}],
                *("/steps/1/input/videoUrls/0", "depends on the length"),
            ),
            (
                [{"id": "v", "model": "test-video", "input": {"prompt": "x"}}, cutout("$v.files[0]")],
                *("/steps/1/input/imageUrls", "$v.files[0] is video"),
            ),
            (
                [{"id": "c", "model": "gpt-5.4-mini", "input": {"messages": []}}],
                *("/steps/0/input/max_tokens", "Required"),
            ),
            (
                [{"id": "c", "model": "gpt-5.4-mini", "input": {"messages": [], "stream": True}}],
                *("/steps/0/input/stream", "cannot have it"),
            ),
            (
                [{**image(), "input": {"a/b~c": "$gone.text"}}],
                *("/steps/0/input/a~1b~0c", "no step 'gone'"),
            ),
            ([image(private=1)], "/steps/0/private", "Must be one of: true, false."),
            ([image(expiresInS=60)], "/steps/0/expiresInS", "whole seconds"),
            ([image(provider={"only": ["nobody"]})], "/steps/0/provider/only", "nobody"),
            ([image(provider={"only": ["kling"]})], "/steps/0/provider/only", ""),
            ([{**CHAT, "private": True}], "/steps/0/private", "Only a generation"),
            ([{**CHAT, "provider": {"sort": "best"}}], "/steps/0/provider/sort", "Must be one of"),
            (
                [{**CHAT, "provider": {}, "input": {**CHAT["input"], "provider": {}}}],
                *("/steps/0/provider", "in the input"),
            ),
        ],
        ids=range(27),
    )
    def test_a_wrong_step_is_named_and_nothing_is_reserved(
        self, customer: OpenedAccount, steps: Any, place: str, words: str
    ) -> None:
        for path in (WORKFLOWS, f"{WORKFLOWS}/estimate"):
            status, answer, _ = call("POST", path, customer.api_key, {"steps": steps})
            assert status == 400
            assert words in details(answer)[place]
        assert micro_usd(customer) == 1_000_000

    @pytest.mark.parametrize("name", ["", "x" * 101, "a\nb", 1])
    def test_a_wrong_name_and_a_wrong_page_are_refused(self, customer: OpenedAccount, name: Any) -> None:
        status, answer, _ = call("POST", WORKFLOWS, customer.api_key, {"steps": [image()], "name": name})
        assert (status, list(details(answer))) == (400, ["/name"])
        status, answer, _ = call("GET", f"{WORKFLOWS}?limit=0", customer.api_key)
        assert (status, list(details(answer))) == (400, ["/limit"])

    def test_others_see_nothing(self, customer: OpenedAccount) -> None:
        made = created(customer, image())
        other = api_parts.api().accounts.open(0)
        for method, end in (("GET", ""), ("POST", "/cancel")):
            status, answer, _ = call(method, f"{WORKFLOWS}/{made['id']}{end}", other.api_key)
            assert (status, answer["error"]["code"]) == (404, "workflow_not_found")
        assert ok(other, "GET", WORKFLOWS) == {"workflows": []}

    def test_a_dearer_workflow_is_refused(self, customer: OpenedAccount) -> None:
        status, answer, _ = call("POST", WORKFLOWS, customer.api_key, {"steps": [image()], "maxCostCents": 0})
        assert (status, answer["error"]["code"]) == (400, "max_cost_exceeded")


class TestTheEnd:
    def test_one_event_has_the_whole_workflow(
        self, customer: OpenedAccount, carrier: Carrier, aws: Aws
    ) -> None:
        made = created(customer, image(), cutout(), webhook=HOOK)
        carrier.run()
        ended = shown(customer, made["id"])
        delivery_id = delivery_id_of(made["id"])
        assert [json.loads(body) for body in aws.messages("WebhookQueue")] == [
            {"delivery_id": delivery_id, "seq": 0}
        ]
        sender = deliver_parts.webhook_sender()
        delivery = sender.deliveries.get(delivery_id)
        assert delivery is not None
        event = sender.event_of_task(delivery)
        assert event is not None
        assert (delivery.event, event.type, event.data) == (*("workflow.finished",) * 2, ended)
        assert iso(event.at_ms) == ended["finishedAt"] > ended["createdAt"]
        (listed,) = ok(customer, "GET", "/api/v1/webhooks/deliveries")["deliveries"]
        assert (listed["type"], listed["workflowId"], listed.get("taskId")) == (
            *("workflow.finished", made["id"], None),
        )

    def test_its_stream_has_each_state_until_the_end(
        self, customer: OpenedAccount, carrier: Carrier, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = created(customer, image(), cutout())

        async def pass_time(_: float) -> None:
            carrier.move()

        monkeypatch.setattr("anyio.sleep", pass_time)
        found = events(streamed(customer, "", path=f"/api/v1/workflow/stream/{made['id']}"))
        assert found[0][:2] == ("progress", made)
        assert found[-1][:2] == ("end", shown(customer, made["id"]))
        assert {name for name, _, _ in found[:-1]} == {"progress"}
        numbers = [int(number or -1) for _, _, number in found]
        assert numbers == sorted(set(numbers))

    def test_pages_have_the_newest_first(self, customer: OpenedAccount, clock: ManualClock) -> None:
        made = []
        for _ in range(3):
            made.append(created(customer, image())["id"])
            clock.advance_ms(MS_PER_S)
        first = ok(customer, "GET", f"{WORKFLOWS}?limit=2")
        assert [each["id"] for each in first["workflows"]] == made[:0:-1]
        second = ok(customer, "GET", f"{WORKFLOWS}?limit=2&cursor={first['cursor']}")
        assert [each["id"] for each in second["workflows"]] == made[:1]


def test_a_step_for_which_there_is_no_room_is_tried_again(
    customer: OpenedAccount, carrier: Carrier, aws: Aws, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = created(customer, image())
    message = json.dumps({"workflow_id": made["id"]})
    sent: list[Any] = []
    with monkeypatch.context() as patch:
        patch.setattr(ledger_repository, "MAX_OPEN_TASKS", 0)
        patch.setattr(Queue, "send", lambda _, body, delay_s=0: sent.append((body, delay_s)))
        invoke(run_batch, "WorkflowQueue", message)
    assert sent == [({"workflow_id": made["id"]}, RETRY_S)]
    assert states(shown(customer, made["id"])) == {"image": "not_started"}
    invoke(run_batch, "WorkflowQueue", message)
    assert states(shown(customer, made["id"])) == {"image": "running"}
