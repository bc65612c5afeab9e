"""The calls of DynamoDB that a text request makes: each costs money, and one is before the first byte."""

from collections.abc import Mapping
from typing import Any

from tests.bench.account import DEMAND, MODEL, USAGE, World
from tests.unit.text.samples import choosing
from tests.unit.text.test_renewals import simulated
from tollgate.ledger.budgets import NOBODY


def test_a_request_makes_three() -> None:
    """One holds the money, one records the charge, and one returns the rest."""

    async def story(world: World) -> None:
        billing, carry_out, made = world.billing(), world.dynamo.call, list[str]()

        async def call(operation: str, body: Mapping[str, Any]) -> object:
            made.append(operation)
            return await carry_out(operation, body)

        # The first request of a process learns the account's limits and the minute of its row.
        for request_id in ("req_01M81VJ6AEDTJ68M4TNHBHFDSH", "req_01M81VJ6AEDTJ68M4TNHBHFDSJ"):
            world.dynamo.call = call  # type: ignore[assignment, method-assign]
            made.clear()
            placed = await billing.place(
                world.account_id, request_id, choosing(DEMAND, MODEL), None, spender=NOBODY
            )
            assert made[-1:] == ["UpdateItem"]
            held = len(made)
            await billing.settle(placed, MODEL, USAGE)
            assert made[held:] == ["PutItem", "UpdateItem"]
        assert held == 1

    simulated(story)
