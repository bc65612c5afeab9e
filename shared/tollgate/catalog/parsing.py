"""The catalog's data, checked. Only this module reads it with pydantic; checked data needs none."""

import json
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tollgate.catalog.errors import CatalogError
from tollgate.catalog.models import Model
from tollgate.catalog.text_models import CatalogTextModel


@cache
def _reader(kind: type[Model] | type[CatalogTextModel]) -> TypeAdapter[Model | CatalogTextModel]:
    return TypeAdapter(kind)


def parse_model(raw: Any, where: str) -> Model | CatalogTextModel:
    """Return the model in `raw`; raises `CatalogError` naming its place, `where`, and the field."""
    is_text = isinstance(raw, dict) and raw.get("kind") == CatalogTextModel.kind
    try:
        # As JSON, because in strict mode pydantic builds no dataclass from a dict.
        return _reader(CatalogTextModel if is_text else Model).validate_json(json.dumps(raw))
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise CatalogError(f"{where}: {'; '.join(faults)}") from error
    except TypeError as error:
        raise CatalogError(f"{where}: {error}") from error
