"""DynamoDB's refusals, collisions and pages, through a fake of its client.

Emulators raise no TransactionConflict, so what becomes of one is shown here and nowhere else.
"""

import json
from collections.abc import Callable
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError

from local.machine.clients import aws_environment
from tests.support.http_server import Reply, http_server
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb.core import FIRST_WAIT_S, DatabaseError, WriteConflictError
from tollgate.kit.dynamodb.database import PAGE_SIZE, PATIENCE, Database
from tollgate.kit.dynamodb.expressions import Equals, Missing, Remove, Set
from tollgate.kit.dynamodb.rows import Item, to_attributes
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import StorageBusyError

GATEWAY_S = 29
"""How long API Gateway waits for an answer."""


class RefusedError(Exception):
    """What a refusal means in these tests: which write, and the row that it found."""

    def __init__(self, name: str, found: Item | None) -> None:
        super().__init__(name, found)
        self.name = name
        self.found = found


def refusing(name: str, table: str = "Things") -> Write:
    return Write(
        table,
        item={"id": name},
        condition=Missing("id"),
        refused=lambda found: RefusedError(name, found),
    )


def client_error(code: str, **parts: Any) -> ClientError:
    response: Any = {"Error": {"Code": code, "Message": "in words that nobody reads"}, **parts}
    return ClientError(response, "Operation")


def canceled(*reasons: str | dict[str, Any]) -> ClientError:
    """Return a cancelled transaction, with one reason for each write."""
    listed = [{"Code": reason} if isinstance(reason, str) else reason for reason in reasons]
    return client_error("TransactionCanceledException", CancellationReasons=listed)


REFUSED = client_error("ConditionalCheckFailedException")
CONFLICT = canceled("TransactionConflict")
Script = list[ClientError | dict[str, Any]]


class FakeClient:
    """Answers each call with the next of `script`, then with nothing special; keeps the requests."""

    def __init__(self, script: Script | None = None) -> None:
        self._script = list(script or [])
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, operation: str) -> Callable[..., dict[str, Any]]:
        def call(**request: Any) -> dict[str, Any]:
            self.calls.append((operation, request))
            answer = self._script.pop(0) if self._script else {}
            if isinstance(answer, ClientError):
                raise answer
            return answer

        return call


class Bench:
    """A database on a fake client, and the waits that it made."""

    def __init__(self, *script: ClientError | dict[str, Any]) -> None:
        self.client = FakeClient(list(script))
        self.waits_s: list[float] = []
        self.db = Database(cast("Any", self.client), sleep=self.waits_s.append)

    def write(self, write: Write, *, alone: bool) -> None:
        """Do one write, by itself or as a transaction of one."""
        if alone:
            self.db.write(write)
        else:
            self.db.transact([write])


class TestGet:
    def test_it_reads_the_row_as_it_is_now(self) -> None:
        bench = Bench({"Item": {"id": {"S": "a"}, "n": {"N": "5"}}})
        assert bench.db.get("Things", {"id": "a"}) == {"id": "a", "n": 5}
        assert bench.client.calls == [
            ("get_item", {"TableName": "Things", "Key": {"id": {"S": "a"}}, "ConsistentRead": True})
        ]

    def test_no_row_is_none(self) -> None:
        assert Bench({}).db.get("Things", {"id": "a"}) is None


class TestRequest:
    def test_a_put(self) -> None:
        bench = Bench()
        bench.db.write(Write("Things", item={"id": "a", "n": 1}, condition=Missing("id")))
        assert bench.client.calls == [
            (
                "put_item",
                {
                    "TableName": "Things",
                    "Item": {"id": {"S": "a"}, "n": {"N": "1"}},
                    "ConditionExpression": "attribute_not_exists(#n0)",
                    "ExpressionAttributeNames": {"#n0": "id"},
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                },
            )
        ]

    def test_an_update(self) -> None:
        bench = Bench()
        update = Write(
            "Things",
            key={"id": "a"},
            update=(Set("n", 2),),
            condition=Equals("n", 1),
        )
        bench.db.write(update)
        assert bench.client.calls == [
            (
                "update_item",
                {
                    "TableName": "Things",
                    "Key": {"id": {"S": "a"}},
                    "UpdateExpression": "SET #n0 = :v0",
                    "ConditionExpression": "#n0 = :v1",
                    "ExpressionAttributeNames": {"#n0": "n"},
                    "ExpressionAttributeValues": {":v0": {"N": "2"}, ":v1": {"N": "1"}},
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                },
            )
        ]

    def test_a_transaction_has_them_in_the_order_given(self) -> None:
        bench = Bench()
        bench.db.transact([Write("A", item={"id": "a"}), Write("B", key={"id": "b"}, update=(Remove("x"),))])
        ((operation, request),) = bench.client.calls
        assert operation == "transact_write_items"
        assert [list(item) for item in request["TransactItems"]] == [["Put"], ["Update"]]
        assert request["TransactItems"][0]["Put"]["TableName"] == "A"
        assert request["TransactItems"][1]["Update"]["UpdateExpression"] == "REMOVE #n0"


