"""A checked input in a provider's fields. Pure.

A table has a target for each field that a provider supports: the provider's name, or a function from the
value to a part of the body. A field without a target is refused, so no field of a customer is dropped
silently.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Job, Mapped

Values = Mapping[str, Any]
Body = dict[str, Any]
FieldTarget = str | Callable[[Any], Body]
FieldMap = Mapping[str, FieldTarget]
Mapper = Callable[[Job], Mapped]

# The key of the upstream id for providers that have one id for all variants.
DEFAULT = "default"


def map_fields(values: Values, words: FieldMap) -> Body:
    """Return the body for `values`. Raises `CannotMapError` for a field without a target."""
    body: Body = {}
    for name, value in values.items():
        if name not in words:
            raise CannotMapError(f"no word for {name}")
        word = words[name]
        body |= {word: value} if isinstance(word, str) else word(value)
    return body


def upstream_of(job: Job, variant: str) -> str:
    """Return the provider's id for a variant of the job's model. Raises `CannotMapError` if it has none."""
    found = job.upstream.get(variant, job.upstream.get(DEFAULT))
    if found is None:
        raise CannotMapError(f"no id for {variant}, the route has {', '.join(job.upstream)}")
    return found


def _always(_: Values) -> str:
    return DEFAULT


def _as_it_is(values: Values) -> Values:
    return values


@dataclass(frozen=True, slots=True)
class Family:
    """The mapping of a family of models as a table.

    First `prepare` changes the fields, then `variant` chooses the provider's model. `words` are the targets
    for all variants; `more` adds or replaces targets for one variant. `fixed` are the defaults of the body,
    which fields may replace.
    """

    words: FieldMap
    variant: Callable[[Values], str] = _always
    more: Mapping[str, FieldMap] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    prepare: Callable[[Values], Values] = _as_it_is

    def __call__(self, job: Job) -> Mapped:
        """Return the job in the provider's format. Raises `CannotMapError`."""
        values = self.prepare(job.values)
        variant = self.variant(values)
        words = {**self.words, **self.more.get(variant, {})}
        return Mapped(upstream_of(job, variant), {**self.fixed, **map_fields(values, words)})


def by_start_of_id(families: Mapping[str, Mapper]) -> Mapper:
    """Return a mapping that is different for each version of a model: `families` by the start of its ids.

    It raises `CannotMapError` for an unknown id, so a new version never gets the body of another one.
    """

    def mapper(job: Job) -> Mapped:
        for start, family in families.items():
            if all(upstream.startswith(start) for upstream in job.upstream.values()):
                return family(job)
        raise CannotMapError(f"no model is called {', '.join(job.upstream.values())}")

    return mapper


def variant_if(name: str, variant: str, otherwise: str = "text") -> Callable[[Values], str]:
    """Return a choice of variant: `variant` for an input with the field, else `otherwise`."""
    return lambda values: variant if values.get(name) else otherwise


def require(values: Values, name: str) -> Values:
    """Return `values` unchanged. Raises `CannotMapError` without a field that the provider requires."""
    if not values.get(name):
        raise CannotMapError(f"no {name}")
    return values
