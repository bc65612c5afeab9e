"""The costs of a day that our ledger and catalog imply, by provider and model. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from tollgate.catalog.models import CatalogModel
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.reconciliation.reports import Line, model_name
from tollgate.text.listing.views import cost_model
from tollgate.text.money.metering import exact_micro_usd
from tollgate.text.usage import Usage

CostOf = Callable[[str], CatalogModel | None]


@dataclass(frozen=True, slots=True)
class Booked:
    """The requests that one provider answered with one model, in micro-USD.

    `unknown` of the requests have no cost, because the catalog has no such route any more.
    """

    requests: int = 0
    cost_micro_usd: Decimal = Decimal(0)
    charged_micro_usd: int = 0
    unknown: int = 0

    def __add__(self, other: "Booked") -> "Booked":
        """Return the sum of two."""
        return Booked(
            self.requests + other.requests,
            self.cost_micro_usd + other.cost_micro_usd,
            self.charged_micro_usd + other.charged_micro_usd,
            self.unknown + other.unknown,
        )


Books = Mapping[Line, Booked]


# Anthropic's `cost_type` of searches of the web. The name in OpenAI's report is not known.
SEARCHES = "web_search"


def booked(entries: Iterable[Entry], model_of: CostOf) -> dict[Line, Booked]:
    """Return the costs of the text requests among some entries.

    `model_of` returns a model of the catalog by its id, with the costs of the day.
    """
    found: dict[Line, Booked] = {}
    for entry in entries:
        if entry.kind is EntryKind.TEXT and entry.provider is not None:
            for line, one in _of(entry, entry.provider, model_of(entry.model or "")):
                found[line] = found.get(line, Booked()) + one
    return found


def added(books: Books, more: Books) -> dict[Line, Booked]:
    """Return the sum of two books."""
    return {line: books.get(line, Booked()) + more.get(line, Booked()) for line in books.keys() | more.keys()}


def by_provider(books: Books) -> dict[str, int]:
    """Return the cost at each provider in micro-USD."""
    costs: dict[str, Decimal] = {}
    for line, one in books.items():
        costs[line.provider] = costs.get(line.provider, Decimal(0)) + one.cost_micro_usd
    return {name: round(cost) for name, cost in costs.items()}


def _of(entry: Entry, provider: str, model: CatalogModel | None) -> Iterator[tuple[Line, Booked]]:
    charged = Booked(requests=1, charged_micro_usd=-entry.amount_micro_usd)
    routes = model.routes if isinstance(model, CatalogTextModel) else ()
    route = next((one for one in routes if one.provider == provider), None)
    if not isinstance(model, CatalogTextModel) or route is None:
        yield Line(provider, entry.model or ""), replace(charged, unknown=1)
        return
    usage = Usage(**{"input_tokens": 0, "output_tokens": 0, **(entry.usage or {})})
    costs = cost_model(model, route)
    cost = exact_micro_usd(replace(usage, web_searches=0), costs)
    yield Line(provider, model_name(route.upstream)), replace(charged, cost_micro_usd=cost)
    if usage.web_searches:
        # Providers report them apart from the tokens.
        searches = exact_micro_usd(Usage(0, 0, web_searches=usage.web_searches), costs)
        yield Line(provider, SEARCHES), Booked(cost_micro_usd=searches)