class TestRefusal:
    def test_a_failed_condition_means_what_the_write_says(self) -> None:
        with pytest.raises(RefusedError) as caught:
            Bench(REFUSED).db.write(refusing("a"))
        assert (caught.value.name, caught.value.found) == ("a", None)

    def test_the_write_hears_which_row_was_found(self) -> None:
        found = client_error("ConditionalCheckFailedException", Item={"id": {"S": "a"}, "n": {"N": "1"}})
        with pytest.raises(RefusedError) as caught:
            Bench(found).db.write(refusing("a"))
        assert caught.value.found == {"id": "a", "n": 1}

    def test_in_a_transaction_the_reasons_stand_in_the_order_of_the_writes(self) -> None:
        second = {"Code": "ConditionalCheckFailed", "Item": {"id": {"S": "b"}, "n": {"N": "2"}}}
        bench = Bench(canceled("None", second, "None"))
        with pytest.raises(RefusedError) as caught:
            bench.db.transact([refusing("a"), refusing("b"), refusing("c")])
        assert (caught.value.name, caught.value.found) == ("b", {"id": "b", "n": 2})

    def test_of_several_refused_writes_the_first_one_speaks(self) -> None:
        bench = Bench(canceled("None", "ConditionalCheckFailed", "ConditionalCheckFailed"))
        with pytest.raises(RefusedError) as caught:
            bench.db.transact([refusing("a"), refusing("b"), refusing("c")])
        assert caught.value.name == "b"

    def test_a_refusal_beside_a_collision_is_a_refusal(self) -> None:
        bench = Bench(canceled("TransactionConflict", "ConditionalCheckFailed"))
        with pytest.raises(RefusedError) as caught:
            bench.db.transact([refusing("a"), refusing("b")])
        assert caught.value.name == "b"
        assert bench.waits_s == []

    @pytest.mark.parametrize("alone", [True, False])
    def test_a_write_without_a_condition_cannot_be_refused(self, alone: bool) -> None:
        bench = Bench(REFUSED if alone else canceled("ConditionalCheckFailed"))
        with pytest.raises(AssertionError, match="without a condition"):
            bench.write(Write("Things", item={"id": "a"}), alone=alone)


class TestRepeated:
    """A single write whose answer was lost is sent again, and meets its own result."""

    def outcome(self, found: Item) -> Exception | None:
        write = Write(
            "Things",
            item={"id": "a", "token": "mine"},
            condition=Missing("id"),
            refused=lambda row: RefusedError("a", row),
        )
        refusal = client_error("ConditionalCheckFailedException", Item=to_attributes(found))
        try:
            Bench(refusal).db.write(write)
        except RefusedError as exc:
            return exc
        return None

    def test_its_own_row_means_it_was_done(self) -> None:
        assert self.outcome({"id": "a", "token": "mine"}) is None

    def test_another_writers_row_means_it_was_refused(self) -> None:
        assert isinstance(self.outcome({"id": "a", "token": "another"}), RefusedError)

    def test_without_a_row_there_is_nothing_to_recognise(self) -> None:
        write = Write("Things", item={"id": "a"}, refused=lambda _: KeyError("a"))
        with pytest.raises(KeyError):
            Bench(REFUSED).db.write(write)


