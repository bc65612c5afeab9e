"""`make bench-bill REQUESTS=10000`: Σ costs told = Σ ledger = Σ FOCUS = statement, to the micro-dollar.

Customers send text in every protocol, leave streams, and create media that fail over and are refunded.
Meanwhile the processes are killed, and answers get lost: of AWS, of providers, and of the service. At the end
each cost that a customer was told must be the cost in the ledger, and all sums must agree. Not a test.
"""

import csv
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from io import StringIO
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import httpx
from rich.console import Console

from tests.bench.soak import laws
from tests.support.outages import MortalService, Unkind, mortal_service
from tollgate.accounts.scopes import Scope
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.exports.focus_file import FocusFiles
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.entries import EntryKind
from tollgate.ledger.query import position_of

REQUESTS = int(os.environ.get("BILL_REQUESTS") or "10000")
SEED = int(os.environ.get("BILL_SEED") or SystemRandom().randrange(10**6))
LOST = float(os.environ.get("BILL_LOST") or "0.01")
CUSTOMERS, AT_ONCE = 4, 8
CREDIT_CENTS = 1_000_000
OUTAGES = 6
AWAY_S = 200
"""Longer than a hold lives: after it, each request of a killed process is resolved."""
TIMEOUT_S, READY_S, CALM_S, POLL_S = 120.0, 120.0, 600.0, 2.0
MAX_ROUNDS = 40
LEFT_AFTER = 4
MICRO = 1_000_000
# The bench moves its clock by some minutes, so entries can be of another day than now.
FOCUS_DAYS = 2
SAID: dict[str, Any] = {"max_tokens": 60, "messages": [{"role": "user", "content": "Say hello"}]}
GPT, CLAUDE = {"model": "gpt-5.4-mini"}, {"model": "claude-haiku-4-5"}
USAGE = {"stream": True, "stream_options": {"include_usage": True}}
TAGS = ("team=search", "team=sales,user=alice", "user=bob")

console = Console()


def _prompt(words: str) -> dict[str, Any]:
    return {"max_tokens": 60, "messages": [{"role": "user", "content": words}]}


TEXTS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "chat": ("/chat/completions", {**GPT, **SAID}),
    "chat, translated": ("/chat/completions", {**CLAUDE, **SAID}),
    "streamed chat": ("/chat/completions", {**GPT, **SAID, **USAGE}),
    "streamed chat, translated": ("/chat/completions", {**CLAUDE, **SAID, **USAGE}),
    "completions": ("/completions", {**GPT, "prompt": "Say hello", "max_tokens": 60}),
    "messages": ("/messages", {**CLAUDE, **SAID}),
    "streamed messages": ("/messages", {**CLAUDE, **SAID, "stream": True}),
    "response": ("/responses", {**GPT, "input": "Say hello"}),
    "streamed response": ("/responses", {**GPT, "input": "Say hello", "stream": True}),
    "embeddings": ("/embeddings", {"model": "text-embedding-3-small", "input": "hello"}),
    "refused": ("/chat/completions", {**GPT, **_prompt("[[reject]]")}),
    "cut": ("/chat/completions", {**GPT, **_prompt("[[stream-cut 4]]"), **USAGE}),
    "without usage": ("/chat/completions", {**GPT, **_prompt("[[no-usage]]"), **USAGE}),
    "left": ("/chat/completions", {**GPT, **_prompt("[[tokens 50]] [[delay 20]]"), **USAGE}),
}
MEDIA: Mapping[str, dict[str, Any]] = {
    "image": {"model": "z-image", "input": {"prompt": "a fox", "size": "1:1"}},
    "failed image": {"model": "z-image", "input": {"prompt": "a fox [[fail]]", "size": "1:1"}},
    "refused image": {"model": "z-image", "input": {"prompt": "a fox [[reject]]", "size": "1:1"}},
    "broken image": {"model": "z-image", "input": {"prompt": "a fox [[truncate]]", "size": "1:1"}},
}
MEDIA_SHARE = 0.1


@dataclass
class Payer:
    """A customer, the costs that responses told in micro-USD by request, and the charges of tasks."""

    account: OpenedAccount
    told: dict[str, int] = field(default_factory=dict)
    tasks: set[str] = field(default_factory=set)
    sent: Counter[str] = field(default_factory=Counter)


