"""The positions and sizes in the charts, which pages show as SVG. Pure; all amounts have the same unit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Columns are drawn on a field of 100 by 100 units, which the page stretches.
HEIGHT = 100
WIDTH = 100
# The gap between columns is a quarter of their width.
GAP_SHARE = 4
# An axis ends at one of these numbers times a power of ten, so its middle is also a round number.
STEPS = (1, 2, 4, 5, 10)
MAX_DAY_LABELS = 5
# The end of an empty axis: one cent, if the unit is the micro-USD.
EMPTY_END = 10_000


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a column: its position, its day and its amount.

    Position and size are in units of the field, as SVG expects them. `series` is the number of the model or
    key, counted from the bottom. It selects the colour.
    """

    x: str
    y: str
    width: str
    height: str
    day: str
    label: str
    amount: int
    series: int


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of stacked columns. `ticks` are the amounts at its lines, the highest first.

    `days` are the labels below the columns, the first day and the last day among them. `columns` is the
    number of days.
    """

    parts: list[Part]
    series: list[tuple[str, int]]
    ticks: list[int]
    days: list[str]
    columns: int


def stacked(
    days: Mapping[str, Mapping[str, int]], series: Sequence[tuple[str, int]], empty_end: int = EMPTY_END
) -> Chart:
    """Return a chart with a column for each day and a part for each series, the first one at the bottom.

    `days` has the amounts by name of the series; an amount below 0 is drawn as 0. `series` has names and
    sums. Without amounts the axis ends at `empty_end`.
    """
    top = axis_end(max((_sum(amounts, series) for amounts in days.values()), default=0), empty_end)
    place = 1000 * WIDTH // max(1, len(days))
    gap = place // GAP_SHARE
    parts = []
    for number, (day, amounts) in enumerate(days.items()):
        base = 0
        for index, (name, _) in enumerate(series):
            amount = max(0, amounts.get(name, 0))
            if amount:
                low, high = _height(base, top), _height(base + amount, top)
                x, y = _units(number * place + gap // 2), _units(1000 * HEIGHT - high)
                parts.append(Part(x, y, _units(place - gap), _units(high - low), day, name, amount, index))
                base += amount
    return Chart(parts, list(series), [top, top // 2, 0], _labelled(list(days)), len(days))


def axis_end(most: int, empty_end: int = EMPTY_END) -> int:
    """Return the smallest round number that is at least `most`, or `empty_end` if `most` is not positive."""
    if most <= 0:
        return empty_end
    power: int = 10 ** max(1, len(str(most)) - 1)
    return next(step * power for step in STEPS if step * power >= most)


def _labelled(days: Sequence[str]) -> list[str]:
    """Return the labels below the columns: the first day, the last day, and evenly spaced days between."""
    if len(days) <= MAX_DAY_LABELS:
        return list(days)
    last = MAX_DAY_LABELS - 1
    return [days[number * (len(days) - 1) // last] for number in range(MAX_DAY_LABELS)]


def _sum(amounts: Mapping[str, int], series: Sequence[tuple[str, int]]) -> int:
    return sum(max(0, amounts.get(name, 0)) for name, _ in series)


def _height(amount: int, top: int) -> int:
    return 1000 * HEIGHT * max(0, amount) // top


def _units(thousandths: int) -> str:
    return f"{thousandths // 1000}.{thousandths % 1000:03}"
