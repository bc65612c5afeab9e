"""Whether a route can carry an input is asked of its mapper, whose own refusal is the only no."""

from collections.abc import Mapping

import pytest

from tests.unit.catalog.cases import CATALOG
from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime import routing
from tollgate.providers.runtime.base import Job, Mapped

MODEL = CATALOG.media_model("z-image")
(ROUTE, *_) = MODEL.routes
VALUES: Mapping[str, str] = {"prompt": "a fox"}


def carries(monkeypatch: pytest.MonkeyPatch, mapper: Mapper | None) -> bool:
    monkeypatch.setattr(routing, "mapper_of", lambda *_: mapper)
    return routing.can_carry(ROUTE, VALUES)


def test_a_body_is_a_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert carries(monkeypatch, lambda _: Mapped("id"))


def test_a_mapping_that_is_not_there_is_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not carries(monkeypatch, None)


def test_the_mappers_refusal_is_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(_: Job) -> Mapped:
        raise CannotMapError("no words")

    assert not carries(monkeypatch, refuses)


def test_the_routes_of_an_input_are_those_that_can_carry_it_in_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(routing, "mapper_of", lambda name, _: None if name == ROUTE.provider else Mapped)
    assert routing.routes_for(MODEL, VALUES) == MODEL.routes[1:]


@pytest.mark.parametrize("error", [KeyError, TypeError, AttributeError])
def test_a_programming_error_is_loud(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    def breaks(_: Job) -> Mapped:
        raise error

    with pytest.raises(error):
        carries(monkeypatch, breaks)
