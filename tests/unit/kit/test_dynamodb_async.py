"""The lean client: the same outcomes as the other, over what DynamoDB answers."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tollgate.kit.dynamodb_async import MAX_ATTEMPTS, AsyncDatabase, DatabaseBusyError, DatabaseError
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.expressions import Set
from tollgate.kit.writes import Write

PREFIX = "com.amazonaws.dynamodb.v20120810#"
OK: tuple[int, dict[str, Any]] = (200, {})


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


class RefusedError(Exception):
    """What the write's refusal means."""


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(_: float) -> None:
        return None

    monkeypatch.setattr("tollgate.kit.dynamodb_async.asyncio.sleep", at_once)


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    found = asyncio.new_event_loop()
    yield found
    found.close()


class TestWrite:
    def run(self, loop: asyncio.AbstractEventLoop, service: Service, **fields: Any) -> None:
        database = AsyncDatabase(service)  # type: ignore[arg-type]
        one = Write("t", key={"id": "1"}, update=(Set("a", 1),), **fields)
        loop.run_until_complete(database.write(one))

    def test_an_update_and_a_put_are_what_they_are(self, loop: asyncio.AbstractEventLoop) -> None:
        service = Service(OK)
        self.run(loop, service)
        loop.run_until_complete(AsyncDatabase(service).write(Write("t", item={"id": "1"})))  # type: ignore[arg-type]
        assert [operation for operation, _ in service.calls] == ["UpdateItem", "PutItem"]

    @pytest.mark.parametrize(
        "first",
        [
            error("TransactionConflictException"),
            error("ProvisionedThroughputExceededException"),
            error("InternalServerError", 500),
            ConnectionError("closed"),
            TimeoutError(),
        ],
    )
    def test_a_collision_or_a_lost_answer_is_tried_again(
        self, loop: asyncio.AbstractEventLoop, first: Any
    ) -> None:
        service = Service(first, OK)
        self.run(loop, service)
        assert len(service.calls) == 2

    def test_the_tries_are_bounded(self, loop: asyncio.AbstractEventLoop) -> None:
        service = Service(error("TransactionConflictException"))
        with pytest.raises(DatabaseBusyError):
            self.run(loop, service)
        assert len(service.calls) == MAX_ATTEMPTS

    @pytest.mark.parametrize("code", ["ThrottlingException", "ProvisionedThroughputExceededException"])
    def test_a_throttle_for_all_tries_is_a_503_to_the_customer(
        self, loop: asyncio.AbstractEventLoop, code: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        read = AsyncDatabase(Service(error(code))).get("t", {"account_id": "usr_1"})  # type: ignore[arg-type]
        with pytest.raises(StorageBusyError) as caught:
            loop.run_until_complete(read)
        assert (caught.value.status, caught.value.headers()) == (503, {"Retry-After": "5"})
        (line,) = [vars(record) for record in caplog.records if record.message == "storage.busy"]
        assert (line["operation"], line["table"], line["account_id"]) == ("GetItem", "t", "usr_1")

    def test_what_no_retry_mends_is_not_tried_again(self, loop: asyncio.AbstractEventLoop) -> None:
        service = Service(error("AccessDeniedException"))
        with pytest.raises(DatabaseError):
            self.run(loop, service)
        assert len(service.calls) == 1

    def test_a_refusal_is_what_the_write_says_it_means(self, loop: asyncio.AbstractEventLoop) -> None:
        found: list[Any] = []

        def refused(item: Any) -> Exception:
            found.append(item)
            return RefusedError()

        service = Service(error("ConditionalCheckFailedException", Item={"balance": {"N": "3"}}))
        with pytest.raises(RefusedError):
            self.run(loop, service, refused=refused)
        assert found == [{"balance": 3}]

    def test_a_refusal_of_our_own_repeat_is_a_success(self, loop: asyncio.AbstractEventLoop) -> None:
        refusal = error("ConditionalCheckFailedException", Item={"token": {"S": "mine"}})
        service = Service(TimeoutError(), refusal)
        self.run(
            loop, service, refused=lambda _: RefusedError(), repeated=lambda item: item["token"] == "mine"
        )
        assert len(service.calls) == 2


class TestGet:
    def test_a_row_or_nothing_and_always_the_newest(self, loop: asyncio.AbstractEventLoop) -> None:
        service = Service((200, {"Item": {"id": {"S": "1"}, "n": {"N": "2"}}}), OK)
        database = AsyncDatabase(service)  # type: ignore[arg-type]
        assert loop.run_until_complete(database.get("t", {"id": "1"})) == {"id": "1", "n": 2}
        assert loop.run_until_complete(database.get("t", {"id": "1"})) is None
        assert service.calls[0][1]["ConsistentRead"] is True


def cancelled(*reasons: str | dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return a cancelled transaction, with one reason for each write."""
    listed = [{"Code": reason} if isinstance(reason, str) else reason for reason in reasons]
    return error("TransactionCanceledException", CancellationReasons=listed)


class TestTransact:
    def run(self, loop: asyncio.AbstractEventLoop, service: Service) -> None:
        writes = [
            Write("t", item={"id": "1"}, refused=lambda found: RefusedError("first", found)),
            Write("t", item={"id": "2"}, refused=lambda found: RefusedError("second", found)),
        ]
        loop.run_until_complete(AsyncDatabase(service).transact(writes))  # type: ignore[arg-type]

    def test_all_writes_in_one_call(self, loop: asyncio.AbstractEventLoop) -> None:
        service = Service(OK)
        self.run(loop, service)
        ((operation, request),) = service.calls
        assert operation == "TransactWriteItems"
        assert [item["Put"]["Item"] for item in request["TransactItems"]] == [
            {"id": {"S": "1"}},
            {"id": {"S": "2"}},
        ]

    def test_the_first_refused_write_says_what_it_means(self, loop: asyncio.AbstractEventLoop) -> None:
        refused = {"Code": "ConditionalCheckFailed", "Item": {"n": {"N": "3"}}}
        with pytest.raises(RefusedError) as caught:
            self.run(loop, Service(cancelled("None", refused)))
        assert caught.value.args == ("second", {"n": 3})

    @pytest.mark.parametrize(
        "reason", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]
    )
    def test_a_collision_is_tried_again_as_a_transaction_of_its_own(
        self, loop: asyncio.AbstractEventLoop, reason: str
    ) -> None:
        service = Service(cancelled(reason, "None"), OK)
        self.run(loop, service)
        assert len({request["ClientRequestToken"] for _, request in service.calls}) == 2

    def test_a_lost_answer_is_asked_for_under_the_same_token(self, loop: asyncio.AbstractEventLoop) -> None:
        service = Service(TimeoutError(), error("TransactionInProgressException"), OK)
        self.run(loop, service)
        assert len(service.calls) == 3
        assert len({request["ClientRequestToken"] for _, request in service.calls}) == 1

    @pytest.mark.parametrize(
        ("reason", "tries", "busy"),
        [
            ("ValidationError", 1, False),
            ("TransactionConflict", MAX_ATTEMPTS, True),
            ("ThrottlingError", MAX_ATTEMPTS, True),
        ],
    )
    def test_tries_are_bounded(
        self, loop: asyncio.AbstractEventLoop, reason: str, tries: int, busy: bool
    ) -> None:
        service = Service(cancelled("None", reason))
        with pytest.raises(DatabaseError) as caught:
            self.run(loop, service)
        assert isinstance(caught.value, StorageBusyError) is busy
        assert len(service.calls) == tries
