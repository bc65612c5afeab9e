"""The transport for text: what becomes of DynamoDB's answers. The rules are `test_dynamodb_core.py`'s."""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

import pytest

from tollgate.kit.dynamodb.async_database import PATIENCE, AsyncDatabase
from tollgate.kit.dynamodb.core import DatabaseBusyError, DatabaseError
from tollgate.kit.dynamodb.expressions import Missing, Set
from tollgate.kit.dynamodb.writes import SingleWrite, Write
from tollgate.kit.errors import StorageBusyError

PREFIX = "com.amazonaws.dynamodb.v20120810#"
OK: tuple[int, dict[str, Any]] = (200, {})
UPDATE = Write("t", key={"id": "1"}, update=(Set("a", 1),))
T = TypeVar("T")


def error(kind: str, status: int = 400, **more: Any) -> tuple[int, dict[str, Any]]:
    """Return an error answer."""
    return status, {"__type": PREFIX + kind, **more}


class Service:
    """Answers in turn; an exception is raised."""

    def __init__(self, *answers: tuple[int, dict[str, Any]] | Exception) -> None:
        self.answers = list(answers)
        self.calls: list[tuple[str, Mapping[str, Any]]] = []

    async def call(self, operation: str, request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        self.calls.append((operation, request))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def database(self) -> AsyncDatabase:
        return AsyncDatabase(self)  # type: ignore[arg-type]

    def write(self, write: SingleWrite = UPDATE) -> None:
        run(self.database().write(write))


def run(work: Awaitable[T]) -> T:
    async def main() -> T:
        return await work

    return asyncio.run(main())


class RefusedError(Exception):
    """What the write's refusal means."""


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(_: float) -> None:
        return None

    monkeypatch.setattr("tollgate.kit.dynamodb.async_database.asyncio.sleep", at_once)


def test_an_update_and_a_put_are_what_they_are() -> None:
    service = Service(OK)
    service.write()
    service.write(Write("t", item={"id": "1"}))
    assert [operation for operation, _ in service.calls] == ["UpdateItem", "PutItem"]


@pytest.mark.parametrize(
    "first",
    [
        error("TransactionConflictException"),
        error("ProvisionedThroughputExceededException"),
        error("InternalServerError", 500),
        (503, {}),
        ConnectionError("closed"),
        TimeoutError(),
        ValueError("half of a JSON"),
    ],
)
def test_a_collision_or_a_lost_answer_is_tried_again(first: Any) -> None:
    service = Service(first, OK)
    service.write()
    assert len(service.calls) == 2


def test_the_tries_are_bounded() -> None:
    service = Service(error("TransactionConflictException"))
    with pytest.raises(DatabaseBusyError):
        service.write()
    assert len(service.calls) == PATIENCE.attempts


@pytest.mark.parametrize("code", ["ThrottlingException", "ProvisionedThroughputExceededException"])
def test_a_throttle_for_all_tries_is_a_503_to_the_customer(
    code: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(StorageBusyError) as caught:
        run(Service(error(code)).database().get("t", {"account_id": "usr_1"}))
    assert (caught.value.status, caught.value.headers()) == (503, {"Retry-After": "5"})
    (line,) = [vars(record) for record in caplog.records if record.message == "storage.busy"]
    assert (line["operation"], line["table"], line["account_id"]) == ("GetItem", "t", "usr_1")


def test_what_no_retry_mends_is_not_tried_again() -> None:
    service = Service(error("AccessDeniedException"))
    with pytest.raises(DatabaseError, match="AccessDeniedException"):
        service.write()
    assert len(service.calls) == 1


def test_a_refusal_is_what_the_write_says_it_means() -> None:
    found: list[Any] = []

    def refused(item: Any) -> Exception:
        found.append(item)
        return RefusedError()

    service = Service(error("ConditionalCheckFailedException", Item={"balance": {"N": "3"}}))
    with pytest.raises(RefusedError):
        service.write(Write("t", key={"id": "1"}, update=(Set("a", 1),), refused=refused))
    assert found == [{"balance": 3}]


def test_a_row_or_nothing_and_always_the_newest() -> None:
    service = Service((200, {"Item": {"id": {"S": "1"}, "n": {"N": "2"}}}), OK)
    assert run(service.database().get("t", {"id": "1"})) == {"id": "1", "n": 2}
    assert run(service.database().get("t", {"id": "1"})) is None
    assert service.calls[0][1]["ConsistentRead"] is True


def test_the_first_refused_write_of_a_transaction_says_what_it_means() -> None:
    refused = {"Code": "ConditionalCheckFailed", "Item": {"n": {"N": "3"}}}
    reasons = [{"Code": "None"}, refused]
    service = Service(error("TransactionCanceledException", CancellationReasons=reasons))
    writes = [
        Write("t", item={"id": "1"}, refused=lambda found: RefusedError("first", found)),
        Write("t", item={"id": "2"}, refused=lambda found: RefusedError("second", found)),
    ]
    with pytest.raises(RefusedError) as caught:
        run(service.database().transact(writes))
    assert caught.value.args == ("second", {"n": 3})
    assert [list(item) for item in service.calls[0][1]["TransactItems"]] == [["Put"], ["Put"]]


def test_a_write_that_was_carried_out_although_its_answer_was_lost_is_done() -> None:
    refusal = error("ConditionalCheckFailedException", Item={"id": {"S": "1"}, "token": {"S": "mine"}})
    service = Service(TimeoutError(), refusal)
    service.write(Write("t", item={"id": "1", "token": "mine"}, condition=Missing("id")))
    assert len(service.calls) == 2
