"""`make bench-budgets`: how exactly a gateway keeps the budget of an end user under concurrency.

Two races of LiteLLM's issues, against any gateway with OpenAI's protocol. Not a test.

- *new user* (BerriAI/litellm#40095): 8 threads at a barrier send the first requests of an unknown end user.
- *at once* (BerriAI/litellm#34732): 110 requests at once of an end user whose budget covers some of them.

One request alone shows its cost, and the amount that the gateway reserves for it. No spending may exceed the
budget, and as many requests must be served as the budget covers by reserved amounts. The report states both:
by how much the budget was exceeded, and how many requests that fit were refused.

    BASE_URL      the gateway, without /v1; by default a service of its own
    API_KEY       the key of the requests, and of the management if ADMIN_KEY is not set
    ADAPTER       tollgate or litellm: how to give an end user a budget
"""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from threading import Barrier
from time import monotonic, sleep
from typing import Any, Protocol
from uuid import uuid4

import httpx
from rich.console import Console
from rich.table import Table

MODEL = os.environ.get("MODEL") or "gpt-5.4-mini"
BODY: dict[str, Any] = {
    "model": MODEL,
    "messages": [{"role": "user", "content": "Reply only p"}],
    "max_tokens": 1_000,
}
RACES = {"new user": (8, 1), "at once": (110, 10)}
"""Requests at once, and how many of them the budget covers."""
ROUNDS = 3
TIMEOUT_S = 120.0
# LiteLLM writes the spending of an end user some seconds later.
BOOKED_WITHIN_S = 90.0
LOOK_S = 2.0
MICRO = 1_000_000
CENT = 10_000
REFUSALS = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.PAYMENT_REQUIRED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.TOO_MANY_REQUESTS,
)
console = Console(width=120)


class Adapter(Protocol):
    """How one gateway gives budgets to end users. Amounts are in micro-USD."""

    def limit(self, user: str, micro_usd: int) -> None:
        """Give an end user that is unknown so far a budget."""

    def headers(self, user: str) -> dict[str, str]:
        """Return the headers that name the end user of a request."""

    def spent(self, user: str) -> int:
        """Return the spending of an end user."""

    def hold(self, response: httpx.Response, cost: int) -> int:
        """Return the amount that the gateway reserves for a request like this one, or its cost."""


