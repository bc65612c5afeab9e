"""The query of a list of tasks: what each parameter means, and what is refused by name."""

from dataclasses import replace
from typing import Any

import pytest
from ulid import ULID

from tests.unit.tasks.test_lifecycle import new_task
from tollgate.kit.errors import InvalidInputError
from tollgate.tasks.models import TaskStatus
from tollgate.tasks.query import DEFAULT_PAGE, read_query

AT_MS = 1_763_629_200_000
"""2025-11-20T09:00:00Z."""


def id_at(epoch_ms: int) -> str:
    return f"task_{ULID.from_timestamp(epoch_ms / 1000)}"


def paths(query: dict[str, str]) -> list[str]:
    with pytest.raises(InvalidInputError) as caught:
        read_query(query)
    return [problem.path for problem in caught.value.problems]


class TestTime:
    @pytest.mark.parametrize(
        "text", ["2025-11-20T09:00:00Z", "2025-11-20T09:00:00", "2025-11-20T10:00:00+01:00"]
    )
    def test_from_takes_in_its_own_moment(self, text: str) -> None:
        wanted = read_query({"from": text})
        assert wanted.after <= id_at(AT_MS)
        assert wanted.after > id_at(AT_MS - 1)

    def test_to_leaves_its_own_moment_out(self) -> None:
        wanted = read_query({"to": "2025-11-20T09:00:00Z"})
        assert id_at(AT_MS - 1) < wanted.before <= id_at(AT_MS)

    def test_a_date_is_its_first_moment_in_utc(self) -> None:
        assert read_query({"from": "2025-11-20"}) == read_query({"from": "2025-11-20T00:00:00Z"})

    def test_without_either_it_is_all_time(self) -> None:
        wanted = read_query({})
        assert wanted.after <= id_at(0) < id_at(AT_MS) < wanted.before
        assert wanted.limit == DEFAULT_PAGE


class TestCursor:
    def test_a_page_goes_on_where_the_last_one_ended(self) -> None:
        cursor = id_at(AT_MS)
        assert read_query({"cursor": cursor}).before == cursor

    def test_it_cannot_reach_past_to(self) -> None:
        wanted = read_query({"cursor": id_at(AT_MS + 5_000), "to": "2025-11-20T09:00:00Z"})
        assert wanted.before <= id_at(AT_MS)


class TestRefused:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("limit", "0"),
            ("limit", "101"),
            ("limit", "ten"),
            ("status", "done"),
            ("from", "yesterday"),
            ("to", "1900-01-01"),
            ("cursor", "task_"),
            ("cursor", "usr_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
            ("colour", "red"),
        ],
    )
    def test_it_is_named(self, name: str, value: str) -> None:
        assert paths({name: value}) == [f"/{name}"]

    @pytest.mark.parametrize(
        ("query", "path"),
        [
            ({"from": "2025-11-20", "to": "2025-11-20"}, "/from"),
            ({"from": "2025-11-20", "cursor": "task_00000000000000000000000001"}, "/cursor"),
        ],
    )
    def test_what_ends_before_it_begins_is_named(self, query: dict[str, str], path: str) -> None:
        assert paths(query) == [path]

    def test_all_at_once(self) -> None:
        assert set(paths({"limit": "x", "status": "y", "z": "1"})) == {"/limit", "/status", "/z"}


class TestFits:
    TASK = replace(new_task(), metadata={"order": "7", "count": 7, "paid": True})

    @pytest.mark.parametrize(
        "query",
        [
            {},
            {"status": "not_started"},
            {"model": "test-image"},
            {"metadata.order": "7"},
            {"metadata.count": "7", "metadata.paid": "true"},
        ],
    )
    def test_it_does(self, query: dict[str, str]) -> None:
        assert read_query(query).matches(self.TASK)

    @pytest.mark.parametrize(
        "query", [{"status": "failed"}, {"model": "kling-3.0"}, {"metadata.order": "8"}, {"metadata.x": "7"}]
    )
    def test_it_does_not(self, query: dict[str, str]) -> None:
        assert not read_query(query).matches(self.TASK)

    def test_a_task_without_metadata_fits_no_metadata(self) -> None:
        query: dict[str, Any] = {"metadata.order": "7", "status": str(TaskStatus.NOT_STARTED)}
        assert not read_query(query).matches(new_task())
