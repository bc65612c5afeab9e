"""What a lost answer, an obstacle and a refusal lead to, without any transport."""

from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

from tollgate.kit.dynamodb import core
from tollgate.kit.dynamodb.core import (
    LOST,
    Answer,
    DatabaseError,
    Patience,
    Request,
    Steps,
    Wait,
    carry_out,
)
from tollgate.kit.dynamodb.expressions import Add, AtLeast, Missing, Set
from tollgate.kit.dynamodb.rows import Item, to_attributes
from tollgate.kit.dynamodb.writes import CountingWrite, MarkedWrite, SingleWrite, Write, leave, take

PATIENCE = Patience(attempts=6, unanswered=3, max_wait_s=0.5)
DONE = Answer()
NO_ANSWER = Answer({}, LOST)
T = TypeVar("T")


def refused(row: Item | None) -> Answer:
    """Return the refusal of a single write, with the row that was found."""
    return Answer({} if row is None else {"Item": to_attributes(row)}, "ConditionalCheckFailedException")


def cancelled(*reasons: str) -> Answer:
    """Return a cancelled transaction, with one reason for each write."""
    return Answer(
        {"CancellationReasons": [{"Code": each} for each in reasons]}, "TransactionCanceledException"
    )


class NotNowError(Exception):
    """What the writes of these tests are refused with."""


