"""Every way in which the query of a statement can be wrong, and the cursor that it hands out."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.query import MAX_ID_BYTES, LabelFilter, Position, StatementQuery, read_query

A_TASK, A_REQUEST = "task_01JD5R6Q00EXAMP1ETASK00001", "req_01JD5R6Q00EXAMP1EREQ000001"


class TestProblems:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"kind": "bonus"}, ["/kind"]),
            ({"taskId": A_REQUEST}, ["/taskId"]),
            ({"requestId": "req_1"}, ["/requestId"]),
            ({"taskId": A_TASK, "requestId": A_REQUEST}, ["/requestId"]),
            ({"limit": "0"}, ["/limit"]),
            ({"limit": "101"}, ["/limit"]),
            ({"limit": "+5"}, ["/limit"]),
            ({"from": "yesterday", "to": ""}, ["/from", "/to"]),
            ({"to": "1969-12-31"}, ["/to"]),
            ({"from": "2023-11-02", "to": "2023-11-01"}, ["/from"]),
            ({"from": "2023-11-01", "to": "2023-11-01"}, ["/from"]),
            ({"page": "2"}, ["/page"]),
            ({"tag": "user=alice"}, ["/tag"]),
            ({"tag": "=search"}, ["/tag"]),
        ],
    )
    def test_each_is_named(self, query: dict[str, str], expected: list[str]) -> None:
        assert problems(query) == expected

    @pytest.mark.parametrize(
        "cursor",
        [
            "",
            "nonsense",
            "é",
            "MTcwMDAwMDAwMDAwMCM",  # 1700000000000# and no id
            "LTEjYQ",  # -1#a
            "MSNh=",  # 1#a, with what a cursor does not have
            "MSNh!",
            Position(1, "x" * (MAX_ID_BYTES + 1)).cursor(),
            Position(2**60, "a").cursor(),
        ],
    )
    def test_a_cursor_that_is_not_ours(self, cursor: str) -> None:
        assert problems({"cursor": cursor}) == ["/cursor"]

    def test_a_cursor_of_another_time(self) -> None:
        assert problems({"cursor": "MSNh", "from": "2023-11-01"}) == ["/cursor"]  # 1#a, in 1970


class TestLabels:
    ENTRY = Entry(
        "usr_1",
        "task_1#charge",
        EntryKind.CHARGE,
        -5,
        1,
        key_id="key_1",
        user="alice",
        tags={"team": "search"},
        token="rt_1",
        project="prj_1",
    )

    @pytest.mark.parametrize(
        "right",
        [
            {},
            {"key": "key_1"},
            {"user": "alice"},
            {"token": "rt_1"},
            {"project": "prj_1"},
            {"tag": ("team", "search")},
            {"tag": ("team", None)},
        ],
    )
    def test_each_has_to_match(self, right: dict[str, Any]) -> None:
        assert LabelFilter(**right).matches(self.ENTRY)
        for wrong in ({"key": "dashboard"}, {"user": "bob"}, {"token": "rt_2"}, {"project": "prj_2"}):
            assert not LabelFilter(**{**right, **wrong}).matches(self.ENTRY)
        for tag in (("team", "x"), ("feature", None)):
            assert not LabelFilter(**{**right, "tag": tag}).matches(self.ENTRY)

    def test_are_read_by_their_names(self) -> None:
        query = {"key": "key_1", "user": "alice", "tag": "team=search", "token": "rt_1", "project": "prj_1"}
        labels = read_query(query, 20, 100).labels
        assert labels == LabelFilter("key_1", "alice", ("team", "search"), "rt_1", "prj_1")
        assert read_query({"tag": "team"}, 20, 100).labels == LabelFilter(tag=("team", None))

    def test_of_the_dashboard_is_what_no_key_paid(self) -> None:
        assert LabelFilter(key="dashboard").matches(replace(self.ENTRY, key_id=None))
        assert not LabelFilter(user="alice").matches(replace(self.ENTRY, user=None))

    def test_only_a_kind_or_a_label_leaves_out_entries_of_a_period(self) -> None:
        everything = StatementQuery(20, 10, 12)
        assert not everything.is_selective
        assert replace(everything, kind=EntryKind.TEXT).is_selective
        assert replace(everything, labels=LabelFilter(user="alice")).is_selective


class TestCursor:
    @given(
        st.integers(0, 2**48 - 1), st.text(min_size=1, max_size=100).filter(lambda text: text.isprintable())
    )
    def test_it_leads_to_where_it_is_from(self, created_at_ms: int, entry_id: str) -> None:
        position = Position(created_at_ms, entry_id)
        assert position.cursor().replace("-", "").replace("_", "").isalnum()
        assert read_query({"cursor": position.cursor()}, 20, 100).after == position


class TestTimes:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("2026-11-21", 1_795_219_200_000),
            ("2026-11-21T00:00:00.123Z", 1_795_219_200_123),
            ("2026-11-21T01:00:00.123+01:00", 1_795_219_200_123),
        ],
    )
    def test_are_read_to_the_millisecond(self, text: str, expected: int) -> None:
        assert read_query({"from": text}, 20, 100).first_ms == expected


class TestMatches:
    def test_the_end_is_not_part_of_a_period(self) -> None:
        wanted = StatementQuery(20, 10, 12, kind=EntryKind.TEXT)
        for at_ms, kind, expected in (
            (9, EntryKind.TEXT, False),
            (10, EntryKind.TEXT, True),
            (11, EntryKind.VOID, False),
            (11, EntryKind.TEXT, True),
            (12, EntryKind.TEXT, False),
        ):
            assert wanted.matches(Entry("usr_1", "e", kind, 0, at_ms)) is expected, (at_ms, kind)
        assert StatementQuery(20, 10, 12).matches(Entry("usr_1", "e", EntryKind.VOID, 0, 10))


def problems(query: dict[str, str]) -> list[str]:
    with pytest.raises(InvalidInputError) as caught:
        read_query(query, 20, 100)
    return [problem.path for problem in caught.value.problems]
