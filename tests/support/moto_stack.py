"""What the template declares, in moto: made once a session, and put back as it was for each test."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from moto.backends import get_backend
from moto.core.models import DEFAULT_ACCOUNT_ID

from local.clients import REGION
from local.stack import Stack

# S3's buckets are of no region.
PLACES = {
    "dynamodb": REGION,
    "sqs": REGION,
    "s3": "aws",
    "secretsmanager": REGION,
    "cognito-idp": REGION,
}


@dataclass
class MotoStack:
    """A stack just made, and what moto holds of it. To make it takes longer than most tests."""

    stack: Stack
    environment: dict[str, str] = field(init=False)
    """Of all functions together."""
    states: dict[str, dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.environment = self.stack.environment()
        self.states = state_of_moto()

    def restore(self) -> None:
        """Put everything back as it was made, in a moto that has just been started."""
        put_back(self.states)


def state_of_moto() -> dict[str, dict[str, Any]]:
    """Return all that moto holds now, by service."""
    return {service: _copy(vars(_backend(service))) for service in PLACES}


def put_back(states: dict[str, dict[str, Any]]) -> None:
    """Let moto hold what it held once."""
    for service, state in states.items():
        vars(_backend(service)).update(_copy(state))


def _backend(service: Any) -> Any:
    return get_backend(service)[DEFAULT_ACCOUNT_ID][PLACES[service]]


def _copy(state: dict[str, Any]) -> dict[str, Any]:
    # A queue's lock cannot be copied; one thread needs no other.
    locks = [queue._messages_lock for queue in state.get("queues", {}).values()]
    return deepcopy(state, {id(lock): lock for lock in locks})


def tables_of_moto() -> dict[str, Any]:
    """Return DynamoDB's tables by name."""
    tables: dict[str, Any] = _backend("dynamodb").tables
    return tables


def rows_of(table: str) -> list[dict[str, Any]]:
    """Return the rows of a table, typed as DynamoDB has them; to ask a client takes ten times as long."""
    return [item.to_json()["Attributes"] for item in tables_of_moto()[table].all_items()]


def messages_of(queue: str) -> list[str]:
    """Return the bodies of all messages of a queue, those too that are delayed or under way."""
    return [message.body for message in _backend("sqs").queues[queue]._messages]


def objects_of(bucket: str) -> list[tuple[str, int]]:
    """Return name and size of each object of a bucket."""
    return [(name, found.size) for name, found in _backend("s3").buckets[bucket].keys.items()]
