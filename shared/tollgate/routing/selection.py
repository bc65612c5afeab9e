"""The routes that a request may use, best first, or the refusal that names the wish. Pure.

The wishes of the account, of the key and of the request are filters, one after the other. So each of them
can only exclude routes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf
from typing import Any, Protocol, TypeVar

from tollgate.kit.errors import ForbiddenError, InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.routing.facts import KnownProviders
from tollgate.routing.speeds import NO_SPEEDS, UNMEASURED, Speeds
from tollgate.routing.wishes import NO_WISHES, PRICES, Sort, Wishes


class Option(Protocol):
    """A route of a model, with the highest prices that the request can have there, by `PRICES`."""

    @property
    def model_id(self) -> str:
        """Return the id of the model."""

    @property
    def provider(self) -> str:
        """Return the catalog's name of the provider."""

    @property
    def prices(self) -> Mapping[str, Decimal]:
        """Return the highest prices."""


OptionT = TypeVar("OptionT", bound=Option)


@dataclass(frozen=True, slots=True)
class Policies:
    """The stored wishes that bound a request: of its account, and of its key."""

    account: Wishes = NO_WISHES
    key: Wishes = NO_WISHES


NO_POLICIES = Policies()


@dataclass(frozen=True, slots=True)
class _Filter:
    """One wish: the name of its field, the options that it permits, and its demand in words."""

    field: str
    permits: Callable[[Any], bool]
    demand: str


def select(
    options: Sequence[OptionT],
    wishes: Wishes,
    policies: Policies,
    known: KnownProviders,
    *,
    speeds: Speeds = NO_SPEEDS,
) -> list[OptionT]:
    """Return the permitted options, best first; `options` are in the catalog's order, by model.

    Raises `ForbiddenError` if the stored policies permit none, and `InvalidInputError` with the field, and
    with the permitted providers, if the request's own wishes leave none.
    """
    left = list(options)
    if wishes == policies.account == policies.key == NO_WISHES:
        # Nearly every request: the catalog's order.
        return left
    for owner, policy in (("account", policies.account), ("API key", policies.key)):
        for each in _filters(policy, known):
            left = [option for option in left if each.permits(option)]
        if options and not left:
            names = ", ".join(dict.fromkeys(option.model_id for option in options))
            permits = f"permits no provider of {names} that can run this request"
            message = f"The routing policy of this {owner} {permits}."
            raise ForbiddenError(message, "Use another model, or ask an owner of the account to change it.")
    for each in _filters(wishes, known):
        permitted = [option for option in left if each.permits(option)]
        if left and not permitted:
            raise InvalidInputError([_none_left(each, left)])
        left = permitted
    ranked = _ranked(left, wishes if wishes.order or wishes.sort else _preference(policies), speeds)
    if wishes.allow_fallbacks or wishes.order:
        return ranked
    first = {option.model_id: option for option in reversed(ranked)}
    return [option for option in ranked if first[option.model_id] is option]


def _preference(policies: Policies) -> Wishes:
    """Return the policy whose order applies to a request that asks for none."""
    return policies.key if policies.key.order or policies.key.sort else policies.account


def _filters(wishes: Wishes, known: KnownProviders) -> Iterator[_Filter]:
    if wishes.only is not None:
        only = wishes.only
        yield _Filter("only", lambda one: one.provider in only, "is in this list")
    if wishes.ignore:
        yield _Filter("ignore", lambda one: one.provider not in wishes.ignore, "is left")
    if wishes.order and not wishes.allow_fallbacks:
        yield _Filter("order", lambda one: one.provider in wishes.order, "is in this list")
    if wishes.deny_data_collection:
        free = "is known not to train models with your data"
        yield _Filter("data_collection", lambda one: known.data(one.provider).is_free_of_training, free)
    if wishes.zdr:
        yield _Filter("zdr", lambda one: known.data(one.provider).keeps_nothing, "is known to keep nothing")
    for name in PRICES:
        if name in wishes.max_price:
            most = wishes.max_price[name]
            yield _Filter(
                f"max_price/{name}",
                lambda one, name=name, most=most: one.prices.get(name, 0) <= most,  # type: ignore[misc]
                f"costs at most {most:f} USD",
            )


def _none_left(each: _Filter, left: Sequence[Option]) -> Problem:
    names = ", ".join(dict.fromkeys(option.model_id for option in left))
    message = f"No provider of {names} that can run this request {each.demand}."
    _, _, price = each.field.partition("max_price/")
    if price:
        least = min(option.prices[price] for option in left)
        return Problem(f"/provider/{each.field}", message, f"{least:f} or more")
    return Problem(f"/provider/{each.field}", message, sorted({option.provider for option in left}))


def _ranked(options: Sequence[OptionT], wishes: Wishes, speeds: Speeds) -> list[OptionT]:
    """Return options in the wished order. Equal and unmeasured options keep the catalog's order."""
    position = {name: at for at, name in enumerate(wishes.order)}
    models = list(dict.fromkeys(option.model_id for option in options))

    def rank(option: OptionT) -> tuple[float, ...]:
        group = 0 if wishes.across_models else models.index(option.model_id)
        return group, position.get(option.provider, len(position)), _measure(option, wishes.sort, speeds)

    return sorted(options, key=rank)


def _measure(option: Option, sort: Sort | None, speeds: Speeds) -> float:
    speed = speeds.get((option.model_id, option.provider), UNMEASURED)
    match sort:
        case Sort.PRICE:
            return float(sum(option.prices.values()))
        case Sort.THROUGHPUT:
            return inf if speed.tokens_per_s is None else -speed.tokens_per_s
        case Sort.LATENCY:
            return inf if speed.latency_ms is None else speed.latency_ms
        case None:
            return 0
