"""Watches the live catalog and the health of its providers for models without a working route."""

from dataclasses import dataclass

from tollgate.catalog.loader import Catalog
from tollgate.kit.clock import Clock
from tollgate.providers.runtime.health_store import ProviderHealthStore
from tollgate.tasks.availability import ModelStatus, Unavailable, statuses, unavailable


@dataclass(frozen=True, slots=True)
class RouteWatch:
    """Looks at the live catalog and at the health of its providers."""

    catalog: Catalog
    health: ProviderHealthStore
    clock: Clock

    def statuses(self) -> list[ModelStatus]:
        """Return the current status of each model."""
        return statuses(self.catalog.media_models(), self.health.health(), self.clock.now_ms())

    def look(self) -> Unavailable:
        """Return the models that are down now; a model with a second live provider is not down."""
        return unavailable(self.catalog.media_models(), self.health.health(), self.clock.now_ms())
