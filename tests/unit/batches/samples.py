"""What the tests of batches share."""

from dataclasses import replace
from typing import Any

from tollgate.batches.parcels import Parcel, Stage

_SENT = Parcel(
    number=0,
    stage=Stage.SENT,
    claim=1,
    quote_id="quo_1",
    provider="openai",
    model="m",
    endpoint="/v1/embeddings",
    key_id=None,
    labels={},
    amount_micro_usd=5,
    prices={},
    factor="0.5",
    made_at_s=0,
)


def parcel(**changes: Any) -> Parcel:
    """Return a parcel that was sent, but for `changes`."""
    return replace(_SENT, **changes)
