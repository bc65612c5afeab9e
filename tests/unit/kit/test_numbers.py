"""Numbers in text: one reader for every query, path, header and form, whatever is sent."""

import ast
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tollgate.accounts.networks import network_of
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.query import QueryReader
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem
from tollgate.ledger.query import position_of
from tollgate.low_balance.service import read_settings
from tollgate.payments.amounts import read_cents
from tollgate.probing.facts import ProbeError
from tollgate.probing.remote import HEADER_BOUNDS, _StreamBlocks
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.media.apimart.music import _index
from tollgate.providers.media.pixverse.mappings import _source
from tollgate.providers.runtime.answers import percent_of
from tollgate.tasks.waiting import read_pauses
from tollgate.web.forms import input_of
from tollgate.web.problems import in_words

ROOT = Path(__file__).resolve().parents[3]
ODD = (
    "9" * 5_000,
    "0" * 5_000,
    "1" + "0" * 4_301,
    "-1",
    "+1",
    " 1",
    "1_0",
    "0x1",
    "1e1",
    "1.0",
    "²",
    "٣",
    "１",
    "NaN",
    "",
)


@pytest.mark.parametrize("text", ODD)
def test_what_is_no_plain_number_is_none(text: str) -> None:
    assert digits(text, 0, 10**6) is None


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), ("7", 7), ("007", 7), ("100", 100), ("101", None), ("0100", None)]
)
def test_a_number_is_within_its_bounds(text: str, number: int | None) -> None:
    assert digits(text, 0, 100) == number


@pytest.mark.parametrize("value", [None, 5, 5.0, True, b"5", ["5"]])
def test_only_text_is_read(value: object) -> None:
    assert digits(value, 0, 9) is None


def _page(text: str) -> int:
    reader = QueryReader({"limit": text}, ("limit",))
    found = reader.limit(20, 100)
    reader.finish()
    return found


def _seed(text: str) -> Any:
    param = {"name": "seed", "kind": "number", "isArray": False, "multiline": False, "isMedia": False}
    values, problems = input_of([param], {"input.seed": text})
    assert all("digits" not in problem.message for problem in problems), "Python's own words"
    return values.get("seed")


def _download(text: str) -> int:
    return _StreamBlocks(
        httpx.Response(200, headers=[(b"content-length", text.encode())], content=b"x"), HEADER_BOUNDS
    ).size


# Each with the errors that it names for what it does not take.
READERS: list[tuple[str, Callable[[str], Any], tuple[type[Exception], ...]]] = [
    ("limit of a list", _page, (InvalidInputError,)),
    ("wait of a status", read_pauses, (InvalidInputError,)),
    ("amount of a top-up", read_cents, (InvalidInputError,)),
    ("threshold of a low balance", lambda text: read_settings({"threshold": text}), (InvalidInputError,)),
    ("network of a key", lambda text: network_of(f"10.0.0.0/{text}"), (ValueError,)),
    ("field of a form", _seed, ()),
    ("path of a problem", lambda text: in_words([Problem(f"/input/{text}", "Wrong.")]), ()),
    ("track of a song", _index, (CannotMapError,)),
    ("video of PixVerse", _source, (CannotMapError,)),
    ("progress of a provider", percent_of, ()),
    ("content-length of a file", _download, (ProbeError,)),
]


@pytest.mark.parametrize(
    ("reader", "errors"), [each[1:] for each in READERS], ids=[each[0] for each in READERS]
)
def test_every_reader_takes_or_refuses_it(
    reader: Callable[[str], Any], errors: tuple[type[Exception], ...]
) -> None:
    for text in ODD:
        # Any other error would be an answer 500.
        with suppress(*errors):
            reader(text)


def test_a_cursor_with_a_long_number_is_none_of_ours() -> None:
    cursor = urlsafe_b64encode(f"{'9' * 5_000}#txt_1".encode()).decode().rstrip("=")
    with pytest.raises(ValueError, match=cursor[:20]):
        position_of(cursor)


def _modules() -> Iterator[Path]:
    for folder in ("functions", "shared/tollgate"):
        yield from sorted((ROOT / folder).rglob("*.py"))


DIGIT_CHECKS = ("isdigit", "isdecimal", "isnumeric")


def test_nobody_else_reads_digits() -> None:
    """A check for digits comes before `int`, which takes more texts, and raises errors of its own."""
    readers = {
        str(path.relative_to(ROOT))
        for path in _modules()
        if any(name in (text := path.read_text()) for name in DIGIT_CHECKS)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr in DIGIT_CHECKS
    }
    assert readers == {"shared/tollgate/kit/numbers.py"}
