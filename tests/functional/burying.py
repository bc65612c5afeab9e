"""Dead letters as Lambda and SQS leave them."""

import json
from typing import Any

from tests.conftest import Aws


def bury(aws: Aws, queue: str, *bodies: str) -> None:
    """Put messages into a dead-letter queue."""
    for body in bodies:
        aws.clients.sqs.send_message(QueueUrl=aws.stack.refs[queue], MessageBody=body)


def bury_changes(aws: Aws, table: str, records: list[Any], queue: str = "ChangesDeadLetterQueue") -> None:
    """Bury a batch of a table's stream, as Lambda does after its last attempt."""
    arn = aws.stack.attributes[f"{table}.StreamArn"]
    shard = aws.clients.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]
    batch = {
        "streamArn": arn,
        "shardId": shard["ShardId"],
        "startSequenceNumber": records[0]["dynamodb"]["SequenceNumber"],
        "endSequenceNumber": records[-1]["dynamodb"]["SequenceNumber"],
        "batchSize": len(records),
    }
    bury(aws, queue, json.dumps({"version": "1.0", "DDBStreamBatchInfo": batch}))
