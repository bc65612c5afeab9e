"""docs/scale.md is what its script writes, and the script's own sums are right."""

import pytest

from local.template import Template
from tests.bench.scale import load
from tests.bench.scale.__main__ import COST, DOCUMENT, first_hits, written
from tests.bench.scale.ceilings import ACCOUNT, REGION, STACK, Ceiling, ceilings


def test_the_document_is_up_to_date(template: Template) -> None:
    assert DOCUMENT.read_text() == written(DOCUMENT.read_text(), template), "run make scale"


def test_every_part_that_is_counted_is_in_the_load() -> None:
    assert set(load.a_second()) == set(load.parts_of(COST.read_text()))


def test_load_grows_with_its_multiple() -> None:
    once, often = load.a_second(), load.a_second(100)
    assert {name: pytest.approx(100 * rate) for name, rate in once.items()} == often
    assert once["chat"] == pytest.approx(1_000_000 * 3 / (730 * 3600))


def test_each_ceiling_says_what_raises_it(template: Template) -> None:
    found = ceilings(template, load.parts_of(COST.read_text()))
    assert {one.scope for one in found} == {ACCOUNT, STACK, REGION}
    assert all(one.raised and one.used > 0 for one in found)
    assert len({(one.scope, one.name) for one in found}) == len(found)


def test_what_is_hit_first_stands_in_its_order() -> None:
    made = [
        Ceiling(STACK, name, most, "x", 1, "y")
        for name, most in (("c", 50), ("a", 2), ("b", 10), ("d", 2_000))
    ]
    assert first_hits(made) == (
        "**Up to 10 times**\n\n- 2 ×: stack, a\n- 10 ×: stack, b\n\n"
        "**Up to 100 times**\n\n- 50 ×: stack, c\n\n**Up to 1,000 times**\n\n- nothing"
    )
