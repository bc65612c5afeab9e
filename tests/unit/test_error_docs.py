"""`docs/errors.md` and the code name the same errors."""

import re
from pathlib import Path

import pytest

from tollgate.kit import errors
from tollgate.kit.errors import TollgateError
from tollgate.tasks.lifecycle import TaskErrorCode

DOCUMENT = Path(__file__).parents[2] / "docs" / "errors.md"


def section(title: str) -> list[str]:
    """Give the lines between a heading and the next one."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", DOCUMENT.read_text(), re.M | re.S)
    assert found, f"docs/errors.md has no section '{title}'"
    return found[1].splitlines()


def rows(title: str) -> dict[str, list[str]]:
    """Give the cells of each table row of a section, by the code in its first cell."""
    found: dict[str, list[str]] = {}
    for line in section(title):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        code = re.fullmatch(r"`([a-z_]+)`", cells[0])
        if code:
            assert code[1] not in found, f"{code[1]} stands twice in docs/errors.md"
            found[code[1]] = cells[1:]
    return found


ERRORS = {
    value.code: value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, TollgateError) and value is not TollgateError
}


class TestCodes:
    def test_every_code_is_documented_and_every_documented_code_exists(self) -> None:
        assert set(rows("Codes")) == set(ERRORS)

    @pytest.mark.parametrize("code", sorted(ERRORS))
    def test_status_and_type_are_those_of_the_code(self, code: str) -> None:
        status, kind, *_ = rows("Codes")[code]
        assert (status, kind) == (str(ERRORS[code].status), ERRORS[code].type)

    @pytest.mark.parametrize("code", sorted(ERRORS))
    def test_retry_after_is_documented_where_it_is_sent(self, code: str) -> None:
        documented = re.search(r"`Retry-After: (\d+)`", " ".join(rows("Codes")[code]))
        assert (int(documented[1]) if documented else None) == ERRORS[code].retry_after_s

    @pytest.mark.parametrize("code", sorted(ERRORS))
    def test_the_tree_at_the_top_of_the_module_has_it(self, code: str) -> None:
        error = ERRORS[code]
        assert re.search(rf"── {error.__name__} +{error.status} {code}\b", errors.__doc__ or "")


class TestTaskCodes:
    def test_every_code_of_a_task_is_documented_and_every_documented_one_exists(self) -> None:
        assert set(rows("Tasks without a result")) == {str(code) for code in TaskErrorCode}

    def test_only_a_deadline_ends_a_task_as_expired(self) -> None:
        statuses = {code: cells[0].strip("`") for code, cells in rows("Tasks without a result").items()}
        assert statuses.pop("deadline_passed") == "expired"
        assert set(statuses.values()) == {"failed"}