@dataclass
class TollgateAdapter:
    """Budgets of `/api/v1/budgets`."""

    http: httpx.Client
    path = "/api/v1/chat/completions"
    ids: dict[str, str] = field(default_factory=dict)

    def limit(self, user: str, micro_usd: int) -> None:
        """Create a budget in whole cents."""
        if micro_usd % CENT:
            raise ValueError("budgets of Tollgate are in whole cents")
        body = {"name": user, "scope": "user", "value": user, "limitCents": micro_usd // CENT, "per": "total"}
        self.ids[user] = _answer(self.http.post("/api/v1/budgets", json=body))["data"]["id"]

    def headers(self, user: str) -> dict[str, str]:
        """Return the header of labels."""
        return {"x-tollgate-tags": f"user={user}"}

    def spent(self, user: str) -> int:
        """Sum the entries of the ledger, which are exact."""
        query = {"user": user, "limit": "100"}
        entries = _answer(self.http.get("/api/v1/ledger", params=query))["data"]["entries"]
        return -sum(int(entry["amountMicroUsd"]) for entry in entries)

    def hold(self, response: httpx.Response, cost: int) -> int:
        """Return the amount in the record of the request."""
        found = _answer(self.http.get(f"/api/v1/requests/{response.headers['x-request-id']}"))["data"]
        held = (one["amountMicroUsd"] for one in found["events"] if one["event"] == "held")
        return int(next(held, cost))


@dataclass
class LitellmAdapter:
    """Customers with a budget, as in the issues."""

    http: httpx.Client
    path = "/v1/chat/completions"

    def limit(self, user: str, micro_usd: int) -> None:
        """Create a customer with a budget."""
        body = {"user_id": user, "max_budget": micro_usd / MICRO}
        _answer(self.http.post("/customer/new", json=body))

    def headers(self, user: str) -> dict[str, str]:
        """Return the header of the end user."""
        return {"x-litellm-end-user-id": user}

    def spent(self, user: str) -> int:
        """Return the spending, which is booked some time after the requests."""
        found = _answer(self.http.get("/customer/info", params={"end_user_id": user}))
        return round(float(found.get("spend") or 0) * MICRO)

    def hold(self, response: httpx.Response, cost: int) -> int:
        """Return the cost: it reserves at least that, and does not say how much."""
        return cost


ADAPTERS: dict[str, Callable[[httpx.Client], Any]] = {"tollgate": TollgateAdapter, "litellm": LitellmAdapter}


@dataclass(frozen=True)
class Result:
    """What became of one race."""

    race: str
    limit: int
    spent: int
    fit: int
    """How many requests the budget covers."""
    served: int
    refused: int
    other: int

    @property
    def exceeded(self) -> int:
        """Return by how much the spending exceeds the budget."""
        return max(0, self.spent - self.limit)

    @property
    def wrongly_refused(self) -> int:
        """Return how many requests that fit were refused."""
        return max(0, self.fit - self.served)


def _answer(response: httpx.Response) -> Any:
    response.raise_for_status()
    return response.json()


def send(http: httpx.Client, adapter: Any, user: str, barrier: Barrier) -> int:
    """Send one request together with the others; return its status."""
    barrier.wait()
    return ask(http, adapter, user).status_code


def ask(http: httpx.Client, adapter: Any, user: str) -> httpx.Response:
    """Send one request."""
    return http.post(adapter.path, json=BODY, headers=adapter.headers(user))


def booked(adapter: Adapter, user: str, least: int) -> int:
    """Return the spending once it is booked: at least that of the served requests, and steady."""
    deadline, before = monotonic() + BOOKED_WITHIN_S, -1
    while monotonic() < deadline:
        now = adapter.spent(user)
        if now >= least and now == before:
            return now
        before = now
        sleep(LOOK_S)
    return max(before, 0)


def race(http: httpx.Client, adapter: Adapter, name: str, hold: int, cost: int) -> Result:
    """Give a new end user a budget, and send all requests at once."""
    at_once, covered = RACES[name]
    user, limit = f"race-{uuid4().hex[:12]}", -(-covered * hold // CENT) * CENT
    adapter.limit(user, limit)
    barrier = Barrier(at_once)
    with ThreadPoolExecutor(at_once) as pool:
        statuses = Counter(pool.map(lambda _: send(http, adapter, user, barrier), range(at_once)))
    served = statuses.pop(HTTPStatus.OK, 0)
    refused = sum(statuses.pop(status, 0) for status in REFUSALS)
    spent = booked(adapter, user, served * cost)
    return Result(name, limit, spent, min(limit // hold, at_once), served, refused, statuses.total())


@contextmanager
def target() -> Iterator[tuple[str, str, str]]:
    """Return address, key and adapter of the gateway: a given one, or a service of its own."""
    if base_url := os.environ.get("BASE_URL"):
        yield base_url, os.environ["API_KEY"], os.environ.get("ADAPTER") or "tollgate"
        return
    from tests.support.outages import mortal_service  # noqa: PLC0415 - only for a service of its own
    from tollgate.composition import api as api_parts  # noqa: PLC0415 - as above

    with tempfile.TemporaryDirectory() as folder, mortal_service(Path(folder)) as service:
        yield service.base_url, api_parts.api().accounts.open(100 * MICRO).api_key, "tollgate"


def main() -> int:
    """Run the races; return 0 if no budget was exceeded and nothing that fits was refused."""
    with target() as (base_url, key, name):
        admin = os.environ.get("ADMIN_KEY") or key
        limits = httpx.Limits(max_connections=None)
        with (
            httpx.Client(
                base_url=base_url,
                headers={"authorization": f"Bearer {key}"},
                timeout=TIMEOUT_S,
                limits=limits,
            ) as http,
            httpx.Client(
                base_url=base_url, headers={"authorization": f"Bearer {admin}"}, timeout=TIMEOUT_S
            ) as managing,
        ):
            return _races(http, ADAPTERS[name](managing))


def _races(http: httpx.Client, adapter: Adapter) -> int:
    alone = f"alone-{uuid4().hex[:12]}"
    adapter.limit(alone, MICRO)
    answer = ask(http, adapter, alone)
    answer.raise_for_status()
    cost = booked(adapter, alone, 1)
    hold = adapter.hold(answer, cost)
    console.print(f"one request costs {cost} micro-USD, and {hold} are reserved for it")
    titles = (
        "race",
        "budget",
        "spent",
        "exceeded by",
        "fit",
        "served",
        "fit and refused",
        "refused",
        "other",
    )
    table, is_exact = Table(*titles), True
    for name in RACES:
        for _ in range(ROUNDS):
            one = race(http, adapter, name, hold, cost)
            is_exact &= not (one.exceeded or one.wrongly_refused or one.other)
            row = (one.limit, one.spent, one.exceeded, one.fit, one.served, one.wrongly_refused)
            table.add_row(name, *map(str, (*row, one.refused, one.other)))
    console.print(table)
    return 0 if is_exact else 1


if __name__ == "__main__":
    sys.exit(main())
