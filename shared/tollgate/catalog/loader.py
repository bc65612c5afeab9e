"""Reads the catalog's data: `data/*.yaml` and `data/text/*.yaml`, or one JSON document of them.

A file of `data` has one media model, and a file of `data/text` one family of text models. `compiled` turns
all files into the document.

A model is read at its first use, as it is on the catalog's day (`dated.py`), and checked (`parsing.py`). The
build puts the checked models beside the document (`ready`), for each day on which they change. Those are not
checked again, because that would take a fifth of a cold start.
"""

import json
import pickle
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tollgate.catalog import dated, names
from tollgate.catalog.errors import CatalogError
from tollgate.catalog.live_routes import with_routes
from tollgate.catalog.models import Model, Pricing, Route
from tollgate.catalog.text_models import CatalogTextModel, CatalogTextRoute
from tollgate.kit.errors import ModelNotFoundError

DATA = Path(__file__).parent / "data"
COMPILED = "catalog.json"
READY = "models.pickle"

AnyModel = Model | CatalogTextModel
Raw = dict[str, Any]


def read_yaml(file: Path) -> Any:
    """Return the content of `file`; raises `CatalogError` naming it."""
    # What ships to Lambda is compiled, and a cold start does without the parser.
    import yaml  # noqa: PLC0415

    # libyaml's parser is ten times as fast; without it, the Python one reads the same.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(file.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506  (both are safe)
    except yaml.YAMLError as error:
        raise CatalogError(f"{file.name}: not YAML: {error}") from error


def _parsed(raw: Any, where: str, day: str, changes: list[str] | None = None) -> AnyModel:
    # This needs pydantic. Readers of the ready models do without it.
    from tollgate.catalog.parsing import parse_model  # noqa: PLC0415 - see above

    if not (_changes_of(raw, where) if changes is None else changes):
        return parse_model(raw, where)
    try:
        shown = dated.on(raw, day)
    except CatalogError as error:
        raise CatalogError(f"{where}: {error}") from error
    return parse_model(shown, where)


def _changes_of(raw: Any, where: str) -> list[str]:
    """Return the days on which a model's data changes, in order; raises `CatalogError`."""
    try:
        return dated.changes(raw) if isinstance(raw, dict) else []
    except CatalogError as error:
        raise CatalogError(f"{where}: {error}") from error


class Folder:
    """The files of a folder. A family's file has `shared`, the common data of its models, and `models`."""

    def __init__(self, folder: Path) -> None:
        self._media = {file.stem: file for file in sorted(folder.glob("*.yaml"))}
        self._families = sorted((folder / "text").glob("*.yaml"))

    def ids(self) -> list[str]:
        """Return the ids of all models, media first."""
        return [*self._media, *self._texts]

    def text_ids(self) -> list[str]:
        """Return the ids of the text models."""
        return list(self._texts)

    def read(self, model_id: str, day: str = dated.FIRST) -> AnyModel | None:
        """Return the model as it is on a day, or None; raises `CatalogError`."""
        if file := self._media.get(model_id):
            model = _parsed(read_yaml(file), file.name, day)
            if model.id != file.stem:
                raise CatalogError(f"{file.name}: id: is {model.id!r}, must be the file's name")
            return model
        raw = self._texts.get(model_id)
        return None if raw is None else _parsed(raw, f"{raw['group']}: {model_id}", day)

    @cached_property
    def changes(self) -> list[str]:
        """Return the days on which any model changes, in order; raises `CatalogError`."""
        days = (_changes_of(raw, model_id) for model_id, raw in self.document().items())
        return sorted({day for found in days for day in found})

    def changes_of(self, model_id: str) -> list[str]:
        """Return the days on which a model changes, in order; raises `CatalogError`."""
        file = self._media.get(model_id)
        return _changes_of(self._texts[model_id] if file is None else read_yaml(file), model_id)

    @cached_property
    def names(self) -> dict[str, str]:
        """Return the id of the model that each name stands for."""
        return names.index(self.document().values())

    def document(self) -> dict[str, Raw]:
        """Return the data of all models, by id."""
        return {**{model_id: read_yaml(file) for model_id, file in self._media.items()}, **self._texts}

    @cached_property
    def _texts(self) -> dict[str, Raw]:
        found: dict[str, Raw] = {}
        for file in self._families:
            family = read_yaml(file)
            try:
                found |= {raw["id"]: {**family["shared"], **raw} for raw in family["models"]}
            except (KeyError, TypeError) as error:
                raise CatalogError(f"{file.name}: needs `shared`, and `models` each with an id") from error
        return found


