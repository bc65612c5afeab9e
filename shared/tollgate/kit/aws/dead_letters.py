"""Dead-lettered messages, and how to take them back."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tollgate.kit.aws.queue import BATCH_SIZE

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient

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

    def hand_over(self, take: Callable[[Sequence[str]], None], most: int) -> int:
        """Hand the bodies of at most `most` messages to `take`, in batches; return how many.

        A batch is deleted when `take` has returned, so a crash loses none and may hand some over twice.
        """
        done = 0
        while done < most:
            answer = self._client.receive_message(
                QueueUrl=self._url,
                MaxNumberOfMessages=min(BATCH_SIZE, most - done),
                VisibilityTimeout=HIDDEN_S,
                WaitTimeSeconds=WAIT_S,
            )
            messages = answer.get("Messages", [])
            if not messages:
                break
            take([message["Body"] for message in messages])
            # A message that SQS does not delete is taken again, which is harmless: see above.
            self._client.delete_message_batch(
                QueueUrl=self._url,
                Entries=[
                    {"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]}
                    for n, message in enumerate(messages)
                ],
            )
            done += len(messages)
        return done
