"""A customer's server for webhooks that fails now and then."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from threading import Lock
from typing import Any

from standardwebhooks import Webhook

from tests.support.http_server import Received, http_server

REFUSALS = (302, 410, 429, 500, 503)
FAILURES = (0, 0, 0, 1, 2)
"""How often the first tries of an event fail; one of these, by its id."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a receiver heard: the event, its id, whether its signature is right, and what it answered."""

    event: dict[str, Any]
    webhook_id: str
    signed: bool
    status: int


@dataclass
class Receiver:
    """Takes the webhooks of several accounts, each at an address of its own."""

    seed: int
    secrets: dict[str, str] = field(default_factory=dict)
    """By account."""
    heard: list[Heard] = field(default_factory=list)
    base_url: str = ""
    _lock: Lock = field(default_factory=Lock)
    _tries: Counter[str] = field(default_factory=Counter)

    def url_of(self, account_id: str, secret: str) -> str:
        """Return where an account's webhooks go, which are signed with `secret`."""
        self.secrets[account_id] = secret
        return f"{self.base_url}/{account_id}"

    def answer(self, request: Received) -> int:
        """Take a webhook down; give the status to answer with."""
        webhook_id = request.headers["webhook-id"]
        random = Random(f"{self.seed} {webhook_id}")  # noqa: S311 - not a secret
        failures = [random.choice(REFUSALS) for _ in range(random.choice(FAILURES))]
        signed = _is_signed(request, self.secrets[request.path.rpartition("/")[2]])
        with self._lock:
            number = self._tries[webhook_id]
            self._tries[webhook_id] += 1
            status = failures[number] if number < len(failures) else 204
            self.heard.append(Heard(json.loads(request.body), webhook_id, signed, status))
        return status


@contextmanager
def receiving(seed: int) -> Iterator[Receiver]:
    """Serve a receiver."""
    receiver = Receiver(seed)
    with http_server(receiver.answer) as url:
        receiver.base_url = url
        yield receiver


def _is_signed(request: Received, secret: str) -> bool:
    """Return whether the signature is right; how old it is does not matter where the clock is moved."""
    sent_at = datetime.fromtimestamp(int(request.headers["webhook-timestamp"]), tz=UTC)
    right = Webhook(secret).sign(request.headers["webhook-id"], sent_at, request.body.decode())
    return right in request.headers["webhook-signature"].split()
