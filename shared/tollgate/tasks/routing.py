"""The providers that may run a generation, by the wishes of its request, its key and its account. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from tollgate.catalog.pricing import Quote
from tollgate.kit.money import MICRO_USD_PER_USD
from tollgate.providers.runtime.routing import routes_for
from tollgate.routing.facts import KnownProviders
from tollgate.routing.selection import Policies, select
from tollgate.routing.wishes import NO_WISHES, REQUEST, Wishes
from tollgate.tasks.models import Origin
from tollgate.tasks.request import CreateRequest

Choose = Callable[[Wishes], tuple[str, ...] | None]
"""Returns the permitted providers, best first, under an account's policy; `None`: all in any order."""


@dataclass(frozen=True, slots=True)
class _Option:
    model_id: str
    provider: str
    prices: Mapping[str, Decimal]


def chooser(
    request: CreateRequest, price: Quote, origin: Origin | None, key: Wishes, known: KnownProviders
) -> Choose:
    """Return the function that chooses the providers of a generation. It raises as `select` does."""

    def choose(account: Wishes) -> tuple[str, ...] | None:
        if account == key == request.wishes == NO_WISHES:
            return None
        usd = Decimal(price.charge_micro_usd) / MICRO_USD_PER_USD
        options = [
            _Option(request.model.id, route.provider, {REQUEST: usd})
            for route in routes_for(request.model, request.checked.values)
            # A follow-up stays with the provider that has the earlier result.
            if origin is None or route.provider == origin.provider
        ]
        permitted = select(options, request.wishes, Policies(account, key), known)
        return tuple(option.provider for option in permitted)

    return choose
