"""What a million chats cost on AWS, and an idle stack's timers (docs/cost.md): counted on the emulator."""

import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from local.template import ROOT, Template
from tests.bench.cost.__main__ import memory_of
from tests.bench.cost.bill import requests, total
from tests.bench.cost.idle import TIMERS
from tests.bench.cost.parts import Part

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

CHAT = "chat, streamed for 10 s"
# $3.75 of it are the measures of routes, for an entry that comes alone (decision 0088).
MOST_USD = Decimal(39)
TIMEOUT_S = 300


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Part]:
    """Return what a chat and each timer take; counted in a process of its own, whose output is the log."""
    path = tmp_path_factory.mktemp("cost") / "parts.json"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": "functions:shared:."}
    command = [sys.executable, "-m", "tests.bench.cost", str(path)]
    run = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert run.returncode == 0, run.stderr
    return {name: Part(**part) for name, part in json.loads(Path(path).read_text()).items()}


def test_a_streamed_chat_of_10_s_stays_below_its_bound(template: Template, counted: dict[str, Part]) -> None:
    # Before the provider is asked one write, after it two; then the statistics.
    assert counted["chat"].calls == {"UpdateItem": 2, "PutItem": 1}
    assert counted["chat"].log_bytes > 0
    bill = total(requests()[CHAT], counted, memory_of(template))
    assert sum(bill.values()) <= MOST_USD, {name: round(usd, 2) for name, usd in bill.items()}
    # Waiting is most of it: a bill without that would be wrong.
    assert bill["Lambda"] > sum(bill.values()) / 2


@pytest.mark.parametrize("function", TIMERS)
def test_a_timer_takes_no_more_than_the_idle_bill_says(function: str, counted: dict[str, Part]) -> None:
    part, timer = counted[function], TIMERS[function]
    found = {"read units": part.read_units, "log bytes": part.log_bytes}
    # Its CPU depends on the machine and on other work there: `make cost` prints it.
    assert part.read_units <= timer.read_units, found
    assert part.log_bytes <= timer.log_bytes, found
