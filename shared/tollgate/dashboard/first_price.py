"""The price of a form before all of it is filled in, by the fields that a price depends on. Pure."""

from collections.abc import Mapping
from typing import Any

from tollgate.catalog.errors import UnknownPriceError
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import Quote, quote
from tollgate.catalog.rules import CheckedInput
from tollgate.kit.errors import Problem

# How the message of what is missing begins (catalog/rules.py, catalog/checking.py).
MISSING = ("Required", "Needs ", "For ")


def is_missing(problem: Problem) -> bool:
    """Return whether a problem says that something is not there yet, rather than that it is wrong."""
    return problem.message.startswith(MISSING)


def field_of(problem: Problem) -> str:
    """Return the name of the field that a problem is about: `urls` of `/input/urls/0`; empty for none."""
    parts = problem.path.split("/")
    return parts[2] if problem.path.startswith("/input/") else ""


def first_price(model: Model, values: Mapping[str, Any]) -> Quote | None:
    """Return what an input costs once the rest of it is there; `values` are right as far as they go.

    `None` where a file decides by its length.
    """
    fields = model.input_class.published()
    defaults = {name: info.default for name, info in fields.items() if not info.is_required()}
    known = {name: value for name, value in (defaults | dict(values)).items() if value is not None}
    try:
        return quote(model, CheckedInput(known, frozenset(values)))
    except UnknownPriceError:
        return None