class TestCollision:
    @pytest.mark.parametrize(
        "collision",
        [
            canceled("None", "TransactionConflict"),
            canceled("TransactionConflict", "TransactionConflict"),
            canceled("ThrottlingError", "None"),
            canceled("None", "ProvisionedThroughputExceeded"),
            client_error("TransactionConflictException"),
            client_error("TransactionInProgressException"),
        ],
    )
    def test_a_transaction_is_tried_again_until_the_way_is_free(self, collision: ClientError) -> None:
        bench = Bench(collision, collision, {})
        bench.db.transact([refusing("a"), refusing("b")])
        assert len(bench.client.calls) == 3
        assert len(bench.waits_s) == 2

    def test_a_single_write_that_meets_a_transaction_is_tried_again(self) -> None:
        bench = Bench(client_error("TransactionConflictException"), {})
        bench.db.write(refusing("a"))
        assert [operation for operation, _ in bench.client.calls] == ["put_item", "put_item"]
        assert len(bench.waits_s) == 1

    @pytest.mark.parametrize("alone", [True, False])
    @pytest.mark.parametrize(
        "code", ["ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException"]
    )
    def test_a_throttle_is_tried_again(self, alone: bool, code: str) -> None:
        bench = Bench(client_error(code), client_error(code), {})
        bench.write(refusing("a"), alone=alone)
        assert len(bench.client.calls) == 3
        assert len(bench.waits_s) == 2

    def test_what_the_next_try_meets_counts(self) -> None:
        bench = Bench(CONFLICT, canceled("ConditionalCheckFailed"))
        with pytest.raises(RefusedError):
            bench.db.transact([refusing("a")])
        assert len(bench.waits_s) == 1

    @pytest.mark.parametrize("alone", [True, False])
    def test_tries_are_bounded_and_then_it_says_so(self, alone: bool) -> None:
        collision = client_error("TransactionConflictException")
        bench = Bench(*[collision] * 100)
        with pytest.raises(WriteConflictError):
            bench.write(refusing("a"), alone=alone)
        assert len(bench.client.calls) == PATIENCE.attempts

    @pytest.mark.parametrize("alone", [True, False])
    def test_a_throttle_for_all_tries_is_a_503_that_says_so(
        self, alone: bool, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
    ) -> None:
        throttled = client_error("ThrottlingException") if alone else canceled("ThrottlingError")
        bench = Bench(*[throttled] * 100)
        with pytest.raises(StorageBusyError) as caught:
            bench.write(refusing("a"), alone=alone)
        assert not isinstance(caught.value, WriteConflictError)
        assert len(bench.client.calls) == PATIENCE.attempts
        (line,) = [vars(record) for record in caplog.records if record.message == "storage.busy"]
        operation = "PutItem" if alone else "TransactWriteItems"
        assert (line["operation"], line["table"], line["obstacle"]) == (operation, "Things", "throttle")
        assert '"StorageBusy":[1.0]' in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("operation", "read"),
        [
            ("GetItem", lambda db: db.get("Things", {"id": "a"})),
            ("BatchGetItem", lambda db: db.get_all("Things", [{"id": "a"}])),
            ("Query", lambda db: list(db.query("Things", Equals("id", "a")))),
            ("Scan", lambda db: list(db.scan("Things"))),
        ],
    )
    def test_a_read_that_is_throttled_for_all_tries_is_one_too(
        self, operation: str, read: Callable[[Database], Any], caplog: pytest.LogCaptureFixture
    ) -> None:
        bench = Bench(*[client_error("ProvisionedThroughputExceededException")] * 100)
        with pytest.raises(StorageBusyError):
            read(bench.db)
        (line,) = [vars(record) for record in caplog.records if record.message == "storage.busy"]
        assert (line["operation"], line["table"]) == (operation, "Things")

    def test_another_failure_of_a_read_is_named(self) -> None:
        with pytest.raises(DatabaseError, match="GetItem: AccessDeniedException"):
            Bench(client_error("AccessDeniedException")).db.get("Things", {"id": "a"})

    def test_a_throttle_that_lasts_is_answered_before_the_gateway_gives_up(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With the longest waits that chance could draw. The SDK itself tries once."""
        waits_s: list[float] = []
        refused = json.dumps({"__type": "x#ProvisionedThroughputExceededException"}).encode()
        monkeypatch.setattr("botocore.endpoint.time.sleep", waits_s.append)
        monkeypatch.setattr("tollgate.kit.dynamodb.core.random.uniform", lambda _, high: high)
        with http_server(
            lambda _: Reply(400, refused, {"content-type": "application/x-amz-json-1.0"})
        ) as url:
            for name, value in aws_environment(url.removesuffix("/hook")).items():
                monkeypatch.setenv(name, value)
            sdk.forget_clients()
            db = Database(sdk.dynamodb(), sleep=waits_s.append)
            with pytest.raises(StorageBusyError):
                db.write(refusing("a"))
        sdk.forget_clients()
        assert len(waits_s) == PATIENCE.attempts
        assert sum(waits_s) < GATEWAY_S

    def test_waits_are_random_under_a_ceiling_that_doubles(self, monkeypatch: pytest.MonkeyPatch) -> None:
        bounds: list[tuple[float, float]] = []

        def draw(low: float, high: float) -> float:
            bounds.append((low, high))
            return high / 2

        monkeypatch.setattr("tollgate.kit.dynamodb.core.random.uniform", draw)
        bench = Bench(*[CONFLICT] * 100)
        with pytest.raises(WriteConflictError):
            bench.db.transact([refusing("a")])
        ceilings_s = [high for _, high in bounds]
        assert [low for low, _ in bounds] == [0] * PATIENCE.attempts
        assert ceilings_s[:4] == [FIRST_WAIT_S, 2 * FIRST_WAIT_S, 4 * FIRST_WAIT_S, 8 * FIRST_WAIT_S]
        assert ceilings_s[-1] == PATIENCE.max_wait_s
        assert bench.waits_s == [high / 2 for high in ceilings_s]

    def tokens(self, bench: Bench) -> list[str]:
        return [request["ClientRequestToken"] for _, request in bench.client.calls]

    def test_after_a_cancelled_try_the_next_is_a_new_transaction(self) -> None:
        bench = Bench(CONFLICT, CONFLICT, {})
        bench.db.transact([refusing("a")])
        assert len(set(self.tokens(bench))) == 3

    def test_one_that_is_still_in_progress_is_asked_for_under_the_same_token(self) -> None:
        in_progress = client_error("TransactionInProgressException")
        bench = Bench(in_progress, in_progress, {})
        bench.db.transact([refusing("a")])
        assert len(set(self.tokens(bench))) == 1


class TestOtherFailures:
    @pytest.mark.parametrize("alone", [True, False])
    @pytest.mark.parametrize(
        "code", ["ValidationException", "AccessDeniedException", "ResourceNotFoundException"]
    )
    def test_they_are_named_at_once(self, alone: bool, code: str) -> None:
        bench = Bench(client_error(code))
        with pytest.raises(DatabaseError, match=code) as caught:
            bench.write(refusing("a"), alone=alone)
        assert isinstance(caught.value.__cause__, ClientError)
        assert len(bench.client.calls) == 1

    @pytest.mark.parametrize("reason", ["ValidationError", "ItemCollectionSizeLimitExceeded"])
    def test_a_transaction_cancelled_for_good_is_not_tried_again(self, reason: str) -> None:
        bench = Bench(canceled("None", reason))
        with pytest.raises(DatabaseError, match="TransactionCanceled"):
            bench.db.transact([refusing("a"), refusing("b")])
        assert len(bench.client.calls) == 1


def page(*numbers: int, more: bool) -> dict[str, Any]:
    found = {"Items": [{"n": {"N": str(number)}} for number in numbers]}
    return {**found, "LastEvaluatedKey": {"n": {"N": str(numbers[-1])}}} if more else found


class TestQuery:
    def test_pages_are_joined_and_each_starts_where_the_last_one_ended(self) -> None:
        bench = Bench(page(1, 2, more=True), page(3, more=False))
        rows = list(bench.db.query("Things", Equals("id", "a")))
        assert rows == [{"n": 1}, {"n": 2}, {"n": 3}]
        first, second = [request for _, request in bench.client.calls]
        assert "ExclusiveStartKey" not in first
        assert second["ExclusiveStartKey"] == {"n": {"N": "2"}}
        assert first["ExpressionAttributeValues"] == {":v0": {"S": "a"}}
        assert (first["KeyConditionExpression"], first["ExpressionAttributeNames"]) == (
            "#n0 = :v0",
            {"#n0": "id"},
        )
        assert first["Limit"] == PAGE_SIZE

    def test_a_limit_ends_it_although_there_is_more(self) -> None:
        bench = Bench(page(1, 2, more=True), page(3, more=True))
        assert len(list(bench.db.query("Things", Equals("id", "a"), limit=3))) == 3
        assert [request["Limit"] for _, request in bench.client.calls] == [3, 1]

    def test_a_limit_above_a_page_is_read_page_by_page(self) -> None:
        bench = Bench(page(*range(PAGE_SIZE), more=True), page(0, more=True))
        assert len(list(bench.db.query("Things", Equals("id", "a"), limit=PAGE_SIZE + 1))) == 101
        assert [request["Limit"] for _, request in bench.client.calls] == [PAGE_SIZE, 1]

    def test_an_empty_page_is_not_the_end(self) -> None:
        bench = Bench({"Items": [], "LastEvaluatedKey": {"n": {"N": "0"}}}, page(1, more=False))
        assert list(bench.db.query("Things", Equals("id", "a"))) == [{"n": 1}]

    def test_a_table_is_read_consistently_and_an_index_cannot_be(self) -> None:
        bench = Bench(page(1, more=False), page(1, more=False))
        list(bench.db.query("Things", Equals("id", "a")))
        list(bench.db.query("Things", Equals("id", "a"), index="DueIndex"))
        table, index = [request for _, request in bench.client.calls]
        assert table["ConsistentRead"] is True
        assert "IndexName" not in table
        assert index["IndexName"] == "DueIndex"
        assert "ConsistentRead" not in index

    def test_nothing_is_read_before_the_first_row_is_wanted(self) -> None:
        bench = Bench(page(1, more=False))
        bench.db.query("Things", Equals("id", "a"))
        assert bench.client.calls == []


class TestScan:
    def test_it_gives_every_row_of_every_page(self) -> None:
        bench = Bench(page(1, more=True), page(2, more=True), page(3, more=False))
        assert list(bench.db.scan("Things")) == [{"n": 1}, {"n": 2}, {"n": 3}]
        assert {operation for operation, _ in bench.client.calls} == {"scan"}
