"""A read of a stream of the local service waits for a record, so that the worker reads only what is there."""

from threading import Timer

import pytest

from local.machine.clients import Clients
from local.machine.emulator import Emulator

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

TABLE = "read"
WRITTEN_AFTER_S = 0.3
"""Much less than a read waits, and much more than one takes that does not."""


def test_a_read_that_finds_no_record_waits_for_one(emulator: Emulator) -> None:
    clients = Clients.at(emulator.endpoint)
    made = clients.dynamodb.create_table(
        TableName=TABLE,
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    )
    stream = made["TableDescription"]["LatestStreamArn"]
    shard = clients.streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = clients.streams.get_shard_iterator(
        StreamArn=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    row = {"id": {"S": "first"}}
    writer = Timer(WRITTEN_AFTER_S, clients.dynamodb.put_item, kwargs={"TableName": TABLE, "Item": row})
    writer.start()
    (record,) = clients.streams.get_records(ShardIterator=iterator)["Records"]
    writer.join()
    assert record["dynamodb"]["NewImage"] == row
