"""The routing fields of a body: OpenRouter's `provider`, `models` and `route`, and suffixes of a model. Pure.

A wish that Tollgate cannot honour is a problem with its name, and so is a malformed one. Names of providers
are resolved by `named`, because only the service knows its providers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from tollgate.kit.problems import Problem, one_of, shortened, unknown_fields
from tollgate.routing.facts import KnownProviders
from tollgate.routing.wishes import NO_WISHES, PRICES, Sort, Wishes

PROVIDER, MODELS, ROUTE = "provider", "models", "route"
FIELDS = (PROVIDER, MODELS, ROUTE)
# The model and its fallbacks. Each fallback can raise the hold.
MAX_MODELS = 5
MAX_PROVIDERS = 50
MAX_NAME_CHARS = 64
MAX_PRICE_CHARS = 32
# Suffixes of a model's name, and the sort that each stands for.
SUFFIXES = {":floor": Sort.PRICE, ":nitro": Sort.THROUGHPUT}
_DENY, _ALLOW = "deny", "allow"
_PROVIDER_FIELDS = (
    *("order", "only", "ignore", "allow_fallbacks", "require_parameters", "data_collection", "zdr"),
    *("max_price", "sort"),
)
# Fields of OpenRouter that have no counterpart here, with the values that ask for nothing.
_UNSUPPORTED: Mapping[str, tuple[Any, ...]] = {
    "quantizations": ([],),
    "enforce_distillable_text": (False,),
    "preferred_min_throughput": ({},),
    "preferred_max_latency": ({},),
    "options": ({},),
}
_FLAGS = ("allow_fallbacks", "require_parameters", "zdr")
_LISTS = ("order", "only", "ignore")


@dataclass(frozen=True, slots=True)
class Asked:
    """The routing fields of a request: its fallback models in their order, and its wishes.

    In `wishes`, providers have the names that the client used.
    """

    fallbacks: tuple[str, ...] = ()
    wishes: Wishes = NO_WISHES


NOTHING_ASKED = Asked()


def has_routing(fields: Mapping[str, Any]) -> bool:
    """Return whether a body has a routing field, or a model with a suffix."""
    model = fields.get("model")
    return any(name in fields for name in FIELDS) or (isinstance(model, str) and ":" in model)


def read_routing(fields: Mapping[str, Any]) -> tuple[str | None, Asked, list[Problem]]:
    """Return the model of a text request, its other routing fields, and their problems.

    The model has no suffix; it is the first of `models` if the body names no other.
    """
    problems = [*_route_problems(fields.get(ROUTE)), *_models_problems(fields.get(MODELS))]
    wishes, found = read_wishes(fields.get(PROVIDER))
    problems += found
    model = fields.get("model")
    fallbacks = [] if problems else list(fields.get(MODELS) or [])
    if model is None and fallbacks:
        model = fallbacks[0]
    if problems or not isinstance(model, str):
        return model if isinstance(model, str) else None, NOTHING_ASKED, problems
    sorts: set[Sort] = set()
    named = list(dict.fromkeys(_without_suffix(name, sorts) for name in (model, *fallbacks)))
    if len(sorts | {wishes.sort} - {None}) > 1:
        problems.append(Problem("/model", "The suffix of a model and the sort must ask for the same order."))
    if len(named) > MAX_MODELS:
        problems.append(Problem(f"/{MODELS}", f"A request can have at most {MAX_MODELS} models."))
    sort = wishes.sort or next(iter(sorts), None)
    return named[0], Asked(tuple(named[1:]), replace(wishes, sort=sort)), problems


def _without_suffix(name: str, sorts: set[Sort]) -> str:
    for suffix, sort in SUFFIXES.items():
        if name.endswith(suffix):
            sorts.add(sort)
            return name.removesuffix(suffix)
    return name


def _route_problems(route: Any) -> Iterator[Problem]:
    if route not in (None, "fallback"):
        yield one_of(f"/{ROUTE}", ["fallback"])


def _models_problems(models: Any) -> Iterator[Problem]:
    if models is None:
        return
    if not isinstance(models, list) or not all(isinstance(one, str) for one in models):
        yield Problem(f"/{MODELS}", "Must be a list of model ids.")
    elif len(models) > MAX_MODELS:
        yield Problem(f"/{MODELS}", f"Must have at most {MAX_MODELS} models.")


def read_wishes(
    value: Any, prices: tuple[str, ...] = PRICES, under: str = f"/{PROVIDER}"
) -> tuple[Wishes, list[Problem]]:
    """Return the wishes in a `provider` object at the pointer `under`, and their problems."""
    if value is None:
        return NO_WISHES, []
    if not isinstance(value, dict):
        return NO_WISHES, [Problem(under, "Must be an object.", list(_PROVIDER_FIELDS))]
    given = {name: one for name, one in value.items() if one is not None}
    problems = [
        *unknown_fields(
            {name: one for name, one in given.items() if name not in _UNSUPPORTED}, _PROVIDER_FIELDS, under
        ),
        *_unsupported(given, under),
        *_flag_problems(given, under),
        *_list_problems(given, under),
    ]
    collection = given.get("data_collection", _ALLOW)
    if collection not in (_ALLOW, _DENY):
        problems.append(one_of(f"{under}/data_collection", [_ALLOW, _DENY]))
    most, found = _max_price(given.get("max_price"), prices, f"{under}/max_price")
    sort, across, sort_problems = _sort(given.get("sort"), f"{under}/sort")
    problems += [*found, *sort_problems]
    if problems:
        return NO_WISHES, problems
    wishes = Wishes(
        order=tuple(dict.fromkeys(given.get("order", ()))),
        only=frozenset(given["only"]) if given.get("only") else None,
        ignore=frozenset(given.get("ignore", ())),
        allow_fallbacks=given.get("allow_fallbacks", True),
        require_parameters=given.get("require_parameters", False),
        deny_data_collection=collection == _DENY,
        zdr=given.get("zdr", False),
        max_price=most,
        sort=sort,
        across_models=across,
    )
    return wishes, []


def _unsupported(given: Mapping[str, Any], under: str) -> Iterator[Problem]:
    for name, idle in _UNSUPPORTED.items():
        if name in given and given[name] not in idle:
            message = "Tollgate cannot route by this wish."
            yield Problem(f"{under}/{name}", message, list(_PROVIDER_FIELDS))


def _flag_problems(given: Mapping[str, Any], under: str) -> Iterator[Problem]:
    for name in _FLAGS:
        if not isinstance(given.get(name, True), bool):
            yield Problem(f"{under}/{name}", "Must be true or false.", [True, False])


def _list_problems(given: Mapping[str, Any], under: str) -> Iterator[Problem]:
    for name in _LISTS:
        value = given.get(name, [])
        is_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
        if not is_list or len(value) > MAX_PROVIDERS:
            yield Problem(f"{under}/{name}", f"Must be a list of at most {MAX_PROVIDERS} provider names.")
        elif name == "only" and value == [] and "only" in given:
            yield Problem(f"{under}/{name}", "Must name a provider, or be null for all.")


def _max_price(value: Any, names: tuple[str, ...], under: str) -> tuple[dict[str, Decimal], list[Problem]]:
    if value is None:
        return {}, []
    if not isinstance(value, dict):
        return {}, [Problem(under, "Must be an object.", list(names))]
    problems = unknown_fields(value, names, under)
    found: dict[str, Decimal] = {}
    for name, price in value.items():
        if name not in names or price is None:
            continue
        amount = _amount(price)
        if amount is None:
            problems.append(Problem(f"{under}/{name}", "Must be a price in USD, such as 2.5, not below 0."))
        else:
            found[name] = amount
    return found, problems


def _amount(price: Any) -> Decimal | None:
    """Return a price that is a number or a decimal text; `None` for all else."""
    is_number = isinstance(price, int | float | str) and not isinstance(price, bool)
    if not is_number or len(str(price)) > MAX_PRICE_CHARS:
        return None
    try:
        amount = Decimal(str(price))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and amount >= 0 else None


def _sort(value: Any, under: str) -> tuple[Sort | None, bool, list[Problem]]:
    if value is None:
        return None, False, []
    by, partition = value, "model"
    if isinstance(value, dict):
        if problems := unknown_fields(value, ("by", "partition"), under):
            return None, False, problems
        by, partition, under = value.get("by"), value.get("partition") or "model", f"{under}/by"
        if by is None and partition == "model":
            return None, False, []
    if by not in [str(sort) for sort in Sort]:
        return None, False, [one_of(under, list(Sort))]
    if partition not in ("model", "none"):
        return None, False, [one_of(f"{under.removesuffix('/by')}/partition", ["model", "none"])]
    return Sort(by), partition == "none", []


def resolved(
    wishes: Wishes, known: KnownProviders, under: str = f"/{PROVIDER}"
) -> tuple[Wishes, list[Problem]]:
    """Return wishes with the catalog's names of providers, and a problem for each unknown name."""
    if not (wishes.order or wishes.only or wishes.ignore):
        return wishes, []
    problems: list[Problem] = []

    def names(field: str, given: tuple[str, ...]) -> tuple[str, ...]:
        found = [(name, known.named(name)) for name in given]
        problems.extend(
            Problem(
                f"{under}/{field}",
                f"Unknown provider {shortened(name, MAX_NAME_CHARS)!r}.",
                sorted(known.by_name),
            )
            for name, one in found
            if one is None
        )
        return tuple(dict.fromkeys(one for _, one in found if one is not None))

    only = None if wishes.only is None else frozenset(names("only", tuple(sorted(wishes.only))))
    order = names("order", wishes.order)
    ignore = frozenset(names("ignore", tuple(sorted(wishes.ignore))))
    return replace(wishes, order=order, only=only, ignore=ignore), problems
