"""A test that found several faults names each of them, so that one run is enough to mend them all."""

from tests.conftest import pytest_assertrepr_compare


def test_each_fault_of_a_list_is_shown() -> None:
    shown = pytest_assertrepr_compare("==", ["zh is missing", "singleRoute: must say why"], [])
    assert shown == ["nothing, but found 2:", "zh is missing", "singleRoute: must say why"]


def test_other_comparisons_are_shown_as_pytest_does() -> None:
    assert pytest_assertrepr_compare("==", ["a"], ["b"]) is None
    assert pytest_assertrepr_compare("!=", ["a"], []) is None
    assert pytest_assertrepr_compare("==", {"a"}, []) is None
