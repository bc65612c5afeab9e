"""Messages to our own queues, for text, which has no SDK. See `queue.py`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.kit.aws.json_protocol import AwsJson
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.http.response import HttpError
from tollgate.kit.observability import logger

# A message that arrives twice is harmless.
MAX_ATTEMPTS = 3
OK = 200


class NotSentError(StorageBusyError):
    """SQS is unreachable, or refused the message; the customer may try again."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.add_note(reason)


@dataclass(frozen=True, slots=True)
class AsyncQueue:
    """One SQS queue of JSON messages."""

    sqs: AwsJson
    url: str

    async def send(self, message: Mapping[str, Any], delay_s: int = 0) -> None:
        """Send one message, to arrive in `delay_s` (at most 900) seconds.

        Raises `NotSentError`; it may arrive all the same.
        """
        last = ""
        for _ in range(MAX_ATTEMPTS):
            try:
                sent: dict[str, Any] = {"QueueUrl": self.url, "MessageBody": json.dumps(message)}
                sent |= {"DelaySeconds": delay_s} if delay_s else {}
                status, answer = await self.sqs.call("SendMessage", sent)
            except (HttpError, OSError, ValueError) as exc:
                last = repr(exc)
                continue
            if status == OK:
                return
            last = f"HTTP {status} {answer.get('__type', '')}"
        logger.error("sqs.not_sent", reason=last)
        raise NotSentError(last)
