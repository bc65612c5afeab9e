"""A checked input in a provider's words. Pure.

A table says, for every field of the contract that a provider takes, what the field is called there: a name,
or a function from the value to that part of the body. A field that is in no table is refused, so nothing
that a customer asked for is dropped in silence.
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

# The id of a provider that has one for all variants.
DEFAULT = "default"


def map_fields(values: Values, words: FieldMap) -> Body:
    """Return the body for `values`. Raises `CannotMapError` for a field that has no word."""
    body: Body = {}
    for name, value in values.items():
        if name not in words:
            raise CannotMapError(f"no word for {name}")
        word = words[name]
        body |= {word: value} if isinstance(word, str) else word(value)
    return body


def upstream_of(job: Job, variant: str) -> str:
    """The provider's id for a variant of the job's model. Raises `CannotMapError` where it has none."""
    found = job.upstream.get(variant, job.upstream.get(DEFAULT))
    if found is None:
        raise CannotMapError(f"no id for {variant}")
    return found


def _always(_: Values) -> str:
    return DEFAULT


def _as_it_is(values: Values) -> Values:
    return values


@dataclass(frozen=True, slots=True)
class Family:
    """The mapping of a family of models as a table.

    `prepare` puts the fields in order first, `variant` then tells which of the provider's models is meant;
    `words` are those of all variants, `more` those that one variant has besides or instead, `fixed` is what
    the body has where no field says it.
    """

    words: FieldMap
    variant: Callable[[Values], str] = _always
    more: Mapping[str, FieldMap] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    prepare: Callable[[Values], Values] = _as_it_is

    def __call__(self, job: Job) -> Mapped:
        """Return the job in the provider's words. Raises `CannotMapError`."""
        values = self.prepare(job.values)
        variant = self.variant(values)
        words = {**self.words, **self.more.get(variant, {})}
        return Mapped(upstream_of(job, variant), {**self.fixed, **map_fields(values, words)})


def variant_if(name: str, variant: str, otherwise: str = "text") -> Callable[[Values], str]:
    """Choose `variant` for an input that has the field, else the other one."""
    return lambda values: variant if values.get(name) else otherwise


def require(values: Values, name: str) -> Values:
    """Return `values` as they are. Raises `CannotMapError` without a field that the provider requires."""
    if not values.get(name):
        raise CannotMapError(f"no {name}")
    return values
