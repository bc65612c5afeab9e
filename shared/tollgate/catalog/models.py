"""A model as data: what it is called, what it accepts, what it costs, who can run it (design §7)."""

import hashlib
import json
import re
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from tollgate.catalog import checking
from tollgate.catalog.profiles import profile_named
from tollgate.catalog.profiles.base import Profile
from tollgate.catalog.restrictions import Data, Restrictions, derive
from tollgate.catalog.rules import CheckedInput

MAX_DEADLINE_S = 86_400
PRICE_VERSION_CHARS = 12
DECIMAL_STRING = re.compile(r"\d{1,6}(\.\d{1,8})?")
DATE = r"\d{4}-\d{2}-\d{2}"


def _decimal(value: object) -> Decimal:
    if not isinstance(value, str) or not DECIMAL_STRING.fullmatch(value):
        raise ValueError('must be a decimal string in quotes, e.g. "0.05"')
    return Decimal(value)


def _positive(value: Decimal) -> Decimal:
    if value <= 0:
        raise ValueError("must be above 0")
    return value


Usd = Annotated[Decimal, BeforeValidator(_decimal), AfterValidator(_positive)]
Basis = Literal["FOUND", "INFERRED"]


class Price(Data):
    """A retail price in USD per unit, for inputs that have all its `dimensions`."""

    key: str
    price: Usd
    is_default: bool = False
    dimensions: dict[str, str] = Field(default_factory=dict)


class Extra(Data):
    """A retail price in USD for each item of the array `counts` beyond the `free` ones."""

    key: str
    price: Usd
    counts: str
    free: int = 0


class Pricing(Data):
    """What a model costs the customer.

    `times` names a field that multiplies the whole charge (a batch). `source_seconds` says what the length
    of a given video does to a price per second: nothing, it comes on top, or it takes the place of the
    output's length.
    """

    unit: Literal["generation", "second", "megatoken"]
    prices: list[Price] = Field(min_length=1)
    extras: list[Extra] = Field(default_factory=list)
    times: str | None = None
    source_seconds: Literal["ignored", "added", "instead"] = "ignored"

    @cached_property
    def version(self) -> str:
        """Give a short name of exactly these prices: any change of them changes it."""
        data = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(data.encode()).hexdigest()[:PRICE_VERSION_CHARS]


class Cost(Data):
    """What a provider takes from us in USD per unit; `why` says how the number was come by."""

    cost: Usd
    dimensions: dict[str, str] = Field(default_factory=dict)
    basis: Basis
    why: str


class Route(Data):
    """One way to run a model: a provider, its ids for our variants, its field mapping, its cost."""

    provider: str
    upstream: dict[str, str] = Field(min_length=1)
    mapping: str
    confidence: Basis
    enabled: bool = True
    costs: list[Cost] = Field(min_length=1)


class Model(Data):
    """One model of the catalog. Only media models have a profile; only text models have protocols."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,63}$")
    kind: Literal["media", "llm"] = "media"
    media_type: Literal["IMAGE", "VIDEO", "MUSIC", "TEXT"] = Field(alias="type")
    group: str
    name: str
    vendor: str
    description: str
    description_locales: dict[str, str]
    released_at: str | None = Field(default=None, pattern=f"^{DATE}$")
    page_updated_at: str | None = None
    tags: list[str] = Field(default_factory=list)
    capabilities: list[str]
    protocols: list[Literal["openai", "anthropic"]] = Field(default_factory=list)
    profile: str
    restrictions: Restrictions = Restrictions()
    pricing: Pricing
    deadline_s: int = Field(gt=0, le=MAX_DEADLINE_S)
    routes: list[Route] = Field(min_length=1)

    @cached_property
    def input_class(self) -> type[Profile]:
        """Give the model's own input class; raises `CatalogError` where its restrictions do not fit."""
        return derive(self.id, profile_named(self.profile), self.restrictions)

    def check(self, source: Any) -> CheckedInput:
        """Give the `input` of a create body normalised, or raise `InvalidInputError` with every problem."""
        return checking.check(self.input_class, source)
