"""What the template declares, in moto: made once a session, and put back as it was for each test."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from moto.backends import get_backend
from moto.core.models import DEFAULT_ACCOUNT_ID

from local.clients import REGION
from local.stack import Stack

# S3's buckets are of no region.
PLACES = {"dynamodb": REGION, "sqs": REGION, "s3": "aws", "secretsmanager": REGION}


@dataclass
class MotoStack:
    """A stack just made, and what moto holds of it. To make it takes longer than most tests."""

    stack: Stack
    environment: dict[str, str] = field(init=False)
    """Of all functions together."""
    states: dict[str, dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.environment = self.stack.environment()
        self.states = {service: _copy(vars(_backend(service))) for service in PLACES}

    def restore(self) -> None:
        """Put everything back as it was made, in a moto that has just been started."""
        for service, state in self.states.items():
            vars(_backend(service)).update(_copy(state))


def _backend(service: Any) -> Any:
    return get_backend(service)[DEFAULT_ACCOUNT_ID][PLACES[service]]


def _copy(state: dict[str, Any]) -> dict[str, Any]:
    # A queue's lock cannot be copied; one thread needs no other.
    locks = [queue._messages_lock for queue in state.get("queues", {}).values()]
    return deepcopy(state, {id(lock): lock for lock in locks})