class Document:
    """The data of all models as one JSON document: ten times as fast to read as its source files.

    `ready` has its models, pickled, by the days on which they change.
    """

    def __init__(
        self, models: Mapping[str, Raw], ready: Mapping[str, Mapping[str, bytes]] | None = None
    ) -> None:
        self._models = models
        self._ready = ready or {}
        self._changes: dict[str, list[str]] = {}

    def ids(self) -> list[str]:
        """Return the ids of all models, media first."""
        return list(self._models)

    def text_ids(self) -> list[str]:
        """Return the ids of the text models."""
        return [
            model_id for model_id, raw in self._models.items() if raw.get("kind") == CatalogTextModel.kind
        ]

    def read(self, model_id: str, day: str = dated.FIRST) -> AnyModel | None:
        """Return the model as it is on a day, or None; raises `CatalogError`."""
        if by_day := self._ready.get(model_id):
            newest = max(changed for changed in by_day if changed <= day)
            made: AnyModel = pickle.loads(by_day[newest])  # noqa: S301 - of our own build
            return made
        raw = self._models.get(model_id)
        return None if raw is None else _parsed(raw, model_id, day, self.changes_of(model_id))

    @cached_property
    def changes(self) -> list[str]:
        """Return the days on which any model changes, in order; raises `CatalogError`."""
        if self._ready:
            return sorted({day for by_day in self._ready.values() for day in by_day if day != dated.FIRST})
        return sorted({day for model_id in self._models for day in self.changes_of(model_id)})

    def changes_of(self, model_id: str) -> list[str]:
        """Return the days on which a model changes, in order; raises `CatalogError`."""
        if model_id not in self._changes:
            self._changes[model_id] = _changes_of(self._models[model_id], model_id)
        return self._changes[model_id]

    @cached_property
    def names(self) -> dict[str, str]:
        """Return the id of the model that each name stands for."""
        return names.index(self._models.values())

    def document(self) -> Mapping[str, Raw]:
        """Return the data of all models, by id."""
        return self._models


def compiled(folder: Path = DATA) -> bytes:
    """Return the one JSON document of the models in `folder`, each checked; raises `CatalogError`.

    If it is beside the files as `catalog.json` (the build writes it), it is read instead of them.
    """
    files = Folder(folder)
    for model_id in files.ids():
        for day in (dated.FIRST, *files.changes_of(model_id)):
            files.read(model_id, day)
    return json.dumps(files.document(), ensure_ascii=False, separators=(",", ":")).encode()


def ready(document: bytes) -> bytes:
    """Return the checked models of a compiled document, each pickled separately; raises `CatalogError`.

    Each is there as it is from each day on which it changes. If they are beside the document as
    `models.pickle` (the build writes it), they are read instead of it.
    """
    source = Document(json.loads(document))
    made: dict[str, dict[str, bytes]] = {}
    for model_id in source.ids():
        days = (dated.FIRST, *source.changes_of(model_id))
        made[model_id] = {day: pickle.dumps(source.read(model_id, day)) for day in days}
    return pickle.dumps(made)


def compile_into(folder: str) -> None:
    """Write the document of the shipped files, and its models; the build does. Raises `CatalogError`."""
    document = compiled()
    Path(folder, COMPILED).write_bytes(document)
    Path(folder, READY).write_bytes(ready(document))


