"""Reads `data/*.yaml`: one file per model, named by its id, read when that model is first asked for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from tollgate.catalog.errors import CatalogError
from tollgate.catalog.models import Model
from tollgate.kit.errors import ModelNotFoundError

DATA = Path(__file__).parent / "data"
# libyaml's parser is ten times as fast; without it, the Python one reads the same.
SAFE_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_model(file: Path) -> Model:
    """Give the model in `file`; raises `CatalogError` naming file and field."""
    try:
        data = yaml.load(file.read_text(encoding="utf-8"), Loader=SAFE_LOADER)  # noqa: S506  (both are safe)
        model = Model.model_validate(data)
    except yaml.YAMLError as error:
        raise CatalogError(f"{file.name}: not YAML: {error}") from error
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise CatalogError(f"{file.name}: {'; '.join(faults)}") from error
    if model.id != file.stem:
        raise CatalogError(f"{file.name}: id: is {model.id!r}, must be the file's name")
    return model


class Catalog:
    """The models of a folder. Keep one for the life of the process: it remembers what it read."""

    def __init__(self, files: Mapping[str, Path], providers: frozenset[str] | None = None) -> None:
        self._files = files
        self._providers = providers
        self._models: dict[str, Model] = {}

    @classmethod
    def shipped(cls, folder: Path = DATA) -> "Catalog":
        """Give the catalog in `folder`, by default the one that ships in the package."""
        return cls({file.stem: file for file in sorted(folder.glob("*.yaml"))})

    def with_live(self, providers: frozenset[str]) -> "Catalog":
        """Give the catalog whose models have only routes that are on and whose provider is in `providers`.

        A model without such a route is not listed and not found.
        """
        return Catalog(self._files, providers)

    def get(self, model_id: str) -> Model:
        """Give the model; raises `ModelNotFoundError`."""
        if model_id not in self._files:
            raise ModelNotFoundError
        if model_id not in self._models:
            self._models[model_id] = self._with_live_routes(read_model(self._files[model_id]))
        model = self._models[model_id]
        if not model.routes:
            raise ModelNotFoundError
        return model

    def models(self) -> list[Model]:
        """Give every model, by id."""
        found = []
        for model_id in self._files:
            try:
                found.append(self.get(model_id))
            except ModelNotFoundError:  # no live route
                continue
        return found

    def _with_live_routes(self, model: Model) -> Model:
        if self._providers is None:
            return model
        live = [route for route in model.routes if route.enabled and route.provider in self._providers]
        return model.model_copy(update={"routes": live})
