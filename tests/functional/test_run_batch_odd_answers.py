"""Odd answers of a vendor's batch: each line ends once, and costs its hold at most."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.functional.test_run_batch import chat, lines_of, runner, start
from tests.functional.test_run_batch_parcels import GPT, run, soon
from tests.support.text_app import USD, TextClient
from tollgate.batches.vendor_calls import VendorCalls

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]
__all__ = ["runner", "soon"]

Answers = list[tuple[str, bytes]]
LINES = 3


def with_usage(**counts: Any) -> Callable[[Answers], Answers]:
    """Return a change of answers by which each of them reports this usage."""

    def changed(found: Answers) -> Answers:
        return [(name, json.dumps({**json.loads(body), "usage": counts}).encode()) for name, body in found]

    return changed


# How many of the three lines the vendor has answered then. The others run the ordinary way.
ODD: dict[str, tuple[Callable[[Answers], Answers], int]] = {
    "each twice": (lambda found: found * 2, LINES),
    "the other way round": (lambda found: found[::-1], LINES),
    "an unknown line": (lambda found: [*found, ("line-99", found[0][1]), ("", b"{}")], LINES),
    "a line of another batch": (lambda found: [("batch_other-0-0", b"{}"), *found], LINES),
    "fewer": (lambda found: found[:1], 1),
    "none": (lambda _: [], 0),
    "other forms": (lambda found: [(name, b"[]") for name, _ in found], 0),
    "an error": (lambda found: [(name, b'{"error": {"message": "no"}}') for name, _ in found], 0),
    "negative usage": (with_usage(prompt_tokens=-5, completion_tokens=-7, total_tokens=-12), LINES),
    "usage in words": (with_usage(prompt_tokens="5", completion_tokens=None), LINES),
    "infinite usage": (with_usage(prompt_tokens=float("inf"), completion_tokens=float("nan")), LINES),
    "absurd usage": (with_usage(prompt_tokens=10**9, completion_tokens=10**9), LINES),
    "impossible usage": (with_usage(prompt_tokens=10**30, completion_tokens=10**30), LINES),
}


@pytest.mark.parametrize("name", ODD)
def test_each_line_ends_once_and_costs_its_hold_at_most(
    client: TextClient, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    odd, answered = ODD[name]
    held: list[int] = []
    answers = VendorCalls.answers

    async def changed(vendor: VendorCalls, file_id: str) -> Answers:
        held.append(USD - await asyncio.to_thread(client.balance))
        return odd(await answers(vendor, file_id))

    monkeypatch.setattr(VendorCalls, "answers", changed)
    bodies = [chat(f"[[tokens 20]] {n}", model=GPT, max_tokens=100) for n in range(LINES)]
    found, outputs, errors = run(client, start(client, lines_of(*bodies)))
    assert (found.status, errors) == ("completed", [])
    assert [each["custom_id"] for each in outputs] == [f"line-{n}" for n in range(LINES)]
    entries = client.texts()
    charged = [-each.amount_micro_usd for each in entries if (each.usage or {}).get("service") == "batch"]
    assert (len(entries), len(charged)) == (LINES, answered)
    assert held[0] > 0
    assert all(0 < each <= held[0] / LINES + 1 for each in charged)
    assert client.settled()
