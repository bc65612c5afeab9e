"""What the template declares, in moto: made once a session, and put back as it was for each test."""

import io
import pickle
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from moto.backends import get_backend
from moto.core.models import DEFAULT_ACCOUNT_ID

from local.machine.clients import REGION
from local.machine.stack import Stack

# S3's buckets are of no region.
PLACES = {
    "dynamodb": REGION,
    "sqs": REGION,
    "s3": "aws",
    "secretsmanager": REGION,
    "cognito-idp": REGION,
}
_LOCK = type(threading.RLock())
# Those of user pools, which cannot be pickled.
_keys: dict[int, RSAPrivateKey] = {}


@dataclass
class MotoStack:
    """A stack just made, and what moto holds of it. To make it takes longer than most tests."""

    stack: Stack
    environment: dict[str, str] = field(init=False)
    """Of all functions together."""
    states: Mapping[str, bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.environment = self.stack.environment()
        self.states = state_of_moto()

    def restore(self) -> None:
        """Put everything back as it was made, in a moto that has just been started."""
        put_back(self.states)


class _Pickler(pickle.Pickler):
    """Pickles a queue's lock too, which is read as another one, and a pool's key, which is read as itself."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, RSAPrivateKey):
            _keys[id(value)] = value
            return _key, (id(value),)
        return (threading.RLock, ()) if isinstance(value, _LOCK) else NotImplemented


def _key(number: int) -> RSAPrivateKey:
    return _keys[number]


def state_of_moto() -> Mapping[str, bytes]:
    """Return all that moto holds now, by service. To pickle it takes a fifth of the time of a deep copy."""
    return {service: _pickled(vars(_backend(service))) for service in PLACES}


def put_back(states: Mapping[str, bytes]) -> None:
    """Let moto hold what it held once."""
    for service, state in states.items():
        vars(_backend(service)).update(pickle.loads(state))  # noqa: S301 - of this process


def _backend(service: Any) -> Any:
    return get_backend(service)[DEFAULT_ACCOUNT_ID][PLACES[service]]


def _pickled(state: dict[str, Any]) -> bytes:
    written = io.BytesIO()
    _Pickler(written, pickle.HIGHEST_PROTOCOL).dump(state)
    return written.getvalue()


def tables_of_moto() -> dict[str, Any]:
    """Return DynamoDB's tables by name."""
    tables: dict[str, Any] = _backend("dynamodb").tables
    return tables


def has_rows() -> bool:
    """Return whether any table has a row."""
    return any(rows for table in tables_of_moto().values() for rows in table.items.values())


def rows_of(table: str) -> list[dict[str, Any]]:
    """Return the rows of a table, typed as DynamoDB has them; to ask a client takes ten times as long."""
    return [item.to_json()["Attributes"] for item in tables_of_moto()[table].all_items()]


def messages_of(queue: str) -> list[str]:
    """Return the bodies of all messages of a queue, those too that are delayed or under way."""
    return [message.body for message in _backend("sqs").queues[queue]._messages]


def objects_of(bucket: str) -> list[tuple[str, int]]:
    """Return name and size of each object of a bucket."""
    return [(name, found.size) for name, found in _backend("s3").buckets[bucket].keys.items()]
