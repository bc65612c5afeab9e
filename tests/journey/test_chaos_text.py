"""Text in every form that is no chat, while processes are killed and answers get lost: the sums agree.

Rerank, moderations, speech, transcriptions, background responses, batches, and the files of a day in a
customer's bucket. Drawn from a seed like `test_chaos.py`, with the same variables.
"""

import csv
import io
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from random import Random
from typing import Any, cast

import httpx
import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from local.simulator.media.speech import recording
from tests.bench.soak import laws
from tests.journey.test_chaos import BALANCE_CENTS, SEED, service
from tests.support.chaos import wait_until
from tests.support.outages import MortalService
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.exports.bucket import BucketOutcome
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, utc_day
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.text.responses.states import RUNNING_S
from tollgate.text.responses.timers import request_id_of

__all__ = ["service"]

pytestmark = [pytest.mark.ministack, pytest.mark.long]

REQUESTS = int(os.environ.get("CHAOS_TASKS", "85"))
CUSTOMERS, AT_ONCE, KILLS = 2, 6, 3
AWAY_S = RUNNING_S + 60
"""Longer than a hold, a background response and the claim of a batch live."""
MAX_ROUNDS, MAX_TRIES, MAX_STEPS = 8, 60, 200
TIMEOUT_S, READY_S, CALM_S = 60.0, 90.0, 10.0
ENDED = ("completed", "failed", "incomplete")
LINES = 6
MICRO = 1_000_000
RECORDING = recording(1, 5, "wav")
GPT = {"model": "gpt-5.4-mini"}
SAID = {**GPT, "messages": [{"role": "user", "content": "Say hello"}], "max_tokens": 60}
PLAIN: Mapping[str, tuple[str, dict[str, Any]]] = {
    "chat": ("/chat/completions", SAID),
    "rerank": ("/rerank", {"model": "rerank-v3.5", "query": "fjord", "documents": ["a", "b"]}),
    "moderations": ("/moderations", {"model": "omni-moderation-latest", "input": "hello"}),
    "speech": ("/audio/speech", {"model": "tts-1", "voice": "alloy", "input": "hello"}),
    "failed": ("/chat/completions", {**SAID, "messages": [{"role": "user", "content": "[[fail]]"}]}),
}
TRANSCRIPTION, BACKGROUND, BATCH = "transcription", "background response", "batch"
KINDS = (*PLAIN, TRANSCRIPTION, BACKGROUND, BATCH)
COST = "x-tollgate-cost-micro-usd"


@dataclass
class Payer:
    """A customer: the costs that it was told in micro-USD by request, and what it waits for."""

    account: OpenedAccount
    base_url: str
    told: dict[str, int] = field(default_factory=dict)
    unheard: int = 0
    """Requests whose answer was lost, or was a fault of the service."""
    responses: list[str] = field(default_factory=list)
    batches: list[str] = field(default_factory=list)
    sent: Counter[str] = field(default_factory=Counter)

    def http(self) -> httpx.Client:
        """Return a client with the key."""
        headers = {"authorization": f"Bearer {self.account.api_key}"}
        return httpx.Client(base_url=f"{self.base_url}/api/v1", headers=headers, timeout=TIMEOUT_S)

    def ask(self, kind: str, number: int) -> None:
        """Send one request. If nothing is heard, it is not sent again, except what has a key for repeats."""
        self.sent[kind] += 1
        with self.http() as http:
            if kind == BATCH:
                self._create_batch(http, number)
                return
            try:
                answer = self._send(http, kind)
            except httpx.TransportError:
                self.unheard += 1
                return
        if answer.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
            self.unheard += kind != BACKGROUND
        elif kind == BACKGROUND:
            self.responses.append(answer.json()["id"])
        else:
            # A refusal costs nothing.
            self.told[answer.headers["x-request-id"]] = int(answer.headers.get(COST, 0))

    def _send(self, http: httpx.Client, kind: str) -> httpx.Response:
        if kind == BACKGROUND:
            return http.post("/responses", json={**GPT, "input": "Say hello", "background": True})
        if kind == TRANSCRIPTION:
            files = {"file": ("a.wav", RECORDING)}
            return http.post("/audio/transcriptions", data={"model": "whisper-1"}, files=files)
        path, body = PLAIN[kind]
        return http.post(path, json=body)

    def _create_batch(self, http: httpx.Client, number: int) -> None:
        url = "/v1/chat/completions"
        lines = [{"custom_id": str(n), "method": "POST", "url": url, "body": SAID} for n in range(LINES)]
        data = "\n".join(map(json.dumps, lines)).encode()
        files = {"file": ("in.jsonl", data)}
        file = self._sure(lambda: http.post("/files", data={"purpose": "batch"}, files=files))
        body = {"input_file_id": file["id"], "endpoint": url, "completion_window": "24h"}
        headers = {"idempotency-key": f"batch-{number}"}
        self.batches.append(self._sure(lambda: http.post("/batches", json=body, headers=headers))["id"])

    def _sure(self, send: Callable[[], httpx.Response]) -> Any:
        """Return the JSON of the first answer without a fault; the request may be sent again."""
        for _ in range(MAX_TRIES):
            with suppress(httpx.TransportError):
                answer = send()
                if answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR:
                    assert answer.status_code == httpx.codes.OK, answer.text
                    return answer.json()
            time.sleep(1)
        pytest.fail("a request that may be sent again is not answered")

    def get(self, path: str) -> Any:
        """Return what is at a path."""
        with self.http() as http:
            return self._sure(lambda: http.get(path))

    def waits_for(self) -> list[Any]:
        """Return the responses, batches and holds that have not ended."""
        paths = [f"/responses/{one}" for one in self.responses]
        # Looking at a batch continues it.
        paths += [f"/batches/{one}" for one in self.batches]
        shown = {path: self.get(path)["status"] for path in paths}
        open_holds = api_parts.api().accounts.me(self.account.account_id).holds
        return [pair for pair in shown.items() if pair[1] not in ENDED] + list(open_holds)

    def entries(self) -> list[Entry]:
        """Return the ledger."""
        return list(run_task_parts.step_runner().ledger.entries(self.account.account_id))


