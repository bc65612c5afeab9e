"""What the table tests share: a case is a sentence of the contract, an input and where its problems are."""

from typing import Any

from tollgate.catalog.checking import check
from tollgate.catalog.loader import DATA, Catalog, Folder
from tollgate.catalog.models import Model
from tollgate.catalog.parsing import parse_model
from tollgate.catalog.profiles import profile_named
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

CATALOG = Catalog.shipped()
RAW = Folder(DATA).document()
URL = "https://media.example/cat.png"
VIDEO = "https://media.example/cat.mp4"

Case = tuple[str, dict[str, Any], list[str]]
"""A sentence of the contract, an input, and the fields (`field/0/part`) that must have a problem."""


def parsed(model_id: str, **changed: Any) -> Model:
    """Return the model with other data; what is `None` is left out."""
    raw = {name: value for name, value in {**RAW[model_id], **changed}.items() if value is not None}
    model = parse_model(raw, "a test")
    assert isinstance(model, Model)
    return model


def problems(profile: str, source: Any) -> list[Problem]:
    """Return the problems of `source` under the contract's `profile`; none for an accepted input."""
    try:
        check(profile_named(profile), source)
    except InvalidInputError as error:
        return error.problems
    return []


def problem_paths(profile: str, source: Any) -> list[str]:
    """Return the JSON pointers of the problems of `source`, in order."""
    return sorted(problem.path for problem in problems(profile, source))


def pointers(fields: list[str]) -> list[str]:
    """Return the JSON pointers of fields, in order; the empty name is the input itself."""
    return sorted(f"/input/{name}" if name else "/input" for name in fields)
