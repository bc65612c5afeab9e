"""The measures of routes, for this process: read when they are needed, and at most once a minute.

A failed read leaves the measures unknown, because they only order the routes and describe them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.kit.observability import logger
from tollgate.routing.measures import KNOWN_MS, MAX_MODELS, Measures, measures_of, queries_of
from tollgate.routing.speeds import Route, Speeds

_NONE: Mapping[str, Measures] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class KnownMeasures:
    """Reads the measures of models, and keeps them."""

    db: AsyncDatabase
    usage_table: str
    clock: Clock
    _known: BoundedCache[tuple[int, Mapping[str, Measures]]] = field(
        default_factory=lambda: BoundedCache(MAX_MODELS)
    )

    async def of(self, model_id: str) -> Mapping[str, Measures]:
        """Return the measures of a model's routes, by provider; at most a minute old."""
        now_ms = self.clock.now_ms()
        known = self._known.get(model_id)
        if known is not None and now_ms - known[0] < KNOWN_MS:
            return known[1]
        try:
            rows = [
                row
                for query in queries_of(model_id, now_ms)
                for row in await self.db.query(self.usage_table, query)
            ]
            found = measures_of(rows, now_ms)
        except DatabaseError:
            logger.exception("text.routes_not_read", model=model_id)
            found = {}
        self._known[model_id] = (now_ms, found)
        return found

    def speeds(self, routes: Sequence[Route]) -> Speeds:
        """Return the medians of routes, as far as this process knows their measures."""
        found = {}
        for model_id, provider in routes:
            _, measures = self._known.get(model_id, (0, _NONE))
            if provider in measures:
                found[model_id, provider] = measures[provider].speed
        return found
