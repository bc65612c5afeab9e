"""moto as the tests have it: a failed transaction is taken back row by row, more queries are refused."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.conftest import Aws
from tests.functional.conftest import StreamReader
from tests.support.quick_dynamodb import reserved_words

KEY = {"task_id": {"S": "task_1"}}


def test_a_transaction_that_fails_leaves_rows_and_streams_as_they_were(aws: Aws) -> None:
    db, table = aws.clients.dynamodb, aws.stack.refs["TasksTable"]
    db.put_item(TableName=table, Item={**KEY, "seq": {"N": "1"}})
    raised: Any = {
        "TableName": table,
        "Key": KEY,
        "UpdateExpression": "SET seq = :two",
        "ExpressionAttributeValues": {":two": {"N": "2"}},
    }
    another: Any = {"TableName": table, "Item": {"task_id": {"S": "task_2"}}}
    missing: Any = {
        "TableName": aws.stack.refs["AccountsTable"],
        "Key": {"account_id": {"S": "usr_1"}},
        "ConditionExpression": "attribute_exists(account_id)",
    }
    with pytest.raises(db.exceptions.TransactionCanceledException) as refused:
        db.transact_write_items(
            TransactItems=[{"Update": raised}, {"Put": another}, {"ConditionCheck": missing}]
        )
    codes = [reason["Code"] for reason in refused.value.response["CancellationReasons"]]
    assert codes == ["None", "None", "ConditionalCheckFailed"]
    assert db.scan(TableName=table)["Items"] == [{**KEY, "seq": {"N": "1"}}]

    db.transact_write_items(TransactItems=[{"Update": raised}])
    assert db.get_item(TableName=table, Key=KEY)["Item"]["seq"] == {"N": "2"}
    told = [record["eventName"] for record in StreamReader(aws, "TasksTable").new_records()]
    assert told == ["INSERT", "MODIFY"]


def test_a_transaction_that_fails_brings_back_what_it_deleted_and_replaced(
    aws: Aws,
) -> None:
    db, table = aws.clients.dynamodb, aws.stack.refs["LedgerTable"]
    keys: Any = [{"account_id": {"S": "usr_1"}, "entry_id": {"S": f"entry_{number}"}} for number in range(3)]
    rows = [{**key, "data": {"M": {"number": {"N": "1"}}}} for key in keys]
    for row in rows:
        db.put_item(TableName=table, Item=row)
    writes: Any = [
        {"Put": {"TableName": table, "Item": keys[0]}},
        {"Delete": {"TableName": table, "Key": keys[1]}},
        {
            "ConditionCheck": {
                "TableName": table,
                "Key": keys[2],
                "ConditionExpression": "attribute_not_exists(entry_id)",
            }
        },
    ]
    with pytest.raises(db.exceptions.TransactionCanceledException):
        db.transact_write_items(TransactItems=writes)
    assert db.scan(TableName=table)["Items"] == rows
    told = [record["eventName"] for record in StreamReader(aws, "LedgerTable").new_records()]
    assert told == ["INSERT"] * len(rows)


def test_an_answer_has_nothing_of_which_a_table_has_a_part(aws: Aws) -> None:
    db, table = aws.clients.dynamodb, aws.stack.refs["TasksTable"]
    db.put_item(TableName=table, Item={**KEY, "data": {"M": {"tags": {"L": [{"S": "a"}]}}}})
    found = db.get_item(TableName=table, Key=KEY)["Item"]
    found["data"]["M"]["tags"]["L"].clear()
    assert db.get_item(TableName=table, Key=KEY)["Item"]["data"] == {"M": {"tags": {"L": [{"S": "a"}]}}}


def test_a_row_that_is_too_large_is_refused(aws: Aws) -> None:
    db, table = aws.clients.dynamodb, aws.stack.refs["TasksTable"]
    with pytest.raises(ClientError, match="Item size has exceeded the maximum allowed size"):
        db.put_item(TableName=table, Item={**KEY, "data": {"S": "a" * 410_000}})
    assert "Item" not in db.get_item(TableName=table, Key=KEY)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("reference = :payment", ["REFERENCE"]),
        ("account_id = :a AND begins_with(entry_id, :b)", []),
        ("(#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2)", []),
        ("attribute_exists(data.size) OR NOT #data = :data", ["DATA"]),
        ("SET #counter = :counter, seq = if_not_exists(seq, :zero) REMOVE ttl", ["TTL"]),
        ("Status IN (:a, :b)", ["STATUS"]),
    ],
)
def test_a_reserved_word_is_found_where_it_is_a_name(expression: str, words: list[str]) -> None:
    assert reserved_words({"TransactItems": [{"Put": {"ConditionExpression": expression}}]}) == words
    assert reserved_words({"Item": {"expression": {"S": expression}}}) == []


def test_a_query_by_a_reserved_word_is_refused(aws: Aws) -> None:
    db, table = aws.clients.dynamodb, aws.stack.refs["LedgerTable"]
    query: Any = {
        "TableName": table,
        "IndexName": "ReferenceIndex",
        "ExpressionAttributeValues": {":payment": {"S": "pi_1"}},
    }
    with pytest.raises(ClientError, match="reserved keyword: REFERENCE"):
        db.query(**query, KeyConditionExpression="reference = :payment")
    names = {"#reference": "reference"}
    found = db.query(**query, KeyConditionExpression="#reference = :payment", ExpressionAttributeNames=names)
    assert found["Items"] == []


@pytest.mark.parametrize(("kind", "first", "last"), [("N", "10", "9"), ("S", "b", "a")])
def test_a_query_between_bounds_in_the_wrong_order_is_refused(
    aws: Aws, kind: str, first: str, last: str
) -> None:
    sort_key = {"N": "created_at_ms", "S": "entry_id"}[kind]
    query: Any = {
        "TableName": aws.stack.refs["LedgerTable"],
        "KeyConditionExpression": f"account_id = :a AND {sort_key} BETWEEN :first AND :last",
        **({"IndexName": "TimeIndex"} if kind == "N" else {}),
    }
    bounds: Any = {":a": {"S": "usr_1"}, ":first": {kind: last}, ":last": {kind: first}}
    assert aws.clients.dynamodb.query(**query, ExpressionAttributeValues=bounds)["Items"] == []
    bounds |= {":first": {kind: first}, ":last": {kind: last}}
    with pytest.raises(ClientError, match="requires upper bound to be greater"):
        aws.clients.dynamodb.query(**query, ExpressionAttributeValues=bounds)
