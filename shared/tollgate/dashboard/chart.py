"""The geometry of the charts, which the pages draw as SVG. Pure; amounts are integers of any one unit."""

from collections.abc import Sequence
from dataclasses import dataclass

# Columns are drawn on a field of 100 by 100 units, which the page stretches.
HEIGHT = 100
WIDTH = 100
# A quarter of a column's place is left free.
GAP_SHARE = 4


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its place on the field, and what it stands for."""

    x: str
    y: str
    width: str
    height: str
    label: str
    amount: int


def columns(amounts: Sequence[tuple[str, int]]) -> list[Column]:
    """Return a column for each `(label, amount)`, the highest as high as the field; amounts below 0 are 0."""
    if not amounts:
        return []
    top = max(1, *(amount for _, amount in amounts))
    place = 1000 * WIDTH // len(amounts)
    gap = place // GAP_SHARE
    return [
        Column(
            x=_units(number * place + gap // 2),
            y=_units(1000 * HEIGHT - _height(amount, top)),
            width=_units(place - gap),
            height=_units(_height(amount, top)),
            label=label,
            amount=amount,
        )
        for number, (label, amount) in enumerate(amounts)
    ]


def share(amount: int, top: int) -> str:
    """Return `amount` as percent of `top`, for a bar that is 100 units long."""
    return _units(_height(amount, max(1, top)))


def _height(amount: int, top: int) -> int:
    return 1000 * HEIGHT * max(0, amount) // top


def _units(thousandths: int) -> str:
    return f"{thousandths // 1000}.{thousandths % 1000:03}"
