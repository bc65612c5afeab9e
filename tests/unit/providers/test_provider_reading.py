"""What is found in an answer of any shape, and what of it is kept."""

from typing import Any

import pytest
from hypothesis import given

from tests.unit.providers.support import ANSWERS
from tollgate.providers.mapping.outputs import MAX_OUTPUT_BYTES, storable
from tollgate.providers.mapping.reading import objects, texts


@pytest.mark.parametrize(
    ("value", "found"),
    [("a", ["a"]), (["a", "b"], ["a", "b"]), (["", 5, None, "a"], ["a"]), ("", []), (None, []), ({}, [])],
)
def test_texts(value: Any, found: list[str]) -> None:
    assert texts(value) == found


@pytest.mark.parametrize(("value", "found"), [([{"a": 1}, 5], [{"a": 1}]), ({"a": 1}, []), (None, [])])
def test_objects(value: Any, found: list[Any]) -> None:
    assert objects(value) == found


@given(value=ANSWERS)
def test_nothing_is_found_that_was_not_there(value: Any) -> None:
    assert all(isinstance(one, str) and one for one in texts(value))
    assert all(isinstance(one, dict) for one in objects(value))


def test_an_output_is_kept_up_to_its_bound() -> None:
    longest = {"lyrics": "x" * (MAX_OUTPUT_BYTES - len('{"lyrics": ""}'))}
    assert storable(longest) == longest
    assert storable({"lyrics": longest["lyrics"] + "x"}) is None


def test_an_output_that_says_nothing_or_cannot_be_said_is_none() -> None:
    assert storable({}) is None
    assert storable({"bpm": float("nan")}) is None
