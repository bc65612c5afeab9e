"""Changes read again from a stream, by what Lambda says of a batch that it gave up on."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tollgate.kit.dynamodb.changes import MAX_READS, ChangeReader, ChangesGoneError, NotABatchError


def record(number: int) -> dict[str, Any]:
    return {"eventName": "INSERT", "dynamodb": {"SequenceNumber": str(number), "NewImage": {}}}


class Stream:
    """A shard whose answers are `pages`; an iterator is the number of the next one."""

    def __init__(self, pages: list[list[int]], *, closed: bool = False) -> None:
        self.pages = pages
        self.closed = closed
        self.asked: dict[str, Any] = {}
        self.reads = 0

    def get_shard_iterator(self, **asked: Any) -> Any:
        self.asked = asked
        return {"ShardIterator": "0"}

    def get_records(self, *, ShardIterator: str) -> Any:  # noqa: N803 - the SDK's own word
        self.reads += 1
        number = int(ShardIterator)
        records = self.pages[number] if number < len(self.pages) else []
        answer: dict[str, Any] = {"Records": [record(each) for each in records]}
        is_last = self.closed and number >= len(self.pages) - 1
        return answer if is_last else {**answer, "NextShardIterator": str(number + 1)}


def read(stream: Any, first: str = "3", last: str = "12") -> list[str]:
    batch = {"streamArn": "arn", "shardId": "s-1", "startSequenceNumber": first, "endSequenceNumber": last}
    return [
        each["dynamodb"]["SequenceNumber"]
        for each in ChangeReader(stream).read(json.dumps({"DDBStreamBatchInfo": batch}))
    ]


class TestChangeReader:
    def test_both_ends_are_in_and_nothing_after(self) -> None:
        # As numbers: as text, "12" would come before "3".
        stream = Stream([[3, 7], [], [11, 12, 13]])
        assert read(stream) == ["3", "7", "11", "12"]
        assert stream.asked == {
            "StreamArn": "arn",
            "ShardId": "s-1",
            "ShardIteratorType": "AT_SEQUENCE_NUMBER",
            "SequenceNumber": "3",
        }

    def test_a_last_one_that_is_not_there_ends_at_the_next(self) -> None:
        assert read(Stream([[3, 7, 14]])) == ["3", "7"]

    def test_a_shard_that_is_closed_ends_it(self) -> None:
        assert read(Stream([[3], [7]], closed=True)) == ["3", "7"]

    def test_a_stream_that_gives_nothing_is_not_asked_for_ever(self) -> None:
        stream = Stream([])
        with pytest.raises(ChangesGoneError):
            read(stream)
        assert stream.reads == MAX_READS

    @pytest.mark.parametrize("code", ["TrimmedDataAccessException", "ResourceNotFoundException"])
    def test_records_older_than_a_day_are_gone(self, code: str) -> None:
        class Trimmed:
            def get_shard_iterator(self, **_: Any) -> Any:
                raise ClientError({"Error": {"Code": code}}, "GetShardIterator")

        with pytest.raises(ChangesGoneError):
            read(Trimmed())

    def test_any_other_refusal_is_not_taken_for_that(self) -> None:
        class Refuses:
            def get_shard_iterator(self, **_: Any) -> Any:
                raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "GetShardIterator")

        with pytest.raises(ClientError, match="AccessDenied"):
            read(Refuses())

    @pytest.mark.parametrize("body", ["not JSON", "[]", "{}", '{"DDBStreamBatchInfo": {"streamArn": "arn"}}'])
    def test_another_message_is_shown_and_not_taken_for_one(self, body: str) -> None:
        unused: Any = Stream([])
        reader = ChangeReader(unused)
        with pytest.raises(NotABatchError, match="failed batch") as raised:
            reader.read(body)
        assert body in str(raised.value)
