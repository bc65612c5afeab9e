"""The parts of a quote: the price of each request, or the most that it can cost. Pure."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.catalog.loader import Catalog
from tollgate.catalog.pricing import Quote
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.quotes.request import GENERATION, Asked
from tollgate.text.body.request import TextRequest
from tollgate.text.listing.views import wire_model
from tollgate.text.models import TextModel
from tollgate.text.money.metering import Demand, full_hold
from tollgate.text.routes.admission import demand_of, model_named
from tollgate.text.routes.exchanges import CheckRoutes

VERSION_CHARS = 16
# Bytes that a client may add to the body that it quoted, such as `"stream": true` and an end user.
ROOM_BYTES = 256


@dataclass(frozen=True, slots=True)
class Part:
    """One request of a quote.

    `micro_usd` is the price of a generation, and the most that a text request can cost. A generation has its
    `body` until its task is created, and then its `task_id`. A text request has its `demand`.
    """

    path: str
    model: str
    micro_usd: int
    version: str
    body: Mapping[str, Any] | None = None
    demand: Demand | None = None
    task_id: str | None = None
    fallbacks: tuple[tuple[str, Demand], ...] = ()
    """The other models that may answer a text request, each with its demand."""

    @property
    def is_text(self) -> bool:
        """Return whether it is a text request."""
        return self.path != GENERATION

    def started(self, task_id: str | None) -> "Part":
        """Return the part after its creation, which needs its body no more."""
        return replace(self, body=None, task_id=task_id)

    def to_item(self) -> dict[str, Any]:
        """Return the part as a map of plain values."""
        found = {
            "path": self.path,
            "model": self.model,
            "micro_usd": self.micro_usd,
            "version": self.version,
            "body": self.body,
            "demand": None if self.demand is None else _stored(self.demand),
            "task_id": self.task_id,
            "fallbacks": [[model, _stored(demand)] for model, demand in self.fallbacks] or None,
        }
        return {name: value for name, value in found.items() if value is not None}

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> "Part":
        """Return the part that a map holds."""
        demand = item.get("demand")
        return cls(
            item["path"],
            item["model"],
            item["micro_usd"],
            item["version"],
            item.get("body"),
            None if demand is None else Demand(**demand),
            item.get("task_id"),
            tuple((model, Demand(**most)) for model, most in item.get("fallbacks", ())),
        )


# The counts of a demand that earlier versions did not have.
_LATER_COUNTS = (
    *("search_units", "characters", "seconds"),
    *("searches", "search_steps", "may_skip_search", "service"),
)


def _stored(demand: Demand) -> dict[str, Any]:
    """Return a demand as a map, without counts that a version before them could not read."""
    return {name: value for name, value in asdict(demand).items() if value or name not in _LATER_COUNTS}


def generation_part(body: Mapping[str, Any], model_id: str, price: Quote) -> Part:
    """Return the part of a generation."""
    return Part(GENERATION, model_id, price.charge_micro_usd, price.price_version, body=body)


def text_part(asked: Asked, request: TextRequest, catalog: Catalog, key: ApiKey, check: CheckRoutes) -> Part:
    """Return the part of a text request.

    Raises the errors by which its own endpoint would refuse the request at once.
    """
    with asked.own_names():
        names = [("/model", request.model), *(("/models", name) for name in request.asked.fallbacks)]
        models = [_model(name, path, request, catalog, key) for path, name in names]
        demands = [demand_of(request, model) for model in models]
        check(request, list(zip(models, demands, strict=True)))
    demands = [_with_room(demand, model) for model, demand in zip(models, demands, strict=True)]
    return _text_part(asked.path, models, demands)


def text_part_now(part: Part, catalog: Catalog) -> Part:
    """Return a text request's part with the present prices. Raises `ModelNotFoundError`."""
    if part.demand is None:
        return part
    names = part.model, *(name for name, _ in part.fallbacks)
    models = [wire_model(catalog.text_model(name)) for name in names]
    return _text_part(part.path, models, [part.demand, *(demand for _, demand in part.fallbacks)])


def _model(name: str, path: str, request: TextRequest, catalog: Catalog, key: ApiKey) -> TextModel:
    found = catalog.find_by_name(name)
    wired = {name.casefold(): wire_model(found)} if isinstance(found, CatalogTextModel) else {}
    return model_named(name, request.protocol, wired, catalog.use_of, key, path=path)


def _with_room(demand: Demand, model: TextModel) -> Demand:
    # A byte is a token at most (text/body/tokens.py).
    most = min(demand.input_tokens + ROOM_BYTES, max(model.context_tokens, demand.input_tokens))
    return replace(demand, input_tokens=most)


def _text_part(path: str, models: Sequence[TextModel], demands: Sequence[Demand]) -> Part:
    """Return the part of a request that any of the models may answer: its price is the dearest model's."""
    pairs = list(zip(models, demands, strict=True))
    prices = ", ".join(_prices_in(model, demand) for model, demand in pairs)
    # Earlier versions had only prices of tokens, and a quote that they made keeps its price version.
    prices = prices.replace(", image_output=None", "").replace(", web_search=None", "")
    prices = prices.replace(", search=Decimal('0'), character=None, minute=None", "")
    most = max(full_hold(demand, model).amount_micro_usd for model, demand in pairs)
    others = tuple((model.id, demand) for model, demand in pairs[1:])
    return Part(path, models[0].id, most, _short(prices), demand=demands[0], fallbacks=others)


def _prices_in(model: TextModel, demand: Demand) -> str:
    """Return the prices of a model that a request can have, as text."""
    prices = model.prices if demand.searches else replace(model.prices, web_search=None)
    tier = f"{demand.service} {model.services.get(demand.service)}, " if demand.service else ""
    return f"{tier}{(prices, model.tiers)!r}"


def total_of(parts: Sequence[Part]) -> int:
    """Return the sum of parts in micro-USD."""
    return sum(part.micro_usd for part in parts)


def version_of(parts: Sequence[Part]) -> str:
    """Return a short name of exactly the prices of the parts."""
    return _short(json.dumps([[part.model, part.version, part.micro_usd] for part in parts]))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:VERSION_CHARS]
