"""moto as the tests have it: what a transaction did that fails is taken back, row by row."""

from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import StreamReader

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
