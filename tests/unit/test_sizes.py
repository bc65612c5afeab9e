"""Functions and files stay short enough to be read at once."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("shared", "functions", "local", "clients")
FOLDERS = (*PRODUCT, "tests")
MAX_FUNCTION_LINES = 70
MAX_FILE_LINES = 400
"""All lines of a file of the product. For tests, only lines of code: not empty, no comment, no docstring."""
SPLIT = f"at most {MAX_FILE_LINES} lines: move a class, a table or some functions into a file of their own"
MAX_DECISION_WORDS = 600
DEFINITION = re.compile(r"(\s*)(?:async def|def|class)\b")
NO_CODE = (
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
)
GENERATED = {"clients/python/src/tollgate_client/inputs.py"}
"""Files that nobody writes or reads as a whole: from the catalog, by `make clients`."""


def lines_of_code(text: str) -> int:
    """Return the number of lines with code. A text in several lines is code, unless it is a docstring."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def test_lines_of_code_are_counted_without_comments_docstrings_and_empty_lines() -> None:
    module = '"""A module.\n\nMore.\n"""\n\n# why\nTEXT = """one\ntwo"""\n\n\n'
    assert lines_of_code(module + 'def f():  # x\n    """F."""\n    return 1\n') == 4


def test_a_decision_fits_on_one_page() -> None:
    pages = sorted((ROOT / "docs/decisions").glob("*.md"))
    too_many = [page.name for page in pages if len(page.read_text().split()) > MAX_DECISION_WORDS]
    assert too_many == [], f"more than {MAX_DECISION_WORDS} words: keep what holds now"


@pytest.mark.parametrize("folder", PRODUCT)
def test_no_file_of_the_product_is_too_long(folder: str) -> None:
    lines = {name: text.count("\n") for name, text in texts_of(folder) if name not in GENERATED}
    assert [name for name, count in lines.items() if count > MAX_FILE_LINES] == [], SPLIT


def test_no_file_of_tests_has_too_much_code() -> None:
    assert [name for name, text in texts_of("tests") if has_too_much_code(text)] == [], SPLIT


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_function_is_too_long(folder: str) -> None:
    found = [f"{name}: {function}" for name, text in texts_of(folder) for function in too_long(text)]
    assert found == [], f"at most {MAX_FUNCTION_LINES} lines: move a part into a function of its own"


@pytest.mark.parametrize("before", ["", "def before():\n    pass\n\n\n", "class A:\n    a = 1\n\n"])
@pytest.mark.parametrize(
    "after", ["", "\n\n    def after(self):\n        pass\n", "\n\nclass B:\n    pass\n"]
)
@pytest.mark.parametrize("line", ["        pass\n", "        async def inner():\n            pass\n"])
def test_a_long_function_is_found(before: str, after: str, line: str) -> None:
    body = line * (MAX_FUNCTION_LINES // line.count("\n"))
    method = f"{before}class Long:\n    async def f(self):\n{body}"
    assert too_long(method + after) == ["f"]
    assert too_long(method.removesuffix(line) + after) == []


def too_long(text: str) -> list[str]:
    """Return the functions of a module that are too long. Parsing takes long, so few modules are parsed."""
    if not any(last - first >= MAX_FUNCTION_LINES for first, last in spans(text)):
        return []
    return [
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno >= MAX_FUNCTION_LINES
    ]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines of each `def`, and of the next one that is not inside it: the function ends before."""
    opened: list[tuple[int, int]] = []
    for number, line in enumerate((*text.splitlines(), "def")):
        if begins := DEFINITION.match(line):
            while opened and opened[-1][0] >= len(begins[1]):
                yield opened.pop()[1], number
            opened.append((len(begins[1]), number))


def texts_of(folder: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file that is long enough for a long function."""
    for path in (ROOT / folder).rglob("*.py"):
        text = path.read_text()
        if "node_modules" not in path.parts and text.count("\n") > MAX_FUNCTION_LINES:
            yield path.relative_to(ROOT).as_posix(), text


def has_too_much_code(text: str) -> bool:
    """Return whether a file has too many lines of code. Counting takes long, so few files are counted."""
    return text.count("\n") > MAX_FILE_LINES and lines_of_code(text) > MAX_FILE_LINES
