"""Bedrock's runtime through boto3: the only file here that does I/O. boto3 signs with the function's role."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

from tollgate.providers.bedrock.facts import status_of
from tollgate.text.faults import TIMED_OUT, UNREACHABLE, Fault, FaultError

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 100
"""As long as a request may be idle (interface.md, "Limits")."""


class ConverseClient(Protocol):
    """What can converse. Both raise `FaultError`, and give AWS's request id beside the answer."""

    def converse(self, model_id: str, request: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        """Give the whole answer."""

    def converse_stream(self, model_id: str, request: Mapping[str, Any]) -> tuple[str, Iterator[Any]]:
        """Give the parsed events of a streamed answer."""


class BedrockRuntime:
    """A region's Bedrock. Failing over is our part, and sooner: boto3 does not retry."""

    def __init__(self, region: str) -> None:
        config = Config(
            connect_timeout=CONNECT_TIMEOUT_S,
            read_timeout=READ_TIMEOUT_S,
            retries={"total_max_attempts": 1},
        )
        self._client: Any = boto3.client("bedrock-runtime", region_name=region, config=config)

    def converse(self, model_id: str, request: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        """Give AWS's request id and the whole answer. Raises `FaultError`."""
        answer = self._call(self._client.converse, model_id, request)
        return _request_id(answer), answer

    def converse_stream(self, model_id: str, request: Mapping[str, Any]) -> tuple[str, Iterator[Any]]:
        """Give AWS's request id and the events. Raises `FaultError`, also while they are taken."""
        answer = self._call(self._client.converse_stream, model_id, request)
        return _request_id(answer), _guarded(answer["stream"])

    def _call(self, operation: Any, model_id: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            answer: Mapping[str, Any] = operation(modelId=model_id, **request)
        except (ClientError, BotoCoreError) as exc:
            raise FaultError(fault_of_boto(exc)) from exc
        return answer


def fault_of_boto(error: ClientError | BotoCoreError) -> Fault:
    """Give the fault in what boto3 raises."""
    if isinstance(error, ClientError):
        named = error.response.get("Error", {})
        name = str(named.get("Code", "unknown"))
        return Fault(status_of(name), str(named.get("Message", name)), name, name)
    return TIMED_OUT if isinstance(error, ReadTimeoutError) else UNREACHABLE


def _guarded(events: Any) -> Iterator[Any]:
    try:
        yield from events
    except (ClientError, BotoCoreError) as exc:
        raise FaultError(fault_of_boto(exc)) from exc


def _request_id(answer: Mapping[str, Any]) -> str:
    return str(answer.get("ResponseMetadata", {}).get("RequestId", ""))
