"""One page of a customer's rows, the newest first, from an index that has only their ids. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Row = TypeVar("Row")

# Batches that one page reads: a rare match makes short pages, never long waits.
MAX_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows, and the start of the next page; `None` if there is none."""

    rows: list[Row]
    cursor: str | None


def read_page(
    before: str,
    limit: int,
    ids_before: Callable[[str, int], Sequence[str]],
    rows_of: Callable[[Sequence[str]], Mapping[str, Row]],
    fits: Callable[[Row], bool],
) -> Page[Row]:
    """Return at most `limit` rows that fit, of ids that sort before `before`.

    `ids_before` gives so many ids before one, the greatest first; `rows_of` the rows by id. An index may
    be older than its table, so a row that is gone is passed over.
    """
    found: list[Row] = []
    for _ in range(MAX_ROUNDS):
        ids = ids_before(before, limit)
        rows = rows_of(ids)
        for row_id in ids:
            before = row_id
            if row_id in rows and fits(rows[row_id]):
                found.append(rows[row_id])
            if len(found) == limit:
                return Page(found, before)
        if len(ids) < limit:
            return Page(found, None)
    return Page(found, before)