class Catalog:
    """The models of a source as they are on a day. Keep one, because it caches them.

    A catalog without a day is for tools that need ids and inputs. `LiveCatalog` sets the day of all prices
    that are charged.
    """

    def __init__(
        self,
        source: Folder | Document,
        providers: frozenset[str] | None = None,
        mappings: Mapping[str, Collection[str]] | None = None,
        *,
        restrict_inputs: bool = True,
        day: str = dated.FIRST,
    ) -> None:
        self._source = source
        self._day = day
        self._providers = providers
        self._mappings = mappings
        self._takes_inputs = restrict_inputs
        self._models: dict[str, AnyModel | None] = {}

    @classmethod
    def shipped(cls, folder: Path = DATA) -> "Catalog":
        """Return the catalog in `folder`, by default the catalog in the package."""
        # The build compiles it; a checkout reads its files, so that a change of one is there at once.
        document, models = folder / COMPILED, folder / READY
        if not document.exists():
            return cls(Folder(folder))
        made = pickle.loads(models.read_bytes()) if models.exists() else None  # noqa: S301 - of our own build
        return cls(Document(json.loads(document.read_bytes()), made))

    def with_live(
        self,
        providers: frozenset[str],
        mappings: Mapping[str, Collection[str]] | None = None,
        *,
        restrict_inputs: bool = True,
    ) -> "Catalog":
        """Return the catalog with only the enabled routes whose provider is in `providers`.

        `mappings` has, by provider, the field mappings that its adapter supports. Without it, all mappings
        are allowed. A model without a live route is not listed and not found. With `restrict_inputs`, each
        model's input is restricted to its routes. A caller that only runs accepted inputs does not need that.
        """
        return Catalog(self._source, providers, mappings, restrict_inputs=restrict_inputs, day=self._day)

    def on(self, day: str) -> "Catalog":
        """Return the same catalog as it is on a day in UTC, such as `2027-01-01`."""
        takes = self._takes_inputs
        return Catalog(self._source, self._providers, self._mappings, restrict_inputs=takes, day=day)

    def document(self) -> Mapping[str, Raw]:
        """Return the data of all models, by id, with all of its days."""
        return self._source.document()

    @property
    def day(self) -> str:
        """Return the day of the catalog's prices; without one, an empty text."""
        return self._day

    def later(self, model_id: str) -> Iterator["tuple[str, AnyModel]"]:
        """Return a model from each later day on which it changes, until it ends."""
        for day in (day for day in self._source.changes_of(model_id) if day > self._day):
            if (model := self.on(day).find_by_id(model_id)) is None:
                return
            yield day, model

    @cached_property
    def next_change(self) -> str | None:
        """Return the first day after the catalog's own on which a model changes, or None."""
        return next((day for day in self._source.changes if day > self._day), None)

    def next_pricing(self, model: AnyModel) -> tuple[str, Pricing] | None:
        """Return the known next prices of a model and their first day, or None."""
        found = ((day, later.pricing) for day, later in self.later(model.id))
        return next((one for one in found if one[1].version != model.pricing.version), None)

    def media_model(self, name: str) -> Model:
        """Return the media model with this id or other name; raises `ModelNotFoundError`."""
        found = self.find_by_name(name)
        if not isinstance(found, Model):
            raise ModelNotFoundError
        return found

    def text_model(self, name: str) -> CatalogTextModel:
        """Return the text model with this id or other name; raises `ModelNotFoundError`."""
        found = self.find_by_name(name)
        if not isinstance(found, CatalogTextModel):
            raise ModelNotFoundError
        return found

    def find_by_name(self, name: str) -> AnyModel | None:
        """Return the model of either kind with this id or other name (`names.py`), or None."""
        if (model := self.find_by_id(name)) is not None:
            return model
        model_id = self._named(name)
        return None if model_id is None else self.find_by_id(model_id)

    def id_of(self, name: str) -> str | None:
        """Return the id of the model with this id or other name, or None."""
        found = self.find_by_name(name)
        return None if found is None else found.id

    def use_of(self, name: str) -> str | None:
        """Return the sentences that name a model's kind and endpoint, or its successor if it has ended.

        Returns None if there is no such model.
        """
        if (found := self.find_by_name(name)) is not None:
            return found.use
        model_id = self._named(name)
        ended = None if model_id is None else self._source.read(model_id, self._day)
        if ended is None or ended.shuts_down is None or self._day < ended.shuts_down.day:
            return None
        return f"{ended.id} was shut down on {ended.shuts_down.day}. Use {ended.shuts_down.successor}."

    def find_by_id(self, model_id: str) -> AnyModel | None:
        """Return the model of either kind with exactly this id, or None."""
        if model_id not in self._models:
            # An unknown id is not remembered: there is no end of them.
            if (model := self._source.read(model_id, self._day)) is None:
                return None
            self._models[model_id] = self._live(model)
        return self._models[model_id]

    def media_models(self) -> list[Model]:
        """Return every media model, by id."""
        return [model for model in self.all_models() if isinstance(model, Model)]

    def text_models(self) -> list[CatalogTextModel]:
        """Return every text model, by family; no media model is read for it."""
        found = map(self.find_by_id, self._source.text_ids())
        return [model for model in found if isinstance(model, CatalogTextModel)]

    def all_models(self) -> list[AnyModel]:
        """Return every model, media first."""
        found = map(self.find_by_id, self._source.ids())
        return [model for model in found if model is not None]

    def _named(self, name: str) -> str | None:
        # The bound first: a name of a megabyte from a request is not folded and looked up.
        return self._source.names.get(name.casefold()) if len(name) <= names.MAX_CHARS else None

    def _live(self, model: AnyModel) -> AnyModel | None:
        """Return the model with its live routes; None if there are none."""
        if self._providers is None:
            return model
        if isinstance(model, CatalogTextModel):
            routes = [route for route in model.routes if self._is_live(route)]
            return replace(model, routes=routes) if routes else None
        # A pushed document may name a mapping of a newer version than this process. That route is omitted, so
        # no customer is charged for an input that no adapter can send.
        live = [route for route in model.routes if self._is_live(route) and self._is_mapped(route)]
        if not live:
            return None
        return with_routes(model, live) if self._takes_inputs else replace(model, routes=live)

    def _is_live(self, route: Route | CatalogTextRoute) -> bool:
        return route.enabled and route.provider in (self._providers or ())

    def _is_mapped(self, route: Route) -> bool:
        return self._mappings is None or route.mapping in self._mappings.get(route.provider, ())
