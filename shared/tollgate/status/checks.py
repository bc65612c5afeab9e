"""The states of the service, its models and its providers now, from data that is recorded anyway. Pure.

The state of a media model depends on the health of its providers. The state of a text model depends on its
calls in the last ten minutes, and is unknown if there were too few. A text model is degraded if an operator
has switched off some of its routes, and down if all.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from tollgate.catalog.text_models import CatalogTextModel
from tollgate.providers.runtime.health import Health
from tollgate.routing.measures import DOWN, MS_PER_MINUTE, UP, Counts, key_of, minute_of
from tollgate.status.history import State, worst
from tollgate.tasks.availability import ModelStatus, is_down, is_off

# The parts of the service, in the order of the page.
API, TEXT, MEDIA, WEBHOOKS, DASHBOARD = "api", "text", "media", "webhooks", "dashboard"
PARTS = (API, TEXT, MEDIA, WEBHOOKS, DASHBOARD)
# Calls of text providers in this time are counted together.
WINDOW_MINUTES = 10
# A provider is down after so many calls if none had an answer.
MIN_CALLS = 3
# Each part needs these steps of a visit (visits/visitor.py). A visit without a key tells nothing.
STEPS = {API: ("chat", "image"), DASHBOARD: ("page",)}
NO_KEY = "key"

_OF_WORD = {"up": State.UP, "reserve": State.DEGRADED, "down": State.DOWN}


def model(model_id: str) -> str:
    """Return the name of a model among the subjects."""
    return f"model/{model_id}"


def provider(name: str) -> str:
    """Return the name of a provider among the subjects."""
    return f"provider/{name}"


def window(model_ids: Iterable[str], now_ms: int) -> list[dict[str, str]]:
    """Return the keys of the rows that count the latest calls of text models."""
    ends = range(WINDOW_MINUTES)
    return [key_of(each, minute_of(now_ms - ago * MS_PER_MINUTE)) for each in model_ids for ago in ends]


def of_media(found: Iterable[ModelStatus], health: Mapping[str, Health], now_ms: int) -> dict[str, State]:
    """Return the states of media models, of their providers, and of media."""
    models: dict[str, State] = {}
    providers: set[str] = set()
    for each in found:
        models[model(each.model.id)] = _OF_WORD[each.word]
        providers |= {route.provider for route in each.model.routes}
    states = {
        provider(name): State.DOWN if is_down(name, "", health, now_ms) else State.UP for name in providers
    }
    return {**models, **states, **_part(MEDIA, models)}


def of_text(
    calls: Mapping[str, Mapping[str, Counts]],
    catalog: Iterable[CatalogTextModel],
    health: Mapping[str, Health],
) -> dict[str, State]:
    """Return the states of text models, of their providers, and of text.

    `calls` are counted by model and provider. Only the operators' switches in `health` are used.
    """
    models: dict[str, State] = {}
    sums: dict[str, Counter[str]] = {}
    for model_id, by_provider in calls.items():
        for name, counts in by_provider.items():
            sums.setdefault(name, Counter()).update({UP: counts.get(UP, 0), DOWN: counts.get(DOWN, 0)})
        state = _of_routes(by_provider)
        if state is not None:
            models[model(model_id)] = state
    providers = {provider(name): state for name, counts in sums.items() if (state := _judged(counts))}
    sold = list(catalog)
    switched = _switched(sold, health)
    judged = joined(models, switched)
    # If some models are switched off, all others count as up. Otherwise, only models with calls count.
    shown = {**{model(each.id): State.UP for each in sold}, **judged} if switched else judged
    off = {
        provider(route.provider): State.DOWN
        for each in sold
        for route in each.routes
        if health.get(route.provider, Health()).disabled
    }
    return {**judged, **joined(providers, off), **_part(TEXT, shown)}


def _switched(catalog: Iterable[CatalogTextModel], health: Mapping[str, Health]) -> dict[str, State]:
    """Return the states of the text models that have routes which are switched off."""
    found = {}
    for each in catalog:
        off = [is_off(route.provider, each.id, health) for route in each.routes]
        if any(off):
            found[model(each.id)] = State.DOWN if all(off) else State.DEGRADED
    return found


def of_webhooks(*, is_late: bool) -> dict[str, State]:
    """Return the state of webhooks: degraded while a delivery is late."""
    return {WEBHOOKS: State.DEGRADED if is_late else State.UP}


def of_visit(failed: Iterable[str]) -> dict[str, State]:
    """Return the states that follow from a visit, whose steps in `failed` have failed."""
    steps = frozenset(failed)
    if NO_KEY in steps:
        return {}
    found = {}
    for name, needed in STEPS.items():
        wrong = len(steps.intersection(needed))
        found[name] = State.UP if not wrong else State.DOWN if wrong == len(needed) else State.DEGRADED
    return found


def joined(*found: Mapping[str, State]) -> dict[str, State]:
    """Return all states. A subject in several mappings, such as a provider of both kinds, has its worst."""
    states: dict[str, State] = {}
    for each in found:
        for name, state in each.items():
            states[name] = worst((state, states.get(name, state)))
    return states


def _of_routes(by_provider: Mapping[str, Counts]) -> State | None:
    """Return the state of a text model: down if no call was answered, degraded if one provider is down."""
    total: Counter[str] = Counter()
    for counts in by_provider.values():
        total.update({UP: counts.get(UP, 0), DOWN: counts.get(DOWN, 0)})
    whole = _judged(total)
    if whole is State.UP and State.DOWN in map(_judged, by_provider.values()):
        return State.DEGRADED
    return whole


def _judged(counts: Counts) -> State | None:
    """Return up if any call was answered, down if none was, and `None` if there were too few calls."""
    if counts.get(UP, 0):
        return State.UP
    return State.DOWN if counts.get(DOWN, 0) >= MIN_CALLS else None


def _part(name: str, models: Mapping[str, State]) -> dict[str, State]:
    """Return the state of a part: down if half of its models are down, degraded if any is."""
    if not models:
        return {}
    down = sum(state is State.DOWN for state in models.values())
    return {name: State.DOWN if 2 * down >= len(models) else State.DEGRADED if down else State.UP}
