"""What a million chats cost on AWS (docs/cost.md): counted on the emulator, by the template's memory."""

import os
from decimal import Decimal
from pathlib import Path
from unittest.mock import patch

import pytest

from local.template import Template
from tests.bench.cost.__main__ import benched, memory_of
from tests.bench.cost.bill import requests, total
from tollgate.composition import parts

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

CHAT = "chat, streamed for 10 s"
MOST_USD = Decimal(35)


def test_a_streamed_chat_of_10_s_stays_below_its_bound(template: Template, tmp_path: Path) -> None:
    parts.forget()
    try:
        with patch.dict(os.environ), benched(template, tmp_path) as bench:
            found = bench.text_parts()
    finally:
        parts.forget()
    # Before the provider is asked one write, after it two; then the statistics.
    assert found["chat"].calls == {"UpdateItem": 2, "PutItem": 1}
    bill = total(requests()[CHAT], found, memory_of(template))
    assert sum(bill.values()) <= MOST_USD, {name: round(usd, 2) for name, usd in bill.items()}
    # Waiting is most of it: a bill without that would be wrong.
    assert bill["Lambda"] > sum(bill.values()) / 2
