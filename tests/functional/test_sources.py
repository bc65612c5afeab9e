"""Files that decided a price: the provider gets the priced file, or the task is refunded."""

import base64
import json
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import pytest

from local.simulator.media.mp4 import Mp4
from run_task.app import handler
from tests.conftest import Aws
from tests.functional.conftest import balance_cents, invoke
from tests.functional.test_api import call
from tests.functional.test_run_task import ledger_of, run_to_end, task_of
from tests.support.clock import ManualClock
from tests.unit.probing.media_files import mp4
from tests.unit.probing.media_server import Answer, Connection, MediaServer, fixed, ranged, sparse
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import parts
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.http.outbound import Outbound
from tollgate.probing.reader import MediaReader
from tollgate.probing.service import Prober
from tollgate.providers.runtime.base import Job

MODEL = "seedance-2.0"
LONGER = Mp4((16, 9), 9, True, "harbour", "test", seed=1).render()


def served(data: bytes) -> Answer:
    """Serve a file as most servers do: a part if one is asked for, else the whole file."""

    def answer(connection: Connection) -> None:
        part = connection.wanted(len(data)) is not None
        (ranged(sparse(data)) if part else fixed(200, body=data))(connection)

    return answer


def probes(aws: Aws) -> Callable[[Prober, object, bytes], dict[str, Any]]:
    """Return the answers of `probe_media`, which reads a copy from the bucket."""
    reader = MediaReader(Outbound(AddressGuard(allow_loopback=True)))

    def invoked(_: Prober, __: object, payload: bytes) -> dict[str, Any]:
        url = json.loads(payload)["url"]
        if "/inputs/kept/" in url:
            key = url[url.index("inputs/kept/") :].partition("?")[0]
            stored = aws.clients.s3.get_object(Bucket=aws.stack.refs["MediaBucket"], Key=key)
            url = f"data:video/mp4;base64,{base64.b64encode(stored['Body'].read()).decode()}"
        return {"Payload": BytesIO(json.dumps(reader.probe(url).body()).encode())}

    return invoked


@pytest.fixture(autouse=True)
def probed(aws: Aws, on_one_machine: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Probe as `probe_media` does."""
    monkeypatch.setattr(Prober, "_invoked", probes(aws))
    parts.forget()
    yield
    parts.forget()


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """Return the jobs that providers get."""
    from tollgate.tasks import step  # noqa: PLC0415 - only here

    found: list[Job] = []

    def noted(*args: Any) -> Job:
        found.append(Job(*args))
        return found[-1]

    monkeypatch.setattr(step, "Job", noted)
    return found


def create(customer: OpenedAccount, url: str) -> str:
    body = {"model": MODEL, "input": {"prompt": "a fox", "videoUrls": [url]}}
    status, answer, _ = call("POST", "/api/v1/generation/create", customer.api_key, body)
    assert status == 200, answer
    return str(answer["data"]["taskId"])


class TestMeasuredFiles:
    def test_the_provider_gets_a_copy_of_the_priced_file(
        self, server: MediaServer, customer: OpenedAccount, clock: ManualClock, jobs: list[Job]
    ) -> None:
        url = server.add("/a.mp4", served(mp4()))
        task_id = create(customer, url)
        invoke(handler, "TaskQueue", json.dumps({"task_id": task_id, "seq": 0}))
        assert run_to_end(task_id, clock).status == "finished"
        (sent,) = jobs[0].values["videoUrls"]
        assert f"inputs/kept/{task_id}/" in sent
        # The customer's own address stays in the task.
        assert task_of(task_id).values["videoUrls"] == [url]

    @pytest.mark.parametrize(
        ("later", "message"), [(served(LONGER), "another one"), (fixed(404), "second time")]
    )
    def test_a_file_that_was_replaced_or_is_gone_costs_nothing_and_reaches_no_provider(
        self,
        server: MediaServer,
        customer: OpenedAccount,
        clock: ManualClock,
        jobs: list[Job],
        later: Any,
        message: str,
    ) -> None:
        before = balance_cents(customer)
        task_id = create(customer, server.add("/a.mp4", served(mp4())))
        server.add("/a.mp4", later)
        task = run_to_end(task_id, clock)
        assert (task.status, task.error and task.error.code) == ("failed", "input_rejected")
        assert task.error is not None
        assert message in task.error.message
        assert jobs == []
        assert [kind for kind, _ in ledger_of(customer)] == ["charge", "refund"]
        assert balance_cents(customer) == before
