"""How responses are declared: a `Shape` names the fields, mypy checks the code, OpenAPI shows it.

A class `TaskView` is the schema `Task` of the reference. Customers read its docstring and the strings below
its fields. No pydantic is imported here, because only `reference/answers.py` needs it.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any

# pydantic reads no other one before 3.12.
if sys.version_info >= (3, 12):
    from typing import TypedDict
else:
    from typing_extensions import TypedDict

__all__ = ["Cents", "Date", "DecimalText", "Keywords", "Shape", "Timestamp", "TypedDict"]

Json = dict[str, Any]


class Shape(TypedDict):
    """An object of a response. A field that is `NotRequired` is omitted if it has no value."""


# Not in the class body, because there it would be a field.
Shape.__pydantic_config__ = {"use_attribute_docstrings": True}  # type: ignore[attr-defined]


class Keywords:
    """Keywords of JSON Schema that stand beside a type: `Annotated[int, Keywords(minimum=0)]`."""

    def __init__(self, **keywords: Any) -> None:
        self._keywords: Mapping[str, Any] = keywords

    def __get_pydantic_json_schema__(self, core: Any, of_type: Callable[[Any], Json]) -> Json:
        """Return the schema of the type with these keywords; pydantic calls it."""
        return {**of_type(core), **self._keywords}


Timestamp = Annotated[str, Keywords(format="date-time", description="ISO 8601 in UTC.")]
Date = Annotated[str, Keywords(format="date")]
Cents = Annotated[int, Keywords(format="int32", description="Whole US cents.")]
DecimalText = Annotated[
    str,
    Keywords(pattern=r"^-?[0-9]+(\.[0-9]+)?$", description="A decimal number in US dollars, cents or units."),
]
