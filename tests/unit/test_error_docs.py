"""`site/errors.md` and the code name the same errors."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tollgate.kit.errors import TYPES, TollgateError
from tollgate.reference.errors import MODULES, errors_of
from tollgate.tasks.models import TaskErrorCode
from tollgate.text.wire import errors as text_errors
from tollgate.text.wire.errors import messages_type

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "shared/tollgate/reference/site/errors.md"
GATEWAY_CODE = re.compile(r'"code": ?"([a-z_]+)"')


def section(title: str) -> list[str]:
    """Return the lines between a heading and the next one."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", DOCUMENT.read_text(), re.M | re.S)
    assert found, f"site/errors.md has no section '{title}'"
    return found[1].splitlines()


def rows(title: str) -> dict[str, list[str]]:
    """Return the cells of each table row of a section, by the code in its first cell."""
    found: dict[str, list[str]] = {}
    for line in section(title):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not re.fullmatch(r"`[a-z_]+`(, `[a-z_]+`)*", cells[0]):
            continue
        for code in re.findall("[a-z_]+", cells[0]):
            assert code not in found, f"{code} stands twice in site/errors.md"
            found[code] = cells[1:]
    return found


def codes_in(source: str) -> Iterator[str]:
    """Yield the codes of the errors that a module can send: in classes, in faults, in bodies."""
    # To parse everything takes long.
    may_have_one = re.search(r"""code=|Fault\(|['"]code['"]""", source)
    for node in ast.walk(ast.parse(source)) if may_have_one else ():
        match node:
            case ast.ClassDef(keywords=[ast.keyword("status"), ast.keyword("code", ast.Constant(str(code)))]):
                yield code
            case ast.Call(
                func=ast.Name(id="Fault"), args=[ast.Constant(), _, _, ast.Constant(value=str(code))]
            ):
                yield code
            case ast.Dict(keys=keys, values=items):
                written = {
                    key.value: item.value
                    for key, item in zip(keys, items, strict=True)
                    if isinstance(key, ast.Constant) and isinstance(item, ast.Constant)
                }
                if "message" in written and isinstance(written.get("code"), str):
                    yield str(written["code"])


OTHER_FORMS: set[type[TollgateError]] = {
    text_errors.ThreadUnsupportedError,
    text_errors.UnknownTextModelError,
}
"""Errors of text with the code of another error, and status 400."""
OTHER_ERRORS = {
    error.code: error for module in MODULES if module is not text_errors for error in errors_of(module)
}
TEXT_ERRORS = {error.code: error for error in errors_of(text_errors) if error not in OTHER_FORMS}
ERRORS = OTHER_ERRORS | TEXT_ERRORS


class TestCodes:
    def test_no_two_errors_share_a_code(self) -> None:
        assert len(ERRORS) == sum(len(list(errors_of(module))) for module in MODULES) - len(OTHER_FORMS)

    def test_other_forms_have_the_code_of_another_error(self) -> None:
        assert {(error.status, error.code in OTHER_ERRORS) for error in OTHER_FORMS} == {(400, True)}

    def test_the_types_are_those_of_the_statuses(self) -> None:
        named = dict(re.findall(r"(\d{3}) `(\w+)`", " ".join(section("Codes"))))
        statuses = {error.status for error in ERRORS.values()}
        assert named == {str(status): TYPES[status] for status in statuses}

    def test_every_code_is_documented_and_every_documented_code_exists(self) -> None:
        assert set(rows("Codes")) == set(ERRORS)

    @pytest.mark.parametrize("code", sorted(ERRORS))
    def test_status_is_that_of_the_code(self, code: str) -> None:
        assert rows("Codes")[code][0] == str(ERRORS[code].status)

    @pytest.mark.parametrize("code", sorted(ERRORS))
    def test_retry_after_is_documented_where_it_is_sent(self, code: str) -> None:
        documented = re.search(r"`Retry-After: (\d+)`", " ".join(rows("Codes")[code]))
        assert (int(documented[1]) if documented else None) == ERRORS[code].retry_after_s


class TestEveryCodeThatCanBeSent:
    def test_the_search_finds_each_way_to_write_an_error(self) -> None:
        source = (
            'class A(B, status=499, code="of_a_class"):\n    pass\n'
            'C = Fault(503, "No.", "Type", "of_a_fault")\n'
            'D = {"error": {"message": "No.", "code": "of_a_body"}}\n'
            'E = {"code": "of_no_error"}\n'
        )
        assert set(codes_in(source)) == {"of_a_class", "of_a_fault", "of_a_body"}

    def test_each_is_documented(self) -> None:
        files = [*(ROOT / "shared").rglob("*.py"), *(ROOT / "functions").rglob("*.py")]
        found = {code: file for file in files for code in codes_in(file.read_text())}
        assert set(ERRORS) <= found.keys()
        documented = set(rows("Codes"))
        assert {code: file for code, file in found.items() if code not in documented} == {}

    def test_the_codes_of_the_gateway_are_documented(self) -> None:
        answers = GATEWAY_CODE.findall((ROOT / "template.yaml").read_text())
        documented = {
            cells[1].strip("`")
            for line in section("The gateway's own answers")
            if len(cells := [cell.strip() for cell in line.strip().strip("|").split("|")]) > 1
        }
        assert answers
        assert set(answers) <= documented


class TestTextCodes:
    def test_the_type_on_messages_is_that_of_the_status(self) -> None:
        documented = {code: cells[0].strip("`") for code, cells in rows("Text routes").items()}
        sent = ERRORS | {error.code: error for error in OTHER_FORMS}
        assert documented == {code: messages_type(sent[code].status) for code in documented}

    def test_the_text_errors_are_among_them(self) -> None:
        assert set(TEXT_ERRORS) < set(rows("Text routes"))


class TestTaskCodes:
    def test_every_code_of_a_task_is_documented_and_every_documented_one_exists(self) -> None:
        assert set(rows("Tasks without a result")) == {str(code) for code in TaskErrorCode}

    def test_only_a_deadline_ends_a_task_as_expired(self) -> None:
        statuses = {code: cells[0].strip("`") for code, cells in rows("Tasks without a result").items()}
        assert statuses.pop("deadline_passed") == "expired"
        assert set(statuses.values()) == {"failed"}
