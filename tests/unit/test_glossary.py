"""The field's words: what docs/glossary.md refuses is in no name, no docstring, no comment and no page."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = ("shared", "functions", "local")
WORDS = re.compile(
    r"\b(pictures?|clips?|films?|ticking|put off|owed|pretend media|(your|new|media|customer's) orders?"
    r"|own row|catalog of now)\b",
    re.IGNORECASE,
)
NAMES = re.compile(
    r"picture|(?<![a-z])(clips?|films?|tick|ticking|owed|heard|put_off|giving_back|take_place|tries)(?![a-z])"
    r"|(?<![a-z])(anew|worth|because|hear|absurd|is_of_before)(?![a-z])|[A-Z_]AGAIN_M?S|LOOK_AGAIN"
    r"|^(Stepped|Swept|Watched|Swapped|Audited|Helped|JoinedPart|ToCheck|Unsteady)"
    r"|PretendMedia|TaskEnder|HealthBoard|TickMoved|NoPlace|[A-Z]_TRIES|TextOrder|TryOutcome|(Count|total)Tries"
)
TEXTS = re.compile(rf"{WORDS.pattern}|\b(tries|tryCount|nextTryAt)\b", re.IGNORECASE)
"""What a page, a template or a published schema must not say either."""
OPENING = re.compile(r"(Give|Tell)s? |Say whether |[^\n]*; (give|tell) ")
"""The first line of a docstring that does not say what is returned as all others do."""
HINT = re.compile(rf"{WORDS.pattern}|Gives? |Tells? |Say whether |; (give|tell) ", re.IGNORECASE)
"""A module whose prose is refused has this somewhere. Few modules do, and to find the prose takes long."""
QUOTED = re.compile(r"`[^`]*`|\"[^\"\n]*\"|https?://\S+|\([^)\s]*/[^)\s]*\)")
PAGES = sorted(
    path for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")) if path.name != "glossary.md"
)
SHOWN = sorted(
    path
    for pattern in (
        "functions/dashboard/templates/*.html",
        "functions/dashboard/static/[at]*.js",
        "functions/dashboard/static/chat/*.js",
        "functions/dashboard/static/playground/*.js",
        "shared/tollgate/reference/*.[hyt]*",
    )
    for path in ROOT.glob(pattern)
)
"""What customers see besides: the dashboard, and the reference."""


def prose(source: str) -> Iterator[str]:
    """Yield the comments and docstrings of a module, those of its names included."""
    before = tokenize.NEWLINE
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for token, after in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
        starts = before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type == tokenize.COMMENT or (
            token.type == tokenize.STRING and starts and after.type == tokenize.NEWLINE
        ):
            yield token.string
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.type


def names(source: str) -> Iterator[str]:
    """Yield the names of functions, classes, parameters and module constants."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name


def refused_in_code(source: str) -> Iterator[str]:
    """Yield each word of a module that the glossary refuses."""
    for text in prose(source) if HINT.search(source) else ():
        yield from (word[0] for word in WORDS.finditer(QUOTED.sub("", text.strip('"'))))
        if OPENING.match(text.strip('"')):
            yield text.splitlines()[0]
    yield from (name for name in names(source) if NAMES.search(name))


def modules(folder: str) -> list[Path]:
    """Return the modules below a folder that are ours."""
    return [path for path in (ROOT / folder).rglob("*.py") if "node_modules" not in path.parts]


class TestWords:
    @pytest.mark.parametrize("folder", CODE)
    def test_no_module_says_what_the_glossary_refuses(self, folder: str) -> None:
        found = {
            str(path.relative_to(ROOT)): refused
            for path in modules(folder)
            if (refused := list(refused_in_code(path.read_text())))
        }
        assert found == {}

    def test_no_page_says_what_the_glossary_refuses(self) -> None:
        found = {
            page.name: refused
            for page in PAGES
            if (refused := [word[0] for word in WORDS.finditer(QUOTED.sub("", page.read_text()))])
        }
        assert found == {}

    @pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.name)
    def test_nothing_that_customers_see_says_what_the_glossary_refuses(self, path: Path) -> None:
        assert [found[0] for found in TEXTS.finditer(path.read_text())] == []

    @pytest.mark.parametrize(
        "source",
        [
            '"""Draws a picture."""',
            "# A clip of 2 s.",
            'def f():\n    """Give the task."""',
            'def f():\n    """Remove it; give whether it was there."""',
            'def f():\n    """Say whether it was there."""',
            "def take_place(): ...",
            "class TaskEnder: ...",
            "def f(put_off): ...",
            "tries = 0",
            "class Stepped: ...",
            "def begin_anew(): ...",
            '"""Return the account\'s own row."""',
            '"""Take a new order."""',
            'LIMIT = 1\n"""Of films."""',
        ],
    )
    def test_a_refused_word_is_found(self, source: str) -> None:
        assert list(refused_in_code(source))

    @pytest.mark.parametrize(
        "source",
        ['"""Return the image."""', "# `generateMultiClipSwitch` is theirs.", "place = 1", 'x = "a picture"'],
    )
    def test_the_fields_own_words_are_not(self, source: str) -> None:
        assert list(refused_in_code(source)) == []
