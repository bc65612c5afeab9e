"""The DynamoDB client gives rows as they came over the wire, in every answer that has some."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError
from botocore.session import Session

from local.machine.clients import aws_environment
from tests.support.http_server import Received, Reply, http_server
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Equals, Exists, Set
from tollgate.kit.dynamodb.writes import Write

ROW = {
    "id": {"S": "a"},
    "n": {"N": "12345678901234567890"},
    "on": {"BOOL": True},
    "none": {"NULL": True},
    "map": {"M": {"list": {"L": [{"N": "-1"}, {"S": ""}, {"M": {}}]}}},
}
PLAIN = {
    "id": "a",
    "n": 12345678901234567890,
    "on": True,
    "none": None,
    "map": {"list": [-1, "", {}]},
}
KEY = {"id": "a"}
ANSWERS: dict[str, tuple[int, dict[str, Any]]] = {
    "GetItem": (200, {"Item": ROW}),
    "Query": (200, {"Items": [ROW], "Count": 1}),
    "Scan": (200, {"Items": [ROW], "Count": 1}),
    "BatchGetItem": (200, {"Responses": {"Things": [ROW]}}),
    "TransactGetItems": (200, {"Responses": [{"Item": ROW}]}),
    "UpdateItem": (400, {"__type": "x#ConditionalCheckFailedException", "Item": ROW}),
    "TransactWriteItems": (
        400,
        {
            "__type": "x#TransactionCanceledException",
            "CancellationReasons": [{"Code": "ConditionalCheckFailed", "Item": ROW}],
        },
    ),
}


class FoundError(Exception):
    """A write was refused by this row."""


@pytest.fixture
def db(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    def answer(request: Received) -> Reply:
        status, body = ANSWERS[request.headers["x-amz-target"].rpartition(".")[2]]
        return Reply(status, json.dumps(body).encode(), {"content-type": "application/x-amz-json-1.0"})

    with http_server(answer) as url:
        for name, value in aws_environment(url.removesuffix("/hook")).items():
            monkeypatch.setenv(name, value)
        sdk.forget_clients()
        yield Database(sdk.dynamodb())
    sdk.forget_clients()


def test_reads(db: Database) -> None:
    assert db.get("Things", KEY) == PLAIN
    assert db.get_all("Things", [KEY]) == [PLAIN]
    assert db.get_together("Things", [KEY]) == [PLAIN]
    assert list(db.query("Things", Equals("id", "a"))) == [PLAIN]
    assert list(db.scan("Things")) == [PLAIN]


@pytest.mark.parametrize("alone", [True, False])
def test_refusals(db: Database, alone: bool) -> None:
    write = Write("Things", key=KEY, update=(Set("n", 1),), condition=Exists("id"), refused=FoundError)
    send = partial(db.write, write) if alone else partial(db.transact, [write])
    with pytest.raises(FoundError) as caught:
        send()
    assert caught.value.args == (PLAIN,)


def test_the_client_gives_what_came(db: Database) -> None:
    assert sdk.dynamodb().get_item(TableName="Things", Key={"id": {"S": "a"}})["Item"] == ROW
    with pytest.raises(ClientError) as caught:
        sdk.dynamodb().update_item(TableName="Things", Key={"id": {"S": "a"}})
    assert caught.value.response["Item"] == ROW  # type: ignore[typeddict-item]


def test_requests_have_no_such_shape() -> None:
    """What is sent is still checked and written by the SDK: the shape stands in answers alone."""
    client: Any = Session().create_client("dynamodb", region_name="us-east-1")
    model = client.meta.service_model
    found = {
        name
        for name in model.operation_names
        if "AttributeMap" in _shapes(model.operation_model(name).input_shape)
    }
    assert found == set()
    assert "AttributeMap" in _shapes(model.operation_model("GetItem").output_shape)


def _shapes(shape: Any, seen: frozenset[str] = frozenset()) -> set[str]:
    """Return the names of all shapes below one."""
    if shape is None or shape.name in seen:
        return set()
    seen |= {shape.name}
    below = [
        *(shape.members.values() if shape.type_name == "structure" else ()),
        *([shape.member] if shape.type_name == "list" else ()),
        *([shape.value] if shape.type_name == "map" else ()),
    ]
    return {shape.name}.union(*(_shapes(one, seen) for one in below))
