"""Booked and reported costs side by side. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from tollgate.reconciliation.books import Booked, Books
from tollgate.reconciliation.reports import Line

# A smaller difference in a day is rounding, or a request around midnight.
LEAST_DRIFT_MICRO_USD = 1_000_000
MOST_DRIFT_PERCENT = 5


@dataclass(frozen=True, slots=True)
class Row:
    """One model of one provider on one day, in micro-USD; parts of micro-USD are rounded."""

    provider: str
    model: str
    requests: int
    unknown: int
    charged_micro_usd: int
    booked_micro_usd: int
    reported_micro_usd: int

    @property
    def drift_micro_usd(self) -> int:
        """Return how much the provider reports above our books; negative if it reports less."""
        return self.reported_micro_usd - self.booked_micro_usd

    @property
    def margin_micro_usd(self) -> int:
        """Return the customers' charges less the reported cost; negative for a loss."""
        return self.charged_micro_usd - self.reported_micro_usd

    @property
    def is_off(self) -> bool:
        """Return whether the two differ by more than the limits above."""
        drift = abs(self.drift_micro_usd)
        most = max(LEAST_DRIFT_MICRO_USD, self.booked_micro_usd * MOST_DRIFT_PERCENT // 100)
        return drift > most


Reported = Mapping[str, Mapping[str, Decimal]]


def compared(books: Books, reported: Reported) -> list[Row]:
    """Return a row for each model of the providers that reported, the largest drift first."""
    rows = list(_rows(books, reported))
    return sorted(rows, key=lambda row: (-abs(row.drift_micro_usd), row.provider, row.model))


def _rows(books: Books, reported: Reported) -> Iterator[Row]:
    for provider, costs in reported.items():
        models = costs.keys() | {line.model for line in books if line.provider == provider}
        for model in models:
            own = books.get(Line(provider, model), Booked())
            yield Row(
                provider,
                model,
                own.requests,
                own.unknown,
                own.charged_micro_usd,
                round(own.cost_micro_usd),
                round(costs.get(model, Decimal(0))),
            )
