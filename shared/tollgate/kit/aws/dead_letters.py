"""Dead-lettered messages, and how to take them back."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from tollgate.kit.aws.queue import BATCH_SIZE

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient
    from types_boto3_sqs.type_defs import DeleteMessageBatchRequestEntryTypeDef

# How long a message that was taken stays hidden: longer than a batch of changes takes to read again.
HIDDEN_S = 300
# SQS queries all its servers only if it may wait, so only then is an empty response reliable.
WAIT_S = 2


class DeadLetters:
    """One dead-letter queue."""

    def __init__(self, client: "SQSClient", url: str) -> None:
        self._client = client
        self._url = url

    def count(self) -> int:
        """Return about how many messages there are, as SQS knows it."""
        attributes = self._client.get_queue_attributes(
            QueueUrl=self._url, AttributeNames=["ApproximateNumberOfMessages"]
        )
        return int(attributes["Attributes"]["ApproximateNumberOfMessages"])

    def hand_over(self, take: Callable[[Sequence[str]], Collection[int] | None], most: int) -> int:
        """Hand the bodies of at most `most` messages to `take`, in batches; return how many it took.

        `take` returns the positions of those that stay, if any. The others are deleted when it has returned,
        so a crash loses none and may hand some over twice.
        """
        seen = taken = 0
        while seen < most:
            answer = self._client.receive_message(
                QueueUrl=self._url,
                MaxNumberOfMessages=min(BATCH_SIZE, most - seen),
                VisibilityTimeout=HIDDEN_S,
                WaitTimeSeconds=WAIT_S,
            )
            messages = answer.get("Messages", [])
            if not messages:
                break
            stay = take([message["Body"] for message in messages]) or ()
            entries: list[DeleteMessageBatchRequestEntryTypeDef] = [
                {"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]}
                for n, message in enumerate(messages)
                if n not in stay
            ]
            # A message that SQS does not delete is taken again, which is harmless: see above.
            if entries:
                self._client.delete_message_batch(QueueUrl=self._url, Entries=entries)
            seen, taken = seen + len(messages), taken + len(entries)
        return taken