def test_no_text_is_charged_twice_or_lost_with_its_charge(service: MortalService) -> None:
    print(f"CHAOS_SEED={SEED}")  # noqa: T201 - pytest shows it when the test fails
    random, cents = Random(SEED), BALANCE_CENTS * 10_000  # noqa: S311 - not a secret
    opened = [api_parts.api().accounts.open(cents) for _ in range(CUSTOMERS)]
    payers = [Payer(account, service.lossy(service.base_url)) for account in opened]
    live_through(service, payers, random)
    service.losses.end()
    for payer in payers:
        payer.base_url = service.base_url
    for _ in range(MAX_ROUNDS):
        if wait_until(lambda: not any(payer.waits_for() for payer in payers), CALM_S):
            break
        service.pass_time(AWAY_S)
    assert [payer.waits_for() for payer in payers] == [[]] * CUSTOMERS
    print(f"{sum((payer.sent for payer in payers), Counter())}")  # noqa: T201 - as above
    print(f"{service.losses.lost.total()} answers lost: {dict(service.losses.lost)}")  # noqa: T201 - as above
    assert laws.broken(opened, BALANCE_CENTS) == []
    for payer in payers:
        has_costs_that_agree(payer)
        has_statistics_that_agree(payer)
    service.pass_time(MS_PER_DAY // MS_PER_S)
    check_ledger_parts.sealing_audit().begin()
    for payer in payers:
        has_files_that_agree(service, payer, random)


def live_through(service: MortalService, payers: list[Payer], random: Random) -> None:
    """Send everything in rounds; in each round the API's process and the worker are killed."""
    kinds = [KINDS[number % len(KINDS)] for number in range(REQUESTS)]
    random.shuffle(kinds)
    size = -(-REQUESTS // KILLS)
    for first in range(0, REQUESTS, size):
        with ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = [
                pool.submit(random.choice(payers).ask, kind, first + number)
                for number, kind in enumerate(kinds[first : first + size])
            ]
            assert wait_until(lambda: sum(job.done() for job in jobs) >= len(jobs) // 2)  # noqa: B023
            service.kill_api()
            assert wait_until(lambda: is_there(service.base_url), READY_S)
            for job in jobs:
                job.result()
        service.outage(AWAY_S)


def is_there(base_url: str) -> bool:
    """Return whether the service answers."""
    with suppress(httpx.TransportError):
        return httpx.get(f"{base_url}/api/v1/version", timeout=5).status_code == httpx.codes.OK
    return False


def has_costs_that_agree(payer: Payer) -> None:
    """Each cost that the customer was told is in the ledger, and what it never got costs nothing."""
    net: Counter[str] = Counter()
    for entry in payer.entries()[1:]:
        assert entry.kind in (EntryKind.TEXT, EntryKind.VOID, EntryKind.CREDIT)
        net[str(entry.request_id)] -= entry.amount_micro_usd
    told = {**payer.told, **of_responses(payer), **of_batches(payer)}
    assert {request_id: net[request_id] for request_id in told} == told
    assert min(net.values()) >= 0
    unknown = [request_id for request_id, micro_usd in net.items() if micro_usd and request_id not in told]
    assert len(unknown) <= payer.unheard
    assert sum(told.values()) > 0


def of_responses(payer: Payer) -> dict[str, int]:
    """Return the costs that background responses state; without a usage it is 0."""
    found = {one: payer.get(f"/responses/{one}") for one in payer.responses}
    return {request_id_of(one): micro_usd_in(response) for one, response in found.items()}


def of_batches(payer: Payer) -> dict[str, int]:
    """Return the costs that the results of batches state; each line has one."""
    found: dict[str, int] = {}
    for one in payer.batches:
        batch = payer.get(f"/batches/{one}")
        lines = [
            json.loads(line)
            for name in ("output_file_id", "error_file_id")
            if (file_id := batch[name]) is not None
            for line in content(payer, file_id).splitlines()
        ]
        assert sorted(line["custom_id"] for line in lines) == sorted(map(str, range(LINES)))
        for line in lines:
            body = (line["response"] or {}).get("body") or {}
            found[line["id"].removeprefix("batch_")] = micro_usd_in(body)
    return found


def content(payer: Payer, file_id: str) -> str:
    """Return a file of results."""
    with payer.http() as http:
        return http.get(f"/files/{file_id}/content", follow_redirects=True).raise_for_status().text


def micro_usd_in(body: Mapping[str, Any]) -> int:
    """Return the stated cost of a response; 0 without one."""
    return int(Decimal(str((body.get("usage") or {}).get("cost", 0))) * MICRO)


def has_statistics_that_agree(payer: Payer) -> None:
    """The roll-up follows the ledger, a little later."""

    def agree() -> bool:
        total = payer.get("/stats?range=7d")["data"]["total"]
        return bool(total["spentMicroUsd"] == spent(payer.entries()))

    assert wait_until(agree)


def spent(entries: list[Entry]) -> int:
    """Return the sum of the charges."""
    return -sum(entry.amount_micro_usd for entry in entries if entry.kind is EntryKind.TEXT)


class Waiting:
    """A queue in memory."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self.messages = list(messages)

    def send(self, message: Mapping[str, Any], delay_s: int = 0) -> None:
        """Add a message. Nothing waits."""
        del delay_s
        self.messages.append(dict(message))


def has_files_that_agree(service: MortalService, payer: Payer, random: Random) -> None:
    """The files of all days in the customer's bucket have the ledger's sum, though answers get lost."""
    account_id, objects = payer.account.account_id, dict[str, bytes]()

    def put(key: str, body: bytes, media_type: str) -> None:
        del media_type
        objects[key] = body
        if random.random() < 1 / 4:
            # It is written, and nobody hears it.
            raise ConnectionClosedError(endpoint_url="https://s3.example")

    def assume(target: Any, session: str, external_id: str | None) -> Any:
        del target, session
        if external_id is None:
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": ""}}, "AssumeRole")
        return put

    role = "arn:aws:iam::123456789012:role/tollgate-export"
    target = {"name": "costs", "region": "eu-central-1", "prefix": "", "roleArn": role}
    with payer.http() as http:
        assert http.patch("/exports/settings", json={"bucket": target}).status_code == httpx.codes.OK
    exporter = deliver_webhook_parts.bucket_exporter()
    days = sorted({utc_day(entry.created_at_ms) for entry in payer.entries()})
    for day in days:
        waiting = Waiting({"account_id": account_id, "day": day})
        mine = replace(exporter, assume=assume, queue=cast("Queue", waiting))
        outcome = None
        for _ in range(MAX_STEPS):
            if not waiting.messages:
                break
            outcome = mine.write(**{**waiting.messages.pop(0), "attempt": 1})
        assert outcome is BucketOutcome.DONE
    files = [body.decode() for key, body in objects.items() if key.startswith("focus/")]
    rows = [row for text in files for row in csv.DictReader(io.StringIO(text))]
    assert sum(int(Decimal(row["BilledCost"]) * MICRO) for row in rows) == spent(payer.entries())
    assert {f"days/{day}.json" for day in days} <= objects.keys()
