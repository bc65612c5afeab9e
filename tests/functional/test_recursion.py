"""Chains of messages on the local pump, which counts them as Lambda's recursive loop detection does."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from moto.sqs import models as moto_sqs

from local.machine import lineage, pump
from local.machine.lineage import MAX_INVOCATIONS
from local.machine.pump import Function, Pump
from local.template import Properties
from run_task.app import handler
from tests.conftest import Aws
from tests.functional.conftest import Worker, balance_cents, create, with_prompt
from tests.functional.test_run_task import task_of
from tests.support.clock import ManualClock
from tollgate.accounts.service import OpenedAccount
from tollgate.kit.clock import MS_PER_S

POLLS = 40
STUCK = with_prompt("nobody ever finishes this [[stuck]]")
QUEUES = ("TaskQueue", "PollQueue")
DEADLINE_S = 300
"""Of the model: the last poll is then."""
CUT_S = 60
"""In which so many polls are made that Lambda stops the chain."""


class Chain:
    """The local pump, turned by hand: one second after the other, without threads of its own."""

    def __init__(self, aws: Aws, clock: ManualClock, *, may_recur: bool) -> None:
        self._pump, self._clock = Pump(aws.stack, aws.clients), clock
        self.invocations: list[int] = []
        """The size of each batch that `run_task` was given."""
        self._function = Function("RunTaskFunction", self._handle, may_recur=may_recur)

    def _handle(self, event: dict[str, Any], context: Any) -> Any:
        self.invocations.append(len(event["Records"]))
        return handler(event, context)

    def turn(self, seconds: int) -> None:
        for _ in range(seconds):
            for queue in QUEUES:
                for batch in self._pump._receive(queue, 10):
                    self._pump._handle_messages(self._function, queue, batch)
            self._clock.advance_ms(MS_PER_S)


@pytest.fixture
def sqs_time(aws: Aws, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the queues' delays go by the clock, and the queues send the header."""
    # Else the queues have kept their messages for years.
    clock.set_to_now()
    monkeypatch.setattr(moto_sqs, "unix_time_millis", clock.now_ms)
    monkeypatch.setattr(pump, "LONG_POLL_S", 0)
    # `attach` replaces it.
    monkeypatch.setattr(ThreadPoolExecutor, "submit", ThreadPoolExecutor.submit)
    lineage.attach(aws.clients.sqs)


@pytest.mark.usefixtures("sqs_time")
class TestAChain:
    def test_a_task_of_forty_polls_runs_to_its_end(
        self, aws: Aws, customer: OpenedAccount, worker: Worker, clock: ManualClock
    ) -> None:
        allowed = aws.stack.template.functions()["RunTaskFunction"]["RecursiveLoop"] == "Allow"
        task_id = create(customer, **STUCK)
        worker.start(task_id)
        chain = Chain(aws, clock, may_recur=allowed)
        chain.turn(DEADLINE_S + 1)
        assert len(chain.invocations) > POLLS
        assert task_of(task_id).status == "expired"
        assert balance_cents(customer) == 100
        assert aws.messages("TaskDeadLetterQueue") == []

    def test_without_the_setting_it_is_cut_and_its_message_is_a_dead_letter(
        self, aws: Aws, customer: OpenedAccount, worker: Worker, clock: ManualClock
    ) -> None:
        task_id = create(customer, **STUCK)
        worker.start(task_id)
        chain = Chain(aws, clock, may_recur=False)
        chain.turn(CUT_S)
        assert chain.invocations == [1] * MAX_INVOCATIONS
        assert not task_of(task_id).ended
        (body,) = aws.messages("TaskDeadLetterQueue")
        assert task_id in body

    def test_a_batch_has_the_count_of_its_longest_chain(
        self, aws: Aws, customer: OpenedAccount, worker: Worker, clock: ManualClock
    ) -> None:
        old, young = create(customer, **STUCK), create(customer, **STUCK)
        worker.start(old)
        chain = Chain(aws, clock, may_recur=False)
        chain.turn(10)
        worker.start(young)
        chain.turn(CUT_S)
        # Polled together, in threads of one invocation, they are cut together: the young one after fewer.
        assert 2 in chain.invocations
        assert len(chain.invocations) < 2 * MAX_INVOCATIONS
        assert len(aws.messages("TaskDeadLetterQueue")) == 2


def test_the_pump_reads_the_setting_from_the_template(aws: Aws) -> None:
    functions: dict[str, Properties] = aws.stack.template.functions()
    template = replace(
        aws.stack.template,
        resources={
            **aws.stack.template.resources,
            "RunTaskFunction": {
                "Type": "AWS::Lambda::Function",
                "Properties": {
                    name: value
                    for name, value in functions["RunTaskFunction"].items()
                    if name != "RecursiveLoop"
                },
            },
        },
    )
    reference = {"Ref": "RunTaskFunction"}
    assert Pump(aws.stack, aws.clients)._function(reference).may_recur
    assert not Pump(replace(aws.stack, template=template), aws.clients)._function(reference).may_recur