def main() -> int:
    """Run it; return 0 if all sums agree."""
    console.print(f"BILL_SEED={SEED}, {REQUESTS:,} requests, {LOST:.1%} of all answers lost")
    with (
        tempfile.TemporaryDirectory() as folder,
        mortal_service(Path(folder), Unkind(SEED, lost=LOST)) as service,
    ):
        opened = [api_parts.api().accounts.open(micro_usd_of_cents(CREDIT_CENTS)) for _ in range(CUSTOMERS)]
        payers = [Payer(account) for account in opened]
        began = time.monotonic()
        _send_all(service, payers)
        took_s = time.monotonic() - began
        service.losses.end()
        wrong = [] if _calm(service, payers) else ["there are open tasks or holds"]
        wrong += laws.broken(opened, CREDIT_CENTS)
        for payer in payers:
            wrong += list(_disagreements(payer))
        sent = sum((payer.sent for payer in payers), Counter[str]())
        told = sum(len(payer.told) for payer in payers)
        micro_usd = sum(sum(payer.told.values()) for payer in payers)
        console.print(", ".join(f"{name} {count}" for name, count in sorted(sent.items())))
        console.print(
            f"{sent.total():,} requests in {took_s:,.0f} s, {service.outages} kills of each process, "
            f"{service.losses.lost.total():,} answers lost"
        )
        console.print(f"{told:,} responses told a cost, together {micro_usd / MICRO:.6f} USD")
    for line in wrong[:20]:
        console.print(f"[red]{line}[/]", highlight=False)
    console.print("The sums differ." if wrong else "All sums agree to the micro-dollar.")
    return 1 if wrong else 0


