"""The meaning of a vendor's answer: the call was surely refused, or it may have been carried out."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any, cast

import pytest

from tollgate.batches.vendor_calls import RefusedError, UnsureError, VendorCalls
from tollgate.kit.http.client import HttpClient
from tollgate.kit.http.response import HttpError
from tollgate.text.upstream.exchange import HttpCall
from tollgate.text.upstream.vendor_batches import BatchApi, Order, UnreadableBatchError


@dataclass
class Vendor:
    """A vendor whose every answer has this status, and cannot be read if it `lies`."""

    status: int = 200
    is_lost: bool = False
    lies: bool = False
    stores_lines: bool = True

    async def request(self, method: str, *_: Any, repeatable: bool, **__: Any) -> "Vendor":
        # Repeated after a lost answer, a POST could create a second batch.
        assert repeatable is (method == "GET")
        if self.is_lost:
            raise HttpError("closed")
        return self

    async def read(self, _: int) -> bytes:
        return b"batch"

    def create(self, _: Order) -> HttpCall:
        return HttpCall("POST", "https://vendor.test/batches", {}, b"{}")

    def get(self, _: str) -> HttpCall:
        return HttpCall("GET", "https://vendor.test/batches/batch_1", {}, b"")


class Api(Vendor):
    def read(self, body: bytes) -> Any:  # type: ignore[override]
        if self.lies:
            raise UnreadableBatchError
        return body


def created(status: int = 200, *, is_lost: bool = False, lies: bool = False) -> Any:
    calls = VendorCalls(
        cast("HttpClient", Vendor(status, is_lost)), "openai", cast("BatchApi", Api(lies=lies))
    )
    return asyncio.run(calls.create(Order("batch_1/0", "/v1/embeddings", "m", "file_1")))


@pytest.mark.parametrize("status", [200, 201, 399])
def test_a_success_is_read(status: int) -> None:
    assert created(status) == b"batch"


def test_only_a_look_may_be_repeated_by_the_connection() -> None:
    calls = VendorCalls(cast("HttpClient", Vendor()), "openai", cast("BatchApi", Api()))
    assert asyncio.run(calls.get("batch_1")) == cast("Any", b"batch")


# `passes`: it may succeed later, because an operator mends the key, pays, or the minute is over.
@pytest.mark.parametrize(
    ("status", "passes", "is_our_account"),
    [
        (400, False, False),
        (401, True, True),
        (402, True, True),
        (403, True, True),
        (404, False, False),
        (409, False, False),
        (429, True, False),
        (499, False, False),
    ],
)
def test_a_refusal_is_sure_and_an_operator_hears_of_our_account(
    capsys: pytest.CaptureFixture[str], status: int, passes: bool, is_our_account: bool
) -> None:
    with pytest.raises(RefusedError) as refused:
        created(status)
    assert (refused.value.status, refused.value.passes) == (status, passes)
    assert metrics(capsys) == {"ProviderErrors"} | ({"ProviderAccountErrors"} if is_our_account else set())


@pytest.mark.parametrize(
    "answer",
    [{"status": 408}, {"status": 500}, {"status": 503}, {"is_lost": True}, {"lies": True}],
    ids=["timeout", "error", "down", "lost", "unreadable"],
)
def test_any_other_answer_may_hide_a_batch(capsys: pytest.CaptureFixture[str], answer: Any) -> None:
    with pytest.raises(UnsureError):
        created(**answer)
    assert metrics(capsys) == {"ProviderErrors"}


def metrics(capsys: pytest.CaptureFixture[str]) -> set[str]:
    """Return the names of the metrics that were printed."""
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith('{"_aws"')]
    return {name for line in lines for name in line if name.startswith("Provider")}
