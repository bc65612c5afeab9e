"""How fast providers answer, measured by the requests that are billed."""

from dataclasses import replace
from decimal import Decimal

import pytest

from tests.unit.text.test_billing_rules import MODEL, Desk, desk
from tollgate.ledger.trace import RouteCall
from tollgate.routing.speeds import Speed
from tollgate.text.models import BATCH
from tollgate.text.money.placed import PlacedHold
from tollgate.text.usage import Usage

__all__ = ["desk"]


@pytest.mark.parametrize(
    ("first_byte_ms", "speed"),
    [
        # 32 tokens in the 1.6 seconds after the first, of the two seconds since the call.
        (1_400, Speed(400, 20)),
        # A complete answer has no first byte.
        (None, Speed(2_000, 16)),
    ],
)
def test_a_speed_is_measured_from_the_last_call_of_the_provider_that_answered(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, first_byte_ms: int | None, speed: Speed
) -> None:
    desk.open(10_000)
    placed = desk.place("req_1")
    monkeypatch.setattr(PlacedHold, "elapsed_ms", lambda _: 3_000)
    placed.calls = [RouteCall(name, at) for name, at in [("some", 100), ("other", 500), ("some", 1_000)]]
    placed.provider, placed.first_byte_ms = "some", first_byte_ms
    desk.settle(placed, Usage(100, 32))
    routes = [(MODEL.id, "some"), (MODEL.id, "other")]
    assert desk.billing.speeds.of(routes, desk.clock.now_ms()) == {routes[0]: speed}


def test_a_batch_has_none(desk: Desk) -> None:
    desk.open(10_000)
    placed = desk.place("req_1")
    placed.calls, placed.provider = [RouteCall("some", 0)], "some"
    model = replace(MODEL, services={BATCH: Decimal("0.5")})
    desk.run(desk.billing.settle(placed, model, Usage(100, 32, service=BATCH)))
    assert desk.billing.speeds.of([(MODEL.id, "some")], desk.clock.now_ms()) == {}
