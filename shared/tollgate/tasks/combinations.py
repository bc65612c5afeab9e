"""Finds the fields to change if no single provider takes all values of an input together. Pure."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from tollgate.catalog.kinds import Choice, Flag, Kind, Many, Text
from tollgate.catalog.models import Model
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.providers.runtime.routing import routes_for

# The fields of the largest profile have about 100 other values.
MAX_CHECKS = 200
# A text that is too long for a provider is checked at these lengths.
SHORTER_TEXTS = (10_000, 5_000, 2_000, 1_000, 500, 200)

_MESSAGE = "No provider takes this together with the other values"
_LEFT_OUT = object()


def combination_problems(model: Model, values: Mapping[str, Any]) -> list[Problem]:
    """Return a problem for each field whose change is enough for some provider.

    If there is none, the problem names the input as a whole.
    """
    possible: dict[str, list[Any]] = {}
    for name, other in islice(_others(model, values), MAX_CHECKS):
        if _is_possible(model, {**values, name: other}):
            possible.setdefault(name, []).append(other)
    kinds = model.input_class.kinds()
    problems = [_problem(kinds.get(name), name, others) for name, others in possible.items()]
    return problems or [Problem("/input", "No provider takes this combination of values now.")]


def _others(model: Model, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    kinds = model.input_class.kinds()
    for name, value in values.items():
        for other in _others_of(kinds.get(name), value):
            yield name, other
        yield name, _LEFT_OUT


def _others_of(kind: Kind | None, value: Any) -> Iterator[Any]:
    match kind:
        case Choice(values=choices):
            yield from (each for each in choices if each != value)
        case Flag():
            yield not value
        case Many():
            yield from (value[:count] for count in range(len(value) - 1, 0, -1))
        case Text():
            yield from (value[:count] for count in SHORTER_TEXTS if count < len(value))


def _is_possible(model: Model, values: Mapping[str, Any]) -> bool:
    given = {name: value for name, value in values.items() if value is not _LEFT_OUT}
    try:
        return bool(routes_for(model, model.check(given).values))
    except InvalidInputError:
        return False


def _problem(kind: Kind | None, name: str, others: list[Any]) -> Problem:
    named = [each for each in others if each is not _LEFT_OUT]
    items = "characters" if isinstance(kind, Text) else "items"
    if named and isinstance(kind, Text | Many):
        most = max(map(len, named))
        return Problem(f"/input/{name}", f"{_MESSAGE}. Possible: at most {most}.", f"at most {most} {items}")
    if named:
        listed = ", ".join(map(str, named))
        return Problem(f"/input/{name}", f"{_MESSAGE}. Possible: {listed}.", named)
    return Problem(f"/input/{name}", f"{_MESSAGE}. Leave it out.", "no value")
