"""Messages to our own queues. A message is only a hint to look: the tables hold the truth."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient

# SQS's own bound. The sweeper handles work that is due later.
MAX_DELAY_S = 900
# SQS's own bound.
BATCH_SIZE = 10


class SendError(Exception):
    """SQS refused some messages of a batch."""


class Queue:
    """One SQS queue of JSON messages."""

    def __init__(self, client: "SQSClient", url: str) -> None:
        self._client = client
        self._url = url

    def send(self, message: Mapping[str, Any], delay_s: int = 0) -> None:
        """Send one message, to be received `delay_s` seconds from now at the earliest."""
        body = json.dumps(message)
        self._client.send_message(
            QueueUrl=self._url, MessageBody=body, DelaySeconds=min(delay_s, MAX_DELAY_S)
        )

    def send_all(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Send messages in batches. Raises `SendError` when SQS refused any; a repeat is harmless."""
        self.send_bodies([json.dumps(message) for message in messages])

    def send_bodies(self, bodies: Sequence[str]) -> None:
        """Send messages that are text already. Raises as `send_all` does."""
        for start in range(0, len(bodies), BATCH_SIZE):
            batch = bodies[start : start + BATCH_SIZE]
            answer = self._client.send_message_batch(
                QueueUrl=self._url,
                Entries=[{"Id": str(n), "MessageBody": body} for n, body in enumerate(batch)],
            )
            if answer.get("Failed"):
                raise SendError(str(answer["Failed"]))
