"""The end of a task: its refund, its webhook, and the waiting task that gets its slot."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from tests.support.clock import ManualClock
from tests.unit.tasks.test_lifecycle import DONE, FILE, NOW, new_task, submitted_task
from tollgate.kit.aws.queue import Queue
from tollgate.ledger.entries import Entry
from tollgate.ledger.repository import LedgerRepository, Slots
from tollgate.tasks.finalizer import TaskFinalizer
from tollgate.tasks.lifecycle import End, after_copy, cancelled
from tollgate.tasks.models import Task
from tollgate.tasks.repository import TaskRepository
from tollgate.webhooks.repository import DeliveryRepository

FREE = Slots(5, 3, 100)


@dataclass
class Book:
    """The repositories and the queue of a finalizer; it notes what they are asked."""

    slots_of_row: Slots = FREE
    waiting_ids: list[str] = field(default_factory=lambda: ["task_9"])
    closed: list[tuple[Entry | None, dict[str, int]]] = field(default_factory=list)
    ended: list[tuple[Task, list[Any]]] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)

    def close_task(self, _: str, refund: Entry | None, **terms: int) -> list[Any]:
        self.closed.append((refund, terms))
        return ["account"]

    def slots(self, _: str) -> Slots:
        return self.slots_of_row

    def enqueue(self, _: object) -> str:
        return "delivery"

    def end(self, task: Task, others: Sequence[Any]) -> None:
        self.ended.append((task, list(others)))

    def waiting(self, _: str, most: int) -> list[str]:
        self.asked.append(most)
        return self.waiting_ids

    def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)


def finalizer(book: Book) -> TaskFinalizer:
    return TaskFinalizer(
        cast("TaskRepository", book),
        cast("LedgerRepository", book),
        cast("DeliveryRepository", book),
        cast("Queue", book),
        ManualClock(),
    )


FINISHED = after_copy(submitted_task(), DONE, [FILE], NOW)
CANCELLED = cancelled(new_task(), NOW)
TERMS = {"markup_micro_usd": 0, "now_ms": ManualClock().now_ms()}
WAKE = {"task_id": "task_9", "seq": 0, "woken": True}


class TestEnd:
    def test_a_task_without_a_result_is_refunded(self) -> None:
        book = Book()
        assert finalizer(book).end(CANCELLED, was_running=False) == CANCELLED.task
        ((refund, terms),) = book.closed
        assert refund is not None
        assert (refund.amount_micro_usd, terms) == (10_000, TERMS | {"was_running": False})
        assert book.ended == [(CANCELLED.task, ["account"])]

    def test_a_finished_task_is_not_and_its_mark_up_is_earned(self) -> None:
        book = Book()
        finalizer(book).end(End(replace(FINISHED.task, markup_micro_usd=70)), was_running=True)
        assert book.closed == [(None, TERMS | {"was_running": True, "markup_micro_usd": 70})]

    def test_the_webhook_is_part_of_the_end(self) -> None:
        book, task = Book(), replace(FINISHED.task, webhook="https://shop.example/hook")
        finalizer(book).end(End(task), was_running=True)
        assert book.ended == [(task, ["account", "delivery"])]


class TestWake:
    @pytest.mark.parametrize(
        ("was_running", "was_woken", "sent"),
        [(True, False, [WAKE]), (False, True, [WAKE]), (True, True, [WAKE]), (False, False, [])],
    )
    def test_a_task_that_had_a_slot_or_was_woken_for_one_wakes_another(
        self, was_running: bool, was_woken: bool, sent: list[Any]
    ) -> None:
        book = Book()
        finalizer(book).end(CANCELLED, was_running=was_running, was_woken=was_woken)
        assert book.sent == sent

    @pytest.mark.parametrize(
        ("slots", "among"),
        [
            (Slots(1, 3, 100), [1]),
            (Slots(3, 1, 100), [1]),
            (Slots(50, 50, 100), [10]),
            (Slots(0, 3, 100), []),
            (Slots(3, 0, 100), []),
        ],
    )
    def test_it_chooses_among_as_many_as_can_start(self, slots: Slots, among: list[int]) -> None:
        book = Book(slots)
        finalizer(book).start_next("usr_1")
        assert book.asked == among
        assert book.sent == [WAKE] * len(among)

    def test_the_index_may_know_none(self) -> None:
        book = Book(waiting_ids=[])
        finalizer(book).start_next("usr_1")
        assert book.sent == []
