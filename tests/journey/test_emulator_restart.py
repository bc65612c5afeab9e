"""All of AWS is away for seconds while customers create and chat: errors say so, and no money is lost."""

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.machine.kept import Kept
from tests.bench.soak import laws
from tests.support.chaos import wait_until
from tests.support.outages import MortalService, mortal_service
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.kit.money import micro_usd_of_cents

pytestmark = [pytest.mark.ministack, pytest.mark.long]

BALANCE_CENTS = 10_000
EACH = 12
AWAY_S = 3.0
MAX_TRIES = 60
PAUSE_S = 0.5


@pytest.fixture
def service(tmp_path: Path) -> Iterator[MortalService]:
    """Run a service whose emulator remembers."""
    with mortal_service(tmp_path, kept=Kept(tmp_path / "kept")) as running:
        yield running


def until_taken(http: httpx.Client, path: str, body: dict[str, Any], key: str) -> list[int]:
    """Send a request until it is taken, as a client that retries does; give every status."""
    statuses = []
    for _ in range(MAX_TRIES):
        answer = http.post(path, json=body, headers={"idempotency-key": key})
        statuses.append(answer.status_code)
        if answer.status_code == 200:
            return statuses
        assert answer.json()["error"]["message"]
        time.sleep(PAUSE_S)
    pytest.fail(f"never taken: {statuses}")


def test_what_is_sent_while_it_is_away_is_taken_once_when_it_is_back(service: MortalService) -> None:
    account: OpenedAccount = api_parts.api().accounts.open(micro_usd_of_cents(BALANCE_CENTS))
    headers = {"authorization": f"Bearer {account.api_key}"}
    image = {"model": PAID_IMAGE, "input": {"prompt": "a fox [[slow 2]]", "size": "1:1"}}
    chat = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": "Say hello"}]}

    with httpx.Client(base_url=service.base_url, headers=headers, timeout=60) as http:

        def order(number: int) -> list[int]:
            time.sleep(number * PAUSE_S)
            return until_taken(http, "/api/v1/generation/create", image, f"image {number}")

        def talk(number: int) -> list[int]:
            time.sleep(number * PAUSE_S)
            return until_taken(http, "/api/v1/chat/completions", chat, f"chat {number}")

        with ThreadPoolExecutor(2 * EACH) as pool:
            found = [pool.submit(work, number) for number in range(EACH) for work in (order, talk)]
            time.sleep(2 * PAUSE_S)
            service.stop_emulator()
            time.sleep(AWAY_S)
            service.start_emulator()
            statuses = Counter(status for one in found for status in one.result())
        # Else it was away for nobody.
        assert sum(count for status, count in statuses.items() if status >= 500) > 0
        assert set(statuses) <= {200, 500, 503}
        assert statuses[200] == 2 * EACH

        def all_is_over() -> bool:
            service.pass_time(200)
            return laws.are_settled([account])

        assert wait_until(all_is_over)
        tasks = http.get("/api/v1/tasks?limit=100").json()["data"]["tasks"]
        assert len(tasks) == EACH
    assert laws.broken([account], BALANCE_CENTS) == []
