"""Which models have a working route, by the health of providers. Pure.

Source: docs/runbook.md#tasks-and-webhooks, SingleRouteDownAlarm and DeadRoutesAlarm.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tollgate.catalog.models import Model
from tollgate.providers.runtime.health import Health


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Models whose only live provider is down, and live providers that fail and have not recovered."""

    models_down: tuple[str, ...]
    providers_failing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """How many of a model's live routes are available now."""

    model: Model
    routes: int
    routes_up: int

    @property
    def word(self) -> str:
        """Return `up`, `reserve` if a route is down and another takes its jobs, or `down`."""
        return "down" if self.routes_up == 0 else "up" if self.routes_up == self.routes else "reserve"


def statuses(models: Iterable[Model], health: Mapping[str, Health], now_ms: int) -> list[ModelStatus]:
    """Return the status of each model, by the health of its live routes. Pure."""
    found = []
    for model in models:
        providers = {route.provider for route in model.routes}
        up = [name for name in providers if not is_down(name, model.id, health, now_ms)]
        found.append(ModelStatus(model, len(providers), len(up)))
    return found


def unavailable(models: Iterable[Model], health: Mapping[str, Health], now_ms: int) -> Unavailable:
    """Return which of the `models`, with their live routes, are down, and which providers fail. Pure."""
    providers: set[str] = set()
    down = []
    for model in models:
        of_model = {route.provider for route in model.routes}
        providers |= of_model
        if len(of_model) == 1 and is_down(of_model.pop(), model.id, health, now_ms):
            down.append(model.id)
    failing = sorted(name for name in providers if health.get(name, Health()).tripped)
    return Unavailable(tuple(down), tuple(failing))


def is_down(provider: str, model: str, health: Mapping[str, Health], now_ms: int) -> bool:
    """Return whether a provider is open, or an operator disabled it or its route of the model."""
    return health.get(provider, Health()).is_open_at(now_ms) or is_off(provider, model, health)


def is_off(provider: str, model: str, health: Mapping[str, Health]) -> bool:
    """Return whether an operator disabled a provider, or its route of the model."""
    return any(health.get(name, Health()).disabled for name in (provider, f"{provider}/{model}"))
