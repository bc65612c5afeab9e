"""Stripe's API on loopback, as far as saved cards and payments from them go; it keeps idempotency keys.

Shapes and rules: Stripe's API reference (PaymentIntent, PaymentMethod, Idempotent requests, Errors).
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any
from urllib.parse import parse_qsl

from tests.support.http_server import Received, Reply, http_server

CUSTOMER, CARD = "cus_Ada", "pm_AdasCard"
TYPE = {"content-type": "application/json"}


@dataclass
class FakeStripe:
    """What Stripe knows.

    `declines` is the code that the card is refused with, `down` how many calls fail, and `breaks` whether a
    payment is made and then answered with a fault, which is the answer under its key from then on. One that
    `is_deaf` makes no payment; `missing` names the parameter of a payment that was deleted. Each payment
    `takes_s`.
    """

    url: str = ""
    has_card: bool = True
    declines: str | None = None
    down: int = 0
    breaks: bool = False
    is_deaf: bool = False
    missing: str | None = None
    takes_s: float = 0.0
    faults: Iterator[bool] = field(default_factory=lambda: repeat(False))
    is_forgotten: bool = False
    intents: list[dict[str, Any]] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    _answers: dict[str, tuple[str, Reply]] = field(default_factory=dict)
    _in_use: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def taken_cents(self) -> int:
        """Return what was taken from the card, all payments together."""
        return sum(intent["amount"] for intent in self.intents if intent["status"] == "succeeded")

    def answer(self, request: Received) -> Reply:
        """Answer one call."""
        if self.down or (self.is_deaf and request.method == "POST"):
            self.down = max(0, self.down - 1)
            return _error(503, "api_error", None)
        path = request.path.partition("?")[0]
        if request.method == "DELETE" and path == f"/v1/customers/{CUSTOMER}":
            return self._forget()
        if request.method == "GET":
            return self._show(path)
        assert (request.method, path) == ("POST", "/v1/payment_intents"), path
        if self.missing is not None:
            return _error(400, "invalid_request_error", "resource_missing", self.missing)
        return self._once(request.headers["idempotency-key"], request.body.decode())

    def _once(self, key: str, body: str) -> Reply:
        """Answer a key that comes again as it was the first time, and only for the same request."""
        with self._lock:
            if key in self._in_use:
                return _error(409, "idempotency_error", "idempotency_key_in_use")
            if key in self._answers:
                asked, reply = self._answers[key]
                return reply if asked == body else _error(400, "idempotency_error", None)
            self._in_use.add(key)
        time.sleep(self.takes_s)
        reply = self._pay(dict(parse_qsl(body)))
        with self._lock:
            self._answers[key] = (body, reply)
            self._in_use.discard(key)
        return reply

    def _show(self, path: str) -> Reply:
        if path == "/v1/payment_intents":
            return _ok({"object": "list", "data": self.intents[::-1], "has_more": False, "url": path})
        if path == f"/v1/customers/{CUSTOMER}/payment_methods":
            cards = [{"id": CARD, "object": "payment_method", "type": "card"}] if self.has_card else []
            return _ok({"object": "list", "data": cards, "has_more": False, "url": path})
        assert path.startswith("/v1/payment_intents/"), path
        return _ok(next(one for one in self.intents if one["id"] == path.rpartition("/")[2]))

    def _forget(self) -> Reply:
        if self.is_forgotten:
            return _error(404, "invalid_request_error", "resource_missing")
        self.is_forgotten = True
        return _ok({"id": CUSTOMER, "object": "customer", "deleted": True})

    def _pay(self, asked: dict[str, str]) -> Reply:
        self.asked.append(asked)
        breaks = self.breaks or next(self.faults)
        metadata = {name[9:-1]: value for name, value in asked.items() if name.startswith("metadata[")}
        intent = {
            "id": f"pi_{len(self.intents) + 1}",
            "object": "payment_intent",
            "amount": int(asked["amount"]),
            "amount_received": 0 if self.declines else int(asked["amount"]),
            "currency": asked["currency"],
            "metadata": metadata,
            "status": "requires_payment_method" if self.declines else "succeeded",
            "last_payment_error": {"type": "card_error", "code": self.declines} if self.declines else None,
        }
        self.intents.append(intent)
        if breaks:
            return _error(500, "api_error", None)
        return _error(402, "card_error", self.declines) if self.declines else _ok(intent)


@contextmanager
def fake_stripe() -> Iterator[FakeStripe]:
    """Run a Stripe of one's own."""
    stripe = FakeStripe()
    with http_server(stripe.answer) as url:
        stripe.url = url.removesuffix("/hook")
        yield stripe


def _ok(found: dict[str, Any]) -> Reply:
    return Reply(200, json.dumps(found).encode(), TYPE)


def _error(status: int, kind: str, code: str | None, param: str | None = None) -> Reply:
    error = {"type": kind, "code": code, "param": param, "message": "Your card was declined."}
    return Reply(status, json.dumps({"error": error}).encode(), TYPE)
