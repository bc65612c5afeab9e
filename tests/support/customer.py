"""A customer of a running service: creates, waits, and takes webhooks."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from standardwebhooks import Webhook

from tests.support.http_server import Received, http_server

TIMEOUT_S = 60.0
POLL_S = 0.1
TERMINAL = ("finished", "failed", "expired")


@dataclass
class Customer:
    """A customer of a running service, with a receiver for webhooks."""

    http: httpx.Client
    secret: str
    receiver: str
    received: list[Received] = field(default_factory=list)
    patience_s: float = TIMEOUT_S
    poll_s: float = POLL_S

    def data(self, method: str, path: str, **kwargs: Any) -> Any:
        """Return the `data` of an answer that must be 200."""
        answer = self.http.request(method, path, **kwargs)
        assert answer.status_code == 200, answer.text
        assert answer.json()["code"] == 200
        return answer.json()["data"]

    def balance(self) -> int:
        """Return the balance in cents."""
        return int(self.data("GET", "/api/v1/user/me")["balance"])

    def run(self, body: dict[str, Any]) -> Any:
        """Create a task that tells the receiver, and follow it to its end."""
        return self.follow({**body, "webhook": self.receiver})

    def follow(self, body: dict[str, Any]) -> Any:
        """Create a task and follow it to its end; its status never goes back."""
        task_id = self.data("POST", "/api/v1/generation/create", json=body)["taskId"]
        seen = ["not_started"]
        end = time.monotonic() + self.patience_s
        while time.monotonic() < end:
            task = self.data("GET", f"/api/v1/task/status/{task_id}")
            if task["status"] != seen[-1]:
                seen.append(task["status"])
            if task["status"] in TERMINAL:
                assert seen in (["not_started", "running", seen[-1]], ["not_started", seen[-1]])
                return task
            time.sleep(self.poll_s)
        pytest.fail(f"{task_id} did not end; it went {seen}")

    def webhook_of(self, task_id: str) -> Any:
        """Wait for a task's webhook, check its signature; give its event."""
        end = time.monotonic() + self.patience_s
        while time.monotonic() < end:
            for request in list(self.received):
                event = json.loads(request.body)
                if event["data"]["taskId"] == task_id:
                    Webhook(self.secret).verify(request.body.decode(), request.headers)
                    return event
            time.sleep(self.poll_s)
        pytest.fail(f"no webhook for {task_id}")


@contextmanager
def customer_of(
    base_url: str,
    api_key: str,
    webhook_secret: str,
    *,
    patience_s: float = TIMEOUT_S,
    poll_s: float = POLL_S,
) -> Iterator[Customer]:
    """Return the customer with this key, and a receiver that answers 204."""
    received: list[Received] = []

    def note(request: Received) -> int:
        received.append(request)
        return 204

    headers = {"authorization": f"Bearer {api_key}"}
    with (
        http_server(note) as receiver,
        httpx.Client(base_url=base_url, headers=headers, timeout=patience_s) as http,
    ):
        yield Customer(http, webhook_secret, receiver, received, patience_s, poll_s)
