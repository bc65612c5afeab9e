"""DynamoDB's request units, by its documented rules, from the rows before and after a write. Pure.

The pages CapacityUnitCalculations, on-demand-capacity-mode and GSI of its developer guide say how large a row
is and what it costs. A transaction doubles what the table takes; that it does not double what an index takes
is INFERRED (indexes follow afterwards).
"""

from collections.abc import Mapping, Sequence
from typing import Any

WRITE_UNIT_BYTES = 1024
READ_UNIT_BYTES = 4096
TRANSACTION_FACTOR = 2
NESTED_BYTES, ELEMENT_BYTES = 3, 1
"""Of a list or a map, and of each of its elements."""

Row = Mapping[str, Any]
"""A row with typed attributes: `{"name": {"S": "…"}}`."""


def size_of(row: Row) -> int:
    """Return the bytes of a row: names and values."""
    return sum(map(_text, row)) + sum(map(_value, row.values()))


def write_units(table: Row, before: Row | None, after: Row | None, *, in_transaction: bool) -> int:
    """Return the write units of one put, update or delete, with those of the table's indexes."""
    units = _units(max(size_of(before or {}), size_of(after or {})), WRITE_UNIT_BYTES)
    units *= TRANSACTION_FACTOR if in_transaction else 1
    for index in table.get("GlobalSecondaryIndexes", []):
        units += _index_units(_entry(table, index, before), _entry(table, index, after), index)
    return units


def read_units(rows: Sequence[Row], *, is_consistent: bool, together: bool) -> float:
    """Return the read units of rows that were read; `together` by one query, each for itself else."""
    sizes = [size_of(row) for row in rows] or [0]
    units = (
        _units(sum(sizes), READ_UNIT_BYTES) if together else sum(_units(s, READ_UNIT_BYTES) for s in sizes)
    )
    return float(units) if is_consistent else units / 2


def key_names(index: Row) -> list[str]:
    """Return the names of the key's attributes, of a table or an index."""
    return [part["AttributeName"] for part in index["KeySchema"]]


def _entry(table: Row, index: Row, row: Row | None) -> Row | None:
    """Return what an index has of a row; `None` where the row is not in it."""
    keys = key_names(index)
    if row is None or not all(name in row for name in keys):
        return None
    projection = index["Projection"]
    if projection["ProjectionType"] == "ALL":
        return row
    wanted = {*keys, *key_names(table), *projection.get("NonKeyAttributes", [])}
    return {name: value for name, value in row.items() if name in wanted}


def _index_units(before: Row | None, after: Row | None, index: Row) -> int:
    if before == after:
        return 0
    if before and after and all(before[name] == after[name] for name in key_names(index)):
        return _units(max(size_of(before), size_of(after)), WRITE_UNIT_BYTES)
    # Another key is another entry: one goes, one comes.
    return sum(_units(size_of(entry), WRITE_UNIT_BYTES) for entry in (before, after) if entry)


def _units(size_bytes: int, unit_bytes: int) -> int:
    return max(1, -(-size_bytes // unit_bytes))


def _value(value: Any) -> int:
    """Return the bytes of a typed value; our rows have no bytes and no sets."""
    ((kind, inside),) = value.items()
    if kind == "N":
        # About a byte for two digits, and one more; zeros at either end do not count.
        return len(inside.lstrip("-").replace(".", "").strip("0")) // 2 + 2
    if kind == "S":
        return _text(inside)
    if kind == "M":
        return NESTED_BYTES + ELEMENT_BYTES * len(inside) + size_of(inside)
    if kind == "L":
        return NESTED_BYTES + ELEMENT_BYTES * len(inside) + sum(map(_value, inside))
    if kind in ("BOOL", "NULL"):
        return 1
    raise ValueError(f"how large is {value}?")


def _text(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