def _send_all(service: MortalService, payers: list[Payer]) -> None:
    """Send the requests in as many rounds as there are kills and one more."""
    base_url = service.lossy(service.base_url)
    random = Random(SEED)  # noqa: S311 - not a secret
    sizes = [REQUESTS // (OUTAGES + 1)] * OUTAGES
    sizes.append(REQUESTS - sum(sizes))
    for number, size in enumerate(sizes):
        with ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = [pool.submit(_send, base_url, random.choice(payers), random.random()) for _ in range(size)]
            if number < OUTAGES:
                while sum(job.done() for job in jobs) < size // 2:
                    time.sleep(POLL_S / 10)
                service.kill_api()
                _wait_for(service.base_url)
            for job in jobs:
                job.result()
        if number < OUTAGES:
            service.outage(AWAY_S)
        console.print(f"{sum(sizes[: number + 1]):,} requests", highlight=False)


def _wait_for(base_url: str) -> None:
    """Wait until the service answers again."""
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        with suppress(httpx.TransportError):
            if httpx.get(f"{base_url}/api/v1/version", timeout=5).status_code == httpx.codes.OK:
                return
        time.sleep(POLL_S / 4)
    raise TimeoutError("the service does not come back")


def _send(base_url: str, payer: Payer, drawn: float) -> None:
    """Send one request. A customer who hears nothing does not know the cost, and does not ask again."""
    random = Random(drawn)  # noqa: S311 - not a secret
    headers = {"authorization": f"Bearer {payer.account.api_key}", "x-tollgate-tags": random.choice(TAGS)}
    with (
        suppress(httpx.TransportError),
        httpx.Client(base_url=f"{base_url}/api/v1", headers=headers, timeout=TIMEOUT_S) as http,
    ):
        if random.random() < MEDIA_SHARE:
            _create(http, payer, random.choice(list(MEDIA)))
        else:
            _ask(http, payer, random.choice(list(TEXTS)))


def _create(http: httpx.Client, payer: Payer, name: str) -> None:
    payer.sent[name] += 1
    answer = http.post("/generation/create", json=MEDIA[name])
    if answer.status_code == httpx.codes.OK:
        payer.tasks.add(answer.json()["data"]["taskId"])


def _ask(http: httpx.Client, payer: Payer, name: str) -> None:
    payer.sent[name] += 1
    path, body = TEXTS[name]
    cost: float | None = None
    with http.stream("POST", path, json=body) as answer:
        for number, part in enumerate(_parts(answer)):
            holder = part.get("response") or part
            cost = (holder.get("usage") or {}).get("cost", cost)
            if name == "left" and number == LEFT_AFTER:
                return
    if cost is not None:
        payer.told[answer.headers["x-request-id"]] = int(Decimal(str(cost)) * MICRO)


def _parts(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    if not answer.headers.get("content-type", "").startswith("text/event-stream"):
        yield json.loads(answer.read())
        return
    for line in answer.iter_lines():
        if line.startswith("data: {"):
            yield json.loads(line.removeprefix("data: "))


def _calm(service: MortalService, payers: list[Payer]) -> bool:
    """Let minutes pass until nothing is open; return whether that came."""
    deadline = time.monotonic() + CALM_S
    for _ in range(MAX_ROUNDS):
        if laws.are_settled(payer.account for payer in payers):
            return True
        if time.monotonic() > deadline:
            break
        service.pass_time(AWAY_S)
        time.sleep(POLL_S * 2)
    return laws.are_settled(payer.account for payer in payers)


def _disagreements(payer: Payer) -> Iterator[str]:
    """Yield what differs between the responses, the ledger, and all that follows from it."""
    account_id, api = payer.account.account_id, api_parts.api()
    entries = [
        entry
        for entry in run_task_parts.step_runner().ledger.entries(account_id)
        if entry.kind is not EntryKind.CREDIT
    ]
    spent = -sum(entry.amount_micro_usd for entry in entries)
    by_request: Counter[str] = Counter()
    for entry in entries:
        by_request[entry.request_id or ""] -= entry.amount_micro_usd
    for request_id, micro_usd in payer.told.items():
        if by_request[request_id] != micro_usd:
            yield f"{request_id} told {micro_usd}, the ledger has {by_request[request_id]}"
    records = list(_records(payer))
    of_records = sum(record["costMicroUsd"] - record["refundedMicroUsd"] for record in records)
    if of_records != spent:
        yield f"{account_id}: the records have {of_records}, the ledger {spent}"
    for name, read in (
        ("FOCUS files", _of_focus(account_id)),
        ("statistics", _of_statistics(account_id)),
        ("statement", _of_statement(account_id)),
    ):
        found = _eventually(read, spent)
        if found != spent:
            yield f"{account_id}: the {name} have {found}, the ledger {spent}"
    balance = api.accounts.me(account_id).balance_micro_usd
    if micro_usd_of_cents(CREDIT_CENTS) - balance != spent:
        yield f"{account_id}: the balance is {balance}, the ledger has {spent} spent"


def _records(payer: Payer) -> Iterator[Mapping[str, Any]]:
    api = api_parts.api()
    caller = api.authenticator.authenticate(payer.account.api_key, Scope.ACCOUNT, None)
    query: dict[str, str] = {"limit": "100"}
    while True:
        page = api.records.page(caller, query)
        yield from page["requests"]
        if "cursor" not in page:
            return
        query["cursor"] = page["cursor"]


def _of_statistics(account_id: str) -> Callable[[], int]:
    def read() -> int:
        total = api_parts.api().statistics.of(account_id, {"range": "30d"})["total"]
        return total["spentMicroUsd"] - total["refundedMicroUsd"]

    return read


def _of_focus(account_id: str) -> Callable[[], int]:
    """Return the sum of BilledCost in the files of the last days. Today's is read as if today were over."""

    def read() -> int:
        focus, now_ms = api_parts.api().focus, time.time_ns() // 1_000_000
        return sum(
            int(Decimal(row["BilledCost"]) * MICRO)
            for day in range(-FOCUS_DAYS, FOCUS_DAYS)
            for text in _pages(focus, account_id, (now_ms // MS_PER_DAY + day) * MS_PER_DAY)
            for row in csv.DictReader(StringIO(text))
        )

    return read


def _pages(focus: FocusFiles, account_id: str, day_ms: int) -> Iterator[str]:
    after = None
    while True:
        page = focus.part(account_id, day_ms, after)
        yield page.text
        if page.cursor is None:
            return
        after = position_of(page.cursor)


def _of_statement(account_id: str) -> Callable[[], int]:
    def read() -> int:
        statement, _ = api_parts.api().months.statement(account_id, None)
        return -(statement.charges_micro_usd + statement.refunds_micro_usd)

    return read


def _eventually(read: Callable[[], int], expected: int) -> int:
    """Return what is read, once it is as expected or a while has passed: the roll-up is seconds behind."""
    deadline = time.monotonic() + READY_S
    while (found := read()) != expected and time.monotonic() < deadline:
        time.sleep(POLL_S)
    return found


if __name__ == "__main__":
    sys.exit(main())
