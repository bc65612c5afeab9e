"""The status page: parts, models and providers now and in 90 days, and incidents. It is public."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from fastapi import APIRouter, Request, Response

from dashboard.languages import gettext
from dashboard.render import cached_answer, public_page
from dashboard.services import Services
from tollgate.catalog.loader import AnyModel
from tollgate.kit.clock import iso
from tollgate.providers.runtime.accounts import accounts
from tollgate.status import checks
from tollgate.status.history import DAYS, Bar, State, runs_of, uptime_percent, worst
from tollgate.status.incidents import Phase
from tollgate.status.service import TEST, Shown

PART_NAMES = {
    checks.API: "API",
    checks.TEXT: "Text",
    checks.MEDIA: "Images, video and music",
    checks.WEBHOOKS: "Webhooks",
    checks.DASHBOARD: "Dashboard",
}
PHASE_NAMES = {
    Phase.INVESTIGATING: "Investigating",
    Phase.IDENTIFIED: "Identified",
    Phase.MONITORING: "Monitoring",
    Phase.RESOLVED: "Resolved",
}
KINDS = {"TEXT": "Text", "IMAGE": "Images", "VIDEO": "Videos", "MUSIC": "Music", "3D": "3D"}
# The words of the JSON for monitors, which had them before text models were on the page.
_JSON_WORDS = {State.UP: "up", State.DEGRADED: "reserve", State.DOWN: "down"}

router = APIRouter()


@dataclass(frozen=True)
class Row:
    """A part, a model or a provider: its name and link, its state now, its days and uptime."""

    name: str
    href: str | None
    state: State | None
    bars: list[Bar]

    @cached_property
    def percent(self) -> float | None:
        """Return the uptime in percent."""
        return uptime_percent(self.bars)

    @property
    def runs(self) -> dict[str, str]:
        """Return the paths of its bars."""
        return runs_of(self.bars)

    @property
    def troubles(self) -> list[tuple[int, Bar]]:
        """Return the days that were not good, with their place among the bars."""
        return [(at, bar) for at, bar in enumerate(self.bars) if any(bar.counts[1:])]


@router.get("/status")
def show(services: Services, request: Request, format: Literal["html", "json"] = "html") -> Response:  # noqa: A002 - its name in the address
    """Show the status of parts, models and providers.

    As `json`, for monitors: `{"at": …, "parts": {name: "up", "degraded" or "down"}, "models": {id: "up",
    "reserve" or "down"}, "incidents": […]}`. Parts and models whose state is unknown are missing.
    """
    shown = services.status.shown()
    models = [each for each in services.api.catalog.catalog().all_models() if TEST not in each.tags]
    if format == "json":
        return cached_answer(request, json.dumps(_for_monitors(shown, models)), "application/json")
    root = request.base_url.path.rstrip("/")
    kinds = {
        name: [_of_model(shown, each, root) for each in models if each.media_type == kind]
        for kind, name in KINDS.items()
    }
    rows = [row for found in kinds.values() for row in found]
    states = [row.state for row in rows if row.state is not None]
    parts = [
        Row(gettext(PART_NAMES[name]), None, shown.part(name), shown.bars(name)) for name in checks.PARTS
    ]
    # Text and media are counted by their models.
    part_state = worst(
        shown.part(name) or State.UP for name in (checks.API, checks.WEBHOOKS, checks.DASHBOARD)
    )
    return public_page(
        request,
        "status.html",
        parts=parts,
        kinds=kinds,
        providers=_providers(shown),
        down=states.count(State.DOWN),
        degraded=states.count(State.DEGRADED),
        part_state=part_state,
        worst_state=worst([part_state, *states, *(each.impact for each in shown.open)]),
        shown=shown,
        phases=PHASE_NAMES,
        part_names=PART_NAMES,
        at=iso(shown.at_ms // 60_000 * 60_000),
        days=DAYS,
    )


def _of_model(shown: Shown, model: AnyModel, root: str) -> Row:
    name = checks.model(model.id)
    return Row(model.name, f"{root}/models/{model.id}", shown.states.get(name), shown.bars(name))


def _providers(shown: Shown) -> list[Row]:
    """Return the providers that have a state now or had one in the 90 days, by name."""
    known, start = accounts(), checks.provider("")
    of_days = {subject for day in shown.days.values() for subject in day}
    names = {each.removeprefix(start) for each in {*shown.states, *of_days} if each.startswith(start)}
    rows = []
    for name in names:
        title = known[name].about.title if name in known else name.capitalize()
        subject = checks.provider(name)
        rows.append(Row(title, None, shown.states.get(subject), shown.bars(subject)))
    return sorted(rows, key=lambda row: row.name.casefold())


def _for_monitors(shown: Shown, models: list[AnyModel]) -> dict[str, Any]:
    states = {each.id: shown.states.get(checks.model(each.id)) for each in models}
    parts = {name: shown.part(name) for name in checks.PARTS}
    return {
        "at": iso(shown.at_ms // 60_000 * 60_000),
        "parts": {name: state for name, state in parts.items() if state is not None},
        "models": {name: _JSON_WORDS[state] for name, state in states.items() if state is not None},
        "incidents": [each.view() for each in shown.open],
    }
