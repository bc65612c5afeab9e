"""Pages of rows: whatever the filter and the size, all of them together are the whole list, once."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.dynamodb.pages import MAX_ROUNDS, Page, read_page

LAST = "~"


class Index:
    """Ids in an index, and the rows of a table; counts what is read."""

    def __init__(self, ids: Sequence[str], gone: frozenset[str] = frozenset()) -> None:
        self._ids = sorted(ids, reverse=True)
        self._gone = gone
        self.rounds = 0

    def ids_before(self, before: str, limit: int) -> list[str]:
        self.rounds += 1
        return [one for one in self._ids if one < before][:limit]

    def rows_of(self, ids: Sequence[str]) -> dict[str, str]:
        return {one: one.upper() for one in ids if one not in self._gone}

    def page(self, before: str, limit: int, wanted: frozenset[str]) -> Page[str]:
        return read_page(before, limit, self.ids_before, self.rows_of, lambda row: row.lower() in wanted)


IDS = st.sets(st.text("abc", min_size=1, max_size=4), max_size=60)


class TestReadPage:
    @given(IDS, st.data(), st.integers(1, 8))
    def test_all_pages_together_are_every_row_that_fits_newest_first(
        self, ids: set[str], data: st.DataObject, limit: int
    ) -> None:
        wanted = frozenset(data.draw(st.sets(st.sampled_from(sorted(ids))) if ids else st.just(set())))
        gone = frozenset(data.draw(st.sets(st.sampled_from(sorted(ids))) if ids else st.just(set())))
        index, found, cursor = Index(sorted(ids), gone), [], LAST
        for _ in range(len(ids) + 2):
            page = index.page(cursor, limit, wanted)
            assert len(page.rows) <= limit
            found += page.rows
            if page.cursor is None:
                break
            cursor = page.cursor
        else:
            pytest.fail("the pages did not end")
        assert found == [one.upper() for one in sorted(wanted - gone, reverse=True)]

    def test_a_match_that_never_comes_ends_the_page_and_says_where_to_go_on(self) -> None:
        ids = [f"{n:04}" for n in range(1_000)]
        index = Index(ids)
        page = index.page(LAST, 5, frozenset())
        assert page == Page([], "0950")
        assert index.rounds == MAX_ROUNDS == 10