class Run:
    """Carries steps out with answers in turn; keeps the requests and counts the waits."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.sent: list[Request] = []
        self.waits = 0

    def of(self, steps: Steps[T]) -> T:
        return carry_out(steps, self._take)

    def _take(self, step: Request | Wait) -> Answer:
        if isinstance(step, Wait):
            self.waits += 1
            return Answer()
        self.sent.append(step)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    @property
    def tokens(self) -> Sequence[str]:
        return [request.body["ClientRequestToken"] for request in self.sent]


def hold(name: str = "h1") -> MarkedWrite:
    return MarkedWrite(
        "Accounts",
        key={"id": "a"},
        mark=leave(("holds", name), 5),
        update=(Add("balance", -5),),
        condition=AtLeast("balance", 5),
        refused=lambda _: NotNowError(),
    )


PUT = Write("Things", item={"id": "a", "n": 1}, condition=Missing("id"), refused=lambda _: NotNowError())
SET = Write(
    "Things", key={"id": "a"}, update=(Set("n", 1),), condition=Missing("n"), refused=lambda _: NotNowError()
)


class TestLostAnswers:
    @pytest.mark.parametrize(
        ("write", "row"),
        [
            (PUT, {"id": "a", "n": 1}),
            (SET, {"id": "a", "n": 1, "other": 2}),
            (hold(), {"id": "a", "balance": 0, "holds": {"h1": 5}}),
        ],
    )
    def test_a_write_whose_answer_was_lost_is_done_if_its_row_shows_it(
        self, write: SingleWrite, row: Item
    ) -> None:
        run = Run(NO_ANSWER, refused(row))
        assert run.of(core.write(write, PATIENCE)) == (row, True)
        assert len(run.sent) == 2

    @pytest.mark.parametrize(
        ("write", "row"),
        [
            (PUT, {"id": "a", "n": 2}),
            (SET, {"id": "a", "n": 2}),
            (hold(), {"id": "a", "balance": 0, "holds": {"h2": 5}}),
            (PUT, None),
        ],
    )
    def test_a_row_that_another_writer_wrote_is_a_refusal(self, write: SingleWrite, row: Item | None) -> None:
        with pytest.raises(NotNowError):
            Run(NO_ANSWER, refused(row)).of(core.write(write, PATIENCE))

    def test_a_mark_that_is_gone_is_a_refusal_because_another_writer_may_have_taken_it(self) -> None:
        write = MarkedWrite(
            "Accounts", key={"id": "a"}, mark=take(("holds", "h1")), refused=lambda _: NotNowError()
        )
        with pytest.raises(NotNowError):
            Run(NO_ANSWER, refused({"id": "a", "holds": {}})).of(core.write(write, PATIENCE))

    def test_only_a_write_that_lost_an_answer_is_doubtful(self) -> None:
        assert Run(DONE).of(core.write(hold(), PATIENCE)).is_doubtful is False
        conflict = Answer({}, "TransactionConflictException")
        assert Run(conflict, DONE).of(core.write(hold(), PATIENCE)).is_doubtful is False
        assert Run(NO_ANSWER, DONE).of(core.write(hold(), PATIENCE)).is_doubtful is True

    def test_tries_without_an_answer_have_a_bound_of_their_own(self) -> None:
        run = Run(NO_ANSWER)
        with pytest.raises(DatabaseError, match="UpdateItem: no answer"):
            run.of(core.write(hold(), PATIENCE))
        assert len(run.sent) == PATIENCE.unanswered

    def test_a_read_is_asked_again(self) -> None:
        found = Answer({"Item": to_attributes({"id": "a"})})
        assert Run(NO_ANSWER, found).of(core.get("Things", {"id": "a"}, PATIENCE)) == {"id": "a"}


class TestTokens:
    WRITES = (CountingWrite("Accounts", key={"id": "a"}, update=(Add("n", 1),)), PUT)

    def transact(self, run: Run) -> None:
        run.of(core.transact(self.WRITES, PATIENCE))

    def test_a_cancelled_transaction_is_sent_again_under_a_new_token(self) -> None:
        run = Run(cancelled("TransactionConflict", "None"), DONE)
        self.transact(run)
        assert len(set(run.tokens)) == 2

    def test_after_a_lost_answer_the_token_stays(self) -> None:
        """The first request may still be under way, even if a repeat of it was cancelled."""
        in_progress = Answer({}, "TransactionInProgressException")
        run = Run(NO_ANSWER, in_progress, cancelled("TransactionConflict", "None"), DONE)
        self.transact(run)
        assert len(run.sent) == 4
        assert len(set(run.tokens)) == 1

    def test_a_failed_condition_is_no_obstacle(self) -> None:
        run = Run(cancelled("TransactionConflict", "ConditionalCheckFailed"))
        with pytest.raises(NotNowError):
            self.transact(run)
        assert run.waits == 0


class TestLooks:
    """Between two tries of a transaction, its rows are read: a refusal needs no turn of its own."""

    CONFLICT = cancelled("TransactionConflict", "None")
    TAKE = CountingWrite(
        "Budgets",
        key={"id": "b"},
        update=(Add("left", -5),),
        condition=AtLeast("left", 5),
        refused=lambda _: NotNowError(),
        foresees=lambda row: NotNowError() if (row or {}).get("left", 0) < 5 else None,
    )

    def operations(self, *answers: Answer) -> list[str]:
        run = Run(*answers)
        try:
            run.of(core.transact([self.TAKE, PUT], PATIENCE))
        except NotNowError:
            return [*(request.operation for request in run.sent), "refused"]
        return [request.operation for request in run.sent]

    @pytest.mark.parametrize(
        ("answers", "sent"),
        [
            ((DONE,), ["TransactWriteItems"]),
            (
                (CONFLICT, Answer({"Item": to_attributes({"left": 5})}), DONE),
                ["TransactWriteItems", "GetItem", "TransactWriteItems"],
            ),
            (
                (CONFLICT, Answer({"Item": to_attributes({"left": 4})})),
                ["TransactWriteItems", "GetItem", "refused"],
            ),
            # A read that fails decides nothing.
            (
                (CONFLICT, Answer({}, "ThrottlingException"), DONE),
                ["TransactWriteItems", "GetItem", "TransactWriteItems"],
            ),
            # The row may have the change of the try whose answer was lost.
            ((NO_ANSWER, CONFLICT, DONE), ["TransactWriteItems"] * 3),
        ],
        ids=["at once", "covered", "not covered", "unread", "lost"],
    )
    def test_a_look(self, answers: Sequence[Answer], sent: list[str]) -> None:
        assert self.operations(*answers) == sent


class TestMarkedWrites:
    def test_the_mark_is_a_part_of_the_changes_and_of_the_condition(self) -> None:
        request: dict[str, Any] = hold().request()
        assert request["UpdateExpression"] == "SET #n0 = #n0 + :v0, #n1.#n2 = :v1"
        assert request["ConditionExpression"] == "(#n0 >= :v2 AND attribute_not_exists(#n1.#n2))"
        assert request["ExpressionAttributeNames"] == {"#n0": "balance", "#n1": "holds", "#n2": "h1"}

    def test_a_mark_that_is_taken_must_be_there(self) -> None:
        request = MarkedWrite("Accounts", key={"id": "a"}, mark=take("m"), update=(Add("n", 1),)).request()
        assert request["UpdateExpression"] == "SET #n0 = #n0 + :v0 REMOVE #n1"
        assert request["ConditionExpression"] == "attribute_exists(#n1)"
