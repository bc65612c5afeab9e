"""What a run token reads and changes: only the things that it made itself (site/run-tokens.md#its-view)."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.test_api import call
from tests.functional.test_budgets import ok
from tests.functional.test_files import create, granted
from tests.functional.test_files_of_sdks import ids, upload
from tests.functional.test_quotes import IMAGE as QUOTED
from tests.functional.test_quotes import QUOTES, quote
from tests.functional.test_run_task import run_to_end
from tests.functional.test_run_tokens import token
from tests.functional.test_task_stream import events, path_of, streamed
from tests.functional.test_workflows import WORKFLOWS, Carrier, carrier, created
from tests.functional.test_workflows import image as step
from tests.support.clock import ManualClock
from tests.support.samples import PAID_IMAGE
from tests.unit.artifacts.test_store import png
from tollgate.accounts.service import OpenedAccount
from tollgate.kit.dynamodb.pages import MAX_ROUNDS
from tollgate.kit.ids import new_id

__all__ = ["carrier"]

CREATE = "/api/v1/generation/create"
IMAGE = {"model": PAID_IMAGE, "input": {"prompt": "a boat", "size": "1:1"}}
# The routes of videos find no other tasks.
VIDEO = {"model": "seedance-1.5-pro", "input": {"prompt": "a boat"}}
Routes = tuple[tuple[str, str, Any], ...]
# They read first, and delete last.
ROUTES_OF_A_TASK: Routes = (
    ("GET", "/api/v1/task/status/{}", None),
    ("GET", "/api/v1/task/status/{}?wait=1", None),
    ("GET", "/api/v1/videos/{}", None),
    ("POST", "/api/v1/task/cancel/{}", {}),
    ("DELETE", "/api/v1/task/files/{}", None),
    ("DELETE", "/api/v1/videos/{}", None),
)
OTHER_ROUTES_OF_A_TASK: Routes = (
    ("GET", "/api/v1/task/stream/{}", None),
    ("GET", "/api/v1/videos/{}/content", None),
    ("POST", "/api/v1/videos/{}/remix", {"prompt": "a ship"}),
    ("GET", "/api/v1/requests/{}", None),
    ("GET", "/api/v1/generation?id={}", None),
)


@dataclass(frozen=True, slots=True)
class Sides:
    """A customer with two of its tokens: `mine` is the caller, and `other` is a token of the same key."""

    customer: OpenedAccount
    mine: str
    other: str

    def status(self, method: str, path: str, body: Any = None, key: str = "") -> int:
        """Return the status of a request, by default of the caller."""
        return call(method, path, key or self.mine, body)[0]

    def as_customer(self, key: str) -> OpenedAccount:
        """Return the customer with another key."""
        return replace(self.customer, api_key=key)

    @property
    def others(self) -> tuple[str, str]:
        """Return the keys of which the caller sees nothing."""
        return self.customer.api_key, self.other


@pytest.fixture
def sides(customer: OpenedAccount) -> Sides:
    made = [token(customer, maxCostCents=50, name=name)["token"] for name in ("mine", "other")]
    return Sides(customer, *made)


def image(sides: Sides, key: str, headers: dict[str, str] | None = None) -> str:
    return task_from(key, IMAGE, headers)


def task_from(key: str, body: Any, headers: dict[str, str] | None = None) -> str:
    status, answer, _ = call("POST", CREATE, key, body, headers)
    assert status == 200, answer
    return str(answer["data"]["taskId"])


class TestTasks:
    @pytest.mark.parametrize(("method", "path", "body"), [*ROUTES_OF_A_TASK, *OTHER_ROUTES_OF_A_TASK])
    def test_those_of_others_are_not_found(
        self, sides: Sides, clock: ManualClock, method: str, path: str, body: Any
    ) -> None:
        for key in sides.others:
            task_id = task_from(key, VIDEO)
            run_to_end(task_id, clock)
            assert sides.status(method, path.format(task_id), body) == 404
            shown = ok(sides.customer, "GET", f"/api/v1/task/status/{task_id}")
            assert shown["status"] == "finished"
            assert shown["files"]

    def test_its_own_are_as_for_any_key_and_its_account_sees_them_too(
        self, sides: Sides, clock: ManualClock
    ) -> None:
        task_id = task_from(sides.mine, VIDEO)
        run_to_end(task_id, clock)
        for key in (sides.mine, sides.customer.api_key):
            for method, path, body in ROUTES_OF_A_TASK[:4]:
                assert sides.status(method, path.format(task_id), body, key) == 200, path
            found = events(streamed(sides.as_customer(key), "", path=path_of(task_id)))
            assert [name for name, _, _ in found] == ["file", "end"]
        for method, path, body in ROUTES_OF_A_TASK:
            assert sides.status(method, path.format(task_id), body) == 200, path

    def test_lists_have_only_its_own(self, sides: Sides) -> None:
        own = image(sides, sides.mine)
        others = [image(sides, key) for key in sides.others]
        ids = ",".join([own, *others])
        for path in ("/api/v1/tasks", f"/api/v1/tasks?ids={ids}"):
            _, answer, _ = call("GET", path, sides.mine)
            assert [each["taskId"] for each in answer["data"]["tasks"]] == [own]
            assert len(ok(sides.customer, "GET", path)["tasks"]) == 3

    def test_a_page_reads_a_bounded_number_of_tasks_of_others(self, sides: Sides) -> None:
        own = image(sides, sides.mine)
        for _ in range(MAX_ROUNDS):
            image(sides, sides.customer.api_key)
        _, first, _ = call("GET", "/api/v1/tasks?limit=1", sides.mine)
        assert first["data"]["tasks"] == []
        _, second, _ = call("GET", f"/api/v1/tasks?limit=1&cursor={first['data']['cursor']}", sides.mine)
        assert [each["taskId"] for each in second["data"]["tasks"]] == [own]

    def test_an_idempotency_key_of_another_key_is_free_for_it(self, sides: Sides) -> None:
        once = {"idempotency-key": "order-1"}
        keys = (sides.customer.api_key, sides.mine, sides.other)
        first = [image(sides, key, once) for key in keys]
        assert len(set(first)) == 3
        assert [image(sides, key, once) for key in keys] == first


class TestFiles:
    PATH = "/api/v1/files"

    def uploaded(self, aws: Aws, sides: Sides, key: str) -> tuple[str, str]:
        """Return the id and the stored URL of a file that was uploaded by its form."""
        file = granted(sides.as_customer(key))
        bucket = aws.stack.refs["MediaBucket"]
        aws.clients.s3.put_object(Bucket=bucket, Key=file["upload"]["fields"]["key"], Body=png())
        return file["id"], file["url"]

    def test_those_of_others_are_not_found(self, aws: Aws, sides: Sides) -> None:
        me = sides.as_customer(sides.mine)
        for key in sides.others:
            file_id, url = self.uploaded(aws, sides, key)
            in_request = upload(sides.as_customer(key))["id"]
            for one in (file_id, in_request):
                for method, path in (("GET", ""), ("GET", "/content"), ("DELETE", "")):
                    assert sides.status(method, f"{self.PATH}/{one}{path}") == 404
                assert create(me, one)[0] == 400
                assert sides.status("GET", f"{self.PATH}/{one}", key=sides.customer.api_key) == 200
            assert [create(me, url, path)[0] for path in ("create", "estimate")] == [400, 400]
            assert create(sides.as_customer(key), url)[0] == 200

    def test_its_own_are_as_for_any_key_and_its_account_sees_them_too(self, aws: Aws, sides: Sides) -> None:
        file_id, url = self.uploaded(aws, sides, sides.mine)
        in_request = upload(sides.as_customer(sides.mine))["id"]
        for key in (sides.mine, sides.customer.api_key):
            for one in (file_id, in_request):
                assert sides.status("GET", f"{self.PATH}/{one}", key=key) == 200
                assert create(sides.as_customer(key), one)[0] == 200
            assert create(sides.as_customer(key), url)[0] == 200
        assert sides.status("DELETE", f"{self.PATH}/{file_id}") == 200
        assert sides.status("DELETE", f"{self.PATH}/{in_request}", key=sides.customer.api_key) == 200
        assert sides.status("GET", f"{self.PATH}/{in_request}") == 404

    def test_a_list_has_only_its_own(self, aws: Aws, sides: Sides) -> None:
        own, _ = self.uploaded(aws, sides, sides.mine)
        others = [self.uploaded(aws, sides, key)[0] for key in sides.others]
        assert ids(sides.as_customer(sides.mine)) == [own]
        # Others take no place of its page.
        assert ids(sides.as_customer(sides.mine), "?limit=1") == [own]
        assert sorted(ids(sides.customer)) == sorted([own, *others])


class TestWorkflows:
    ROUTES: Routes = (
        ("GET", "/api/v1/workflows/{}", None),
        ("POST", "/api/v1/workflows/{}/cancel", {}),
    )
    STREAM = "/api/v1/workflow/stream/{}"

    def test_those_of_others_are_not_found(self, sides: Sides) -> None:
        for key in sides.others:
            made = created(sides.customer, step(), key=key)
            for method, path, body in (*self.ROUTES, ("GET", self.STREAM, None)):
                assert sides.status(method, path.format(made["id"]), body) == 404, path
            path = f"{WORKFLOWS}/{made['id']}"
            assert ok(sides.customer, "GET", path)["status"] == "running"

    def test_its_own_are_as_for_any_key_and_its_account_sees_them_too(
        self, sides: Sides, carrier: Carrier
    ) -> None:
        made = created(sides.customer, step(), key=sides.mine)
        carrier.run()
        for key in (sides.mine, sides.customer.api_key):
            for method, path, body in self.ROUTES:
                assert sides.status(method, path.format(made["id"]), body, key) == 200, path
            text = streamed(sides.as_customer(key), "", path=self.STREAM.format(made["id"]))
            assert [name for name, _, _ in events(text)][-1] == "end"
        # The tasks of its steps are its own too.
        (task,) = call("GET", "/api/v1/tasks", sides.mine)[1]["data"]["tasks"]
        assert (task["status"], task["workflowId"]) == ("finished", made["id"])

    def test_a_list_has_only_its_own(self, sides: Sides) -> None:
        own = created(sides.customer, step(), key=sides.mine)["id"]
        for key in sides.others:
            created(sides.customer, step(), key=key)
        listed = call("GET", WORKFLOWS, sides.mine)[1]["data"]["workflows"]
        assert [each["id"] for each in listed] == [own]
        assert len(ok(sides.customer, "GET", WORKFLOWS)["workflows"]) == 3

    def test_an_idempotency_key_of_another_key_is_free_for_it(self, sides: Sides) -> None:
        def once(key: str) -> str:
            headers = {"idempotency-key": "order-1"}
            status, answer, _ = call("POST", WORKFLOWS, key, {"steps": [step()]}, headers)
            assert status == 200, answer
            return str(answer["data"]["id"])

        keys = (sides.customer.api_key, sides.mine, sides.other)
        first = [once(key) for key in keys]
        assert len(set(first)) == 3
        assert [once(key) for key in keys] == first


class TestQuotes:
    def test_those_of_others_are_not_found(self, sides: Sides) -> None:
        for key in sides.others:
            path = f"{QUOTES}/{quote(sides.customer, QUOTED, key=key)['id']}"
            for method, ending in (("GET", ""), ("POST", "/create"), ("POST", "/cancel")):
                assert sides.status(method, f"{path}{ending}", {} if ending else None) == 404
            assert ok(sides.customer, "GET", path)["status"] == "open"

    def test_its_own_are_as_for_any_key_and_its_account_sees_them_too(self, sides: Sides) -> None:
        path = f"{QUOTES}/{quote(sides.customer, QUOTED, key=sides.mine)['id']}"
        assert sides.status("GET", path) == 200
        assert sides.status("POST", f"{path}/create", {}) == 200
        assert ok(sides.customer, "GET", path)["status"] == "created"
        assert sides.status("POST", f"{path}/cancel", {}) == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/v1/webhooks/deliveries", None),
        ("GET", "/api/v1/webhooks/deliveries/{}", None),
        ("POST", "/api/v1/webhooks/deliveries/{}/redeliver", {}),
        ("POST", "/api/v1/webhooks/test", {"url": "https://example.com/hook"}),
    ],
)
def test_webhook_deliveries_are_refused(sides: Sides, method: str, path: str, body: Any) -> None:
    path = path.format(new_id("evt"))
    status, answer, _ = call(method, path, sides.mine, body)
    assert (status, answer["error"]["code"]) == (403, "forbidden")
    assert "run token" in answer["error"]["message"]
    assert sides.status(method, path, body, sides.customer.api_key) in (200, 404)
