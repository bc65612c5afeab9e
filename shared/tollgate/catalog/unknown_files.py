"""The most that a request costs if some of its files do not exist yet. Pure.

A step of a workflow can use the result of an earlier step, whose size is unknown when the workflow is priced.
Prices by size have a largest tier, so they have a most. Prices by length have none, so they are refused.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product

from tollgate.catalog.media import Measured, ProbeRequest
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import Quote, quote
from tollgate.catalog.rules import CheckedInput
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

# Two lengths at which a price that depends on the length differs.
_SHORT_S, _LONG_S = Decimal(1), Decimal(1000)
_NO_MOST = (
    "The price depends on the length of this file, which no step has made yet. Run this model without a "
    "workflow, or use a file that exists."
)


def most_of(
    model: Model, checked: CheckedInput, measured: Measured, missing: Sequence[ProbeRequest]
) -> tuple[Quote, bool]:
    """Return the highest price that a request can have, and whether it is its exact price.

    `measured` are the measures of its other files; `missing` are the files that do not exist yet. Raises
    `InvalidInputError` if the price has no most.
    """
    if missing and _needs_length(model, checked, measured):
        raise InvalidInputError([Problem(one.path, _NO_MOST) for one in missing])
    names = [
        name
        for name in model.input_class.sizes
        if name not in measured.sizes and model.pricing.tiers(name) and missing
    ]
    tiers = product(*(model.pricing.tiers(name) for name in names))
    quotes = [
        quote(
            model, checked, replace(measured, sizes={**measured.sizes, **dict(zip(names, each, strict=True))})
        )
        for each in tiers
    ]
    most = max(quotes, key=lambda one: one.charge_cents)
    return most, len({one.charge_cents for one in quotes}) == 1


def _needs_length(model: Model, checked: CheckedInput, measured: Measured) -> bool:
    """Return whether the price rises with the length of the sources."""
    if not any(rule.is_source for rule in model.input_class.media):
        return False
    sized = {name: tiers[-1] for name in model.input_class.sizes if (tiers := model.pricing.tiers(name))}
    short, long = (
        quote(
            model,
            checked,
            replace(measured, seconds=measured.seconds + more, sizes={**sized, **measured.sizes}),
        )
        for more in (_SHORT_S, _LONG_S)
    )
    return short.charge_cents != long.charge_cents


def known_of(requests: Sequence[ProbeRequest], unknown: Collection[str]) -> list[ProbeRequest]:
    """Return the files that can be probed now; `unknown` are the URLs of the others."""
    return [one for one in requests if one.url not in unknown]
