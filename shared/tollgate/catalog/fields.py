"""How the catalog's data is declared: plain values, with constraints beside their types.

No pydantic is imported here. Data from outside is checked (`parsing.py`), and pydantic then reads the
constraints. Data that the build has checked is read without pydantic.
"""

import re
from decimal import Decimal
from typing import Annotated, Any

DECIMAL_STRING = re.compile(r"\d{1,6}(\.\d{1,8})?")
# Fields whose key is a word of Python's.
KEYS = {"media_type": "type"}


def key_of(name: str) -> str:
    """Return the key that a field has in the data: its name in camelCase."""
    first, *rest = KEYS.get(name, name).split("_")
    return first + "".join(map(str.capitalize, rest))


class Data:
    """An object of `data/*.yaml`: camelCase keys, unknown keys refused. For frozen dataclasses."""

    __pydantic_config__ = {"extra": "forbid", "strict": True, "defer_build": True, "alias_generator": key_of}  # noqa: RUF012 - pydantic's name, which only pydantic reads


class Bounds:
    """What pydantic holds a value to: `Annotated[int, Bounds(gt=0)]`."""

    def __init__(self, **bounds: Any) -> None:
        self._bounds = bounds

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the schema of the type with these bounds; pydantic calls it."""
        return {**handler(source), **self._bounds}


class Amount:
    """A decimal string, which is above 0 unless `or_free`."""

    def __init__(self, *, or_free: bool = False) -> None:
        self._or_free = or_free

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return a schema that calls `read`; pydantic calls it."""
        return {"type": "function-plain", "function": {"type": "no-info", "function": self.read}}

    def read(self, value: object) -> Decimal:
        """Return the amount that the data has as a string. Raises `ValueError`."""
        if not isinstance(value, str) or not DECIMAL_STRING.fullmatch(value):
            raise ValueError('must be a decimal string in quotes, e.g. "0.05"')
        if not self._or_free and Decimal(value) <= 0:
            raise ValueError("must be above 0")
        return Decimal(value)


Usd = Annotated[Decimal, Amount()]
# 0 is for models that are marked `free`.
UsdOrFree = Annotated[Decimal, Amount(or_free=True)]
