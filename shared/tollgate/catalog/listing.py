"""The catalog and cost routes as they are answered: bodies made once per process, with their ETags."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from tollgate.catalog.loader import AnyModel, Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.params import json_schema
from tollgate.catalog.views import Card, CatalogModelView, PricesView, card, catalog_dto, cost_view
from tollgate.kit.errors import ModelNotFoundError
from tollgate.kit.http.cached_body import CachedBody
from tollgate.kit.http.query import QueryReader
from tollgate.routing.facts import NO_PROVIDERS, KnownProviders

Shown = TypeVar("Shown", bound=Card)

FILTERS = ("type", "kind", "vendor", "capability")
CLOSED = {"type": ["IMAGE", "VIDEO", "MUSIC", "3D", "TEXT"], "kind": ["media", "llm"]}
"""The filters with a fixed set of values, each with its values."""


class Listing:
    """The published form of a catalog. Keep one for the life of the process."""

    def __init__(self, catalog: Catalog, known: KnownProviders = NO_PROVIDERS) -> None:
        self._catalog = catalog
        self._known = known

    def models(self, query: Mapping[str, str]) -> CachedBody:
        """Return the models that match every filter of `query`: `type`, `kind`, `vendor`, `capability`.

        Upper and lower case are the same. A vendor or a capability without models gives an empty list.
        Raises `InvalidInputError` for other names, and for a type or a kind that does not exist.
        """
        _check(query)
        # Most clients request all models, so only that page is cached. A cache of every mix of filters would
        # grow.
        return CachedBody.of(self.matching(query)) if any(name in query for name in FILTERS) else self._all

    def matching(self, query: Mapping[str, str]) -> list[CatalogModelView]:
        """Return the models of `models` as values, for our pages. They must not be changed."""
        return _fitting(self._dtos, query)

    def matching_cards(self, query: Mapping[str, str]) -> list[Card]:
        """Return the models of `found` without prices and input, which take long to build."""
        return _fitting(self._cards, query)

    def model(self, model_id: str) -> CachedBody:
        """Return one model; raises `ModelNotFoundError`."""
        return CachedBody.of(self.model_view(model_id))

    def model_view(self, model_id: str) -> CatalogModelView:
        """Return the model of `model` as values; raises `ModelNotFoundError`."""
        return self._dto(self._find(model_id))

    def schema(self, model_id: str) -> CachedBody:
        """The JSON Schema of a media model's input; raises `ModelNotFoundError`, for text models too."""
        found = self._find(model_id)
        if not isinstance(found, Model):
            raise ModelNotFoundError(f"{found.use} Only media models have an input schema.")
        return CachedBody.of(json_schema(found))

    def costs(self) -> CachedBody:
        """Return the prices of all models, by id."""
        return self._costs

    def cost(self, model_id: str) -> CachedBody:
        """Return the prices of one model; raises `ModelNotFoundError`."""
        found = self._find(model_id)
        return CachedBody.of({"model": found.id, **self._cost(found)})

    def _find(self, model_id: str) -> AnyModel:
        found = self._catalog.find_by_name(model_id)
        if found is None:
            raise ModelNotFoundError(self._catalog.use_of(model_id) or "")
        return found

    def _dto(self, model: AnyModel) -> CatalogModelView:
        return catalog_dto(model, self._catalog.next_pricing(model), self._known)

    def _cost(self, model: AnyModel) -> PricesView:
        return cost_view(model, self._catalog.next_pricing(model))

    @cached_property
    def _dtos(self) -> list[CatalogModelView]:
        return [self._dto(model) for model in self._catalog.all_models()]

    @cached_property
    def _cards(self) -> list[Card]:
        return [card(model) for model in self._catalog.all_models()]

    @cached_property
    def _all(self) -> CachedBody:
        return CachedBody.of(self._dtos)

    @cached_property
    def _costs(self) -> CachedBody:
        return CachedBody.of({model.id: self._cost(model) for model in self._catalog.all_models()})


def _check(query: Mapping[str, str]) -> None:
    """Raise `InvalidInputError` with each unknown filter, and with an unknown type or kind."""
    reader = QueryReader(query, FILTERS)
    for name, allowed in CLOSED.items():
        known = [value.casefold() for value in allowed]
        reader.choose(name, _one_of(known), None, allowed)
    reader.finish()


def _one_of(known: Sequence[str]) -> Callable[[str], int]:
    """Return a reader of `known` values in any case. It raises `ValueError` for others."""
    return lambda text: known.index(text.casefold())


def _fitting(shown: list[Shown], query: Mapping[str, str]) -> list[Shown]:
    wanted = {name: query[name].casefold() for name in FILTERS if name in query}
    return [dto for dto in shown if _fits(dto, wanted)]


def _fits(dto: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    has = {
        "type": [dto["type"]],
        "kind": [dto["kind"]],
        "vendor": [dto["vendor"]],
        "capability": dto["capabilities"],
    }
    return all(value in [one.casefold() for one in has[name]] for name, value in wanted.items())
