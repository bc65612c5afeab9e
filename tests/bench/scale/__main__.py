"""Writes the tables of docs/scale.md."""

from collections.abc import Sequence

from local.template import ROOT, Template, read_template
from tests.bench.scale import load
from tests.bench.scale.ceilings import ACCOUNT, REGION, STACK, Ceiling, ceilings
from tests.bench.scale.quotas import QUOTAS
from tests.bench.tables import filled, table

DOCUMENT = ROOT / "docs" / "scale.md"
COST = ROOT / "docs" / "cost.md"
TIMES = (10, 100, 1_000)


def loads(parts: dict[str, load.Part], cost: str) -> str:
    """Return the table of what a second of the peak has."""
    lines = []
    for times in (1, *TIMES):
        rates = load.a_second(times)
        figures = (
            rates["chat"],
            rates["chat"] * load.CHAT_S,
            rates["create"],
            load.running_tasks(rates),
            rates["poll"],
            load.requests(rates),
            load.at_once(rates, parts),
            load.write_units(rates, parts),
        )
        lines.append([f"{times:,}", *(shown(figure) for figure in (*figures, load.usd_a_month(cost, times)))])
    head = [
        "Times",
        "Chats/s",
        "Text at once",
        "Tasks/s",
        "Running",
        "Polls/s",
        "Requests/s",
        "Functions at once",
        "Write units/s",
        "USD a month",
    ]
    return table(head, lines)


def all_of(scope: str, found: Sequence[Ceiling]) -> str:
    """Return the table of the ceilings of a scope, the lowest first."""
    own = sorted((one for one in found if one.scope == scope), key=lambda one: one.reached_at)
    rows = [
        [one.name, f"{one.most:,.0f} {one.unit}", shown(one.used), f"{shown(one.reached_at)} ×", one.raised]
        for one in own
    ]
    return table(["Ceiling", "Limit", "Today", "Reached at", "How to raise it, and the cost"], rows)


def first_hits(found: Sequence[Ceiling]) -> str:
    """Return what is reached between one multiple and the next, in that order."""
    lines, below = [], 1.0
    for times in TIMES:
        hit = sorted(
            (one for one in found if below < one.reached_at <= times), key=lambda one: one.reached_at
        )
        lines += [f"**Up to {times:,} times**", ""]
        lines += [f"- {shown(one.reached_at)} ×: {one.scope}, {one.name}" for one in hit] or ["- nothing"]
        lines.append("")
        below = times
    return "\n".join(lines).rstrip()


def quotas() -> str:
    """Return the table of AWS's quotas."""
    rows = [
        [one.name, f"{one.most:,.0f} {one.unit}", one.rises or "no", f"<{one.url}>", one.read]
        for one in QUOTAS.values()
    ]
    return table(["Quota", "Default", "How to raise it", "Source", "Read on"], rows)


def shown(figure: float) -> str:
    """Return a figure as people read it: two digits that count, and no fraction from ten on."""
    return f"{figure:,.0f}" if figure >= 10 else f"{figure:.2g}"


def written(document: str, template: Template) -> str:
    """Return the document with its tables as they should be."""
    cost = COST.read_text()
    parts = load.parts_of(cost)
    found = ceilings(template, parts)
    tables = {scope: all_of(scope, found) for scope in (ACCOUNT, STACK, REGION)}
    return filled(
        document, {"load": loads(parts, cost), "first": first_hits(found), **tables, "quotas": quotas()}
    )


if __name__ == "__main__":
    DOCUMENT.write_text(written(DOCUMENT.read_text(), read_template()))
