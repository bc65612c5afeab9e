"""Which models nobody can make, by their live routes and the health of providers."""

from typing import Any

import pytest

from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.providers.runtime.health import FAILURES_TO_OPEN, Health
from tollgate.tasks.availability import unavailable

NOW_MS = 1_000_000
OPEN = Health(FAILURES_TO_OPEN, NOW_MS + 1)
OVER = Health(FAILURES_TO_OPEN, NOW_MS)
"""Its time is over, but nothing went well there since."""
OFF = Health(disabled=True)


def models(*providers: str) -> list[Model]:
    """Return the media models as they are where these providers are live."""
    return Catalog.shipped().with_live(frozenset(providers)).media_models()


def alone(provider: str) -> set[str]:
    """Return the models whose data says why there is no second provider, of this one."""
    return {
        model.id
        for model in Catalog.shipped().media_models()
        if model.single_route is not None
        and {route.provider for route in model.routes if route.enabled} == {provider}
    }


class TestDown:
    @pytest.mark.parametrize("health", [OPEN, OFF])
    def test_the_models_of_one_provider_that_fails_or_is_off(self, health: Health) -> None:
        every = {route.provider for model in Catalog.shipped().media_models() for route in model.routes}
        down = set(unavailable(models(*every), {"apimart": health}, NOW_MS).models_down)
        assert "suno-custom-model" in down
        assert alone("apimart") <= down
        assert "z-image" not in down

    def test_one_model_whose_route_is_off(self) -> None:
        found = unavailable(models("apimart"), {"apimart/suno-custom-model": OFF}, NOW_MS)
        assert found.models_down == ("suno-custom-model",)

    def test_a_model_with_two_providers_is_down_when_the_other_has_no_key(self) -> None:
        assert "z-image" in unavailable(models("fal"), {"fal": OPEN}, NOW_MS).models_down

    @pytest.mark.parametrize("health", [{}, {"apimart": OVER}, {"apimart": Health(1, NOW_MS + 1)}])
    def test_nothing_where_a_task_may_be_given(self, health: dict[str, Any]) -> None:
        assert unavailable(models("apimart"), health, NOW_MS).models_down == ()


class TestFailing:
    def test_a_live_provider_counts_until_something_went_well(self) -> None:
        assert unavailable(models("fal"), {"fal": OVER}, NOW_MS).providers_failing == ("fal",)
        assert unavailable(models("fal"), {"fal": OVER.worked()}, NOW_MS).providers_failing == ()

    def test_one_that_is_not_live_is_nobodys_trouble(self) -> None:
        assert unavailable(models("fal"), {"kie": OPEN}, NOW_MS).providers_failing == ()
