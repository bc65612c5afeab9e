"""Changes of a table that Lambda gave up on, read again from the table's stream.

Lambda's message about them has no records but says which they were (`DDBStreamBatchInfo`: `streamArn`,
`shardId`, `startSequenceNumber`, `endSequenceNumber`, both included). A stream keeps them for 24 hours.
"""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient

# Round trips for one batch, which has 1000 records at most; an answer may have few, or none.
MAX_READS = 100
MAX_SHOWN = 200
_GONE = frozenset({"TrimmedDataAccessException", "ResourceNotFoundException"})


class ChangesGoneError(Exception):
    """The stream does not have these changes any more."""


class NotABatchError(Exception):
    """The message is not Lambda's record of a failed batch."""


class ChangeReader:
    """Reads batches of changes again."""

    def __init__(self, client: "DynamoDBStreamsClient") -> None:
        self._client = client

    def read(self, message: str) -> list[Mapping[str, Any]]:
        """Return the records that a message is about. Raises `ChangesGoneError` and `NotABatchError`."""
        batch = _batch_of(message)
        try:
            return list(self._records(batch))
        except ClientError as exc:
            if exc.response["Error"]["Code"] in _GONE:
                raise ChangesGoneError(str(exc)) from exc
            raise

    def _records(self, batch: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
        last = int(batch["endSequenceNumber"])
        iterator: str | None = self._client.get_shard_iterator(
            StreamArn=batch["streamArn"],
            ShardId=batch["shardId"],
            ShardIteratorType="AT_SEQUENCE_NUMBER",
            SequenceNumber=batch["startSequenceNumber"],
        )["ShardIterator"]
        for _ in range(MAX_READS):
            if iterator is None:
                return
            answer = self._client.get_records(ShardIterator=iterator)
            for record in answer["Records"]:
                number = int(record["dynamodb"]["SequenceNumber"])
                if number <= last:
                    yield record
                if number >= last:
                    return
            iterator = answer.get("NextShardIterator")
        raise ChangesGoneError(f"the stream has no record {last} after {MAX_READS} reads")


def _batch_of(message: str) -> dict[str, str]:
    names = ("streamArn", "shardId", "startSequenceNumber", "endSequenceNumber")
    try:
        found = json.loads(message)["DDBStreamBatchInfo"]
        return {name: found[name] for name in names}
    except (ValueError, KeyError, TypeError) as exc:
        shown = message[:MAX_SHOWN]
        raise NotABatchError(f"A dead letter is no message about a failed batch: {shown}") from exc
