"""Prices, for operators: what a model costs here and at each of its routes, and a change of them.

A change is made in the live catalog document, or in a new one that is the shipped catalog with it. It is
shown first: what moves, what breaks the catalog's rules, and what accounts would have paid.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any, Protocol

from tollgate.accounts.repository import AccountRepository
from tollgate.audit.events import Action
from tollgate.catalog.errors import RefusedDocumentError, UnknownPriceError
from tollgate.catalog.loader import AnyModel
from tollgate.catalog.models import CatalogTextModel, CatalogTokenPrices, Model
from tollgate.catalog.pricing import best_entry
from tollgate.catalog.refresh import LiveCatalog
from tollgate.catalog.validation import read_document
from tollgate.kit.remote_document import DocumentConflictError, Fetched, Found
from tollgate.operator.console import OperatorConsole
from tollgate.operator.errors import OperatorError
from tollgate.usage.service import StatisticsService

# So many accounts are asked what they spent; the preview says when there are more.
MAX_ASKED = 200
RANGE = "30d"
PERCENT = 100
_USD = re.compile(r"\d{1,6}(\.\d{1,6})?", re.ASCII)


class PriceDocument(Protocol):
    """The one document that takes the place of the shipped catalog (`kit/aws/s3_document.py`)."""

    def read(self) -> Fetched:
        """Return it."""

    def put(self, body: bytes, replaces: str | None) -> str:
        """Write it in the place of the one with an ETag, or of none. Raises `DocumentConflictError`."""


@dataclass(frozen=True, slots=True)
class PriceLine:
    """One price of a model, and what each live route takes for the same, in USD per unit."""

    key: str
    price: Decimal
    costs: Mapping[str, Decimal]

    def margin_percent(self, provider: str) -> int:
        """Return what is left of the price at a route, in percent of it; of a free one 0."""
        left = self.price - self.costs[provider]
        return int(left * PERCENT / self.price) if self.price else 0


@dataclass(frozen=True, slots=True)
class Payer:
    """What an account spent on a model in 30 days, and would have at other prices: at least and at most."""

    account_id: str
    spent_micro_usd: int
    least_micro_usd: int
    most_micro_usd: int


@dataclass(frozen=True, slots=True)
class Earned:
    """What a model earned in 30 days, and what is left of it at the dearest and the cheapest live route."""

    accounts: int
    spent_micro_usd: int
    least_left_micro_usd: int
    most_left_micro_usd: int
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """What a change would do; `version` names the document that it is of. With `faults` it is refused."""

    changed: Mapping[str, tuple[Decimal, Decimal]]
    faults: tuple[str, ...]
    payers: tuple[Payer, ...]
    is_cut: bool
    version: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PriceConsole(OperatorConsole):
    """What operators see of prices and do to them. `shipped` is the deployed catalog, as a document."""

    document: PriceDocument
    shipped: Callable[[], bytes]
    live: LiveCatalog
    accounts: AccountRepository
    statistics: StatisticsService

    def models(self) -> list[AnyModel]:
        """Return the models that are served, by their ids."""
        return sorted(self.live.catalog().all_models(), key=lambda model: model.id)

    def get(self, model_id: str) -> AnyModel:
        """Return a model. Raises `OperatorError`."""
        found = self.live.catalog().find_by_id(model_id)
        if found is None:
            raise OperatorError(f"There is no model {model_id}.")
        return found

    def earned(self, model_id: str) -> Earned:
        """Return what a model earned by the statistics of the ledger. Raises `OperatorError`."""
        least, most = margins_of(lines_of(self.get(model_id))) or (0, 0)
        by_account, is_cut = self._spent(model_id)
        spent = sum(by_account.values())
        return Earned(len(by_account), spent, spent * least // PERCENT, spent * most // PERCENT, is_cut)

    def preview(self, model_id: str, wanted: Mapping[str, str]) -> Preview:
        """Return what other prices would do: `wanted` are USD per unit by key. Raises `OperatorError`."""
        body, version, changed = self._changed(model_id, wanted)
        faults: tuple[str, ...] = ()
        try:
            read_document(body)
        except RefusedDocumentError as exc:
            faults = tuple(exc.faults)
        payers, is_cut = self._payers(model_id, changed) if not faults else ((), False)
        return Preview(changed, faults, payers, is_cut, version)

    def change(self, model_id: str, wanted: Mapping[str, str], version: str) -> None:
        """Write the document that a preview of this `version` was of. Raises `OperatorError`."""
        body, now, changed = self._changed(model_id, wanted)
        # What was previewed is what is written: on top of another document it would be another change.
        if now != version:
            raise OperatorError("Somebody else changed prices meanwhile; nothing was done. Look again.")
        try:
            read_document(body)
            # Conditional on the ETag as well: somebody may write between the look above and this.
            self.document.put(body, version or None)
            # Whoever changed it sees it at once; other processes within a minute.
            self.live.expire()
        except RefusedDocumentError as exc:
            raise OperatorError(f"Nothing was done: {exc}") from exc
        except DocumentConflictError as exc:
            raise OperatorError(
                "Somebody else changed prices meanwhile; nothing was done. Look again."
            ) from exc
        # Two stores, so no transaction: noted once it is done, and the document's versions have the rest.
        words = ", ".join(f"{key} {before} to {after} USD" for key, (before, after) in changed.items())
        self.note(Action.PRICE_CHANGED, model_id, words)

    def _changed(
        self, model_id: str, wanted: Mapping[str, str]
    ) -> tuple[bytes, str, dict[str, tuple[Decimal, Decimal]]]:
        found = self.document.read()
        models = json.loads(found.body if isinstance(found, Found) else self.shipped())
        if model_id not in models:
            raise OperatorError(f"There is no model {model_id}.")
        changed = {}
        for key, place, name in price_places(models[model_id]):
            price = wanted.get(key, str(place[name]))
            if not _USD.fullmatch(price):
                raise OperatorError(f"{key}: dollars, such as 0.05; at most six digits after the dot.")
            # As numbers: `0.10` in place of `0.1` is no change.
            if Decimal(price) != Decimal(place[name]):
                changed[key] = Decimal(place[name]), Decimal(price)
                place[name] = price
        if not changed:
            raise OperatorError("Nothing changes: these are the prices of now.")
        body = json.dumps(models, ensure_ascii=False, separators=(",", ":")).encode()
        return body, found.etag if isinstance(found, Found) else "", changed

    def _payers(
        self, model_id: str, changed: Mapping[str, tuple[Decimal, Decimal]]
    ) -> tuple[tuple[Payer, ...], bool]:
        # Which of the prices an account paid is not counted: it is between all of the one, all of the other
        ratios = [after / before for before, after in changed.values() if before]
        # All of it may have been at a price that stays.
        if len(changed) < len(lines_of(self.get(model_id))):
            ratios.append(Decimal(1))
        by_account, is_cut = self._spent(model_id)
        found = [
            Payer(account_id, spent, int(spent * min(ratios)), int(spent * max(ratios)))
            for account_id, spent in by_account.items()
        ]
        found.sort(key=lambda payer: -payer.spent_micro_usd)
        return tuple(found), is_cut

    def _spent(self, model_id: str) -> tuple[dict[str, int], bool]:
        """Return what each account spent on a model, in micro-USD, and whether there are more accounts."""
        ids = [account.account_id for account in islice(self.accounts.all(), MAX_ASKED + 1)]
        found = {}
        for account_id in ids[:MAX_ASKED]:
            by_model = self.statistics.of(account_id, {"range": RANGE})["byModel"]
            spent = sum(int(row["spentMicroUsd"]) for row in by_model if row["model"] == model_id)
            if spent:
                found[account_id] = spent
        return found, len(ids) > MAX_ASKED


def lines_of(model: AnyModel) -> list[PriceLine]:
    """Return the prices of a model with what its live routes take for the same. Pure."""
    if isinstance(model, CatalogTextModel):
        return list(_token_lines(model))
    return list(_media_lines(model))


def margins_of(lines: Iterable[PriceLine]) -> tuple[int, int] | None:
    """Return the lowest and the highest margin of all prices at all routes, in percent. Pure.

    `None` for what costs nothing, or has no live route.
    """
    found = [line.margin_percent(provider) for line in lines if line.price for provider in line.costs]
    return (min(found), max(found)) if found else None


def _media_lines(model: Model) -> Iterator[PriceLine]:
    for price in model.pricing.prices:
        costs = {}
        for route in model.routes:
            # A route that cannot make this has no cost for it.
            with suppress(UnknownPriceError):
                if route.enabled:
                    costs[route.provider] = best_entry(model.id, route.costs, price.dimensions).cost
        yield PriceLine(price.key, price.price, costs)


def _token_lines(model: CatalogTextModel) -> Iterator[PriceLine]:
    prices = _tokens(model.prices)
    costs = {route.provider: _tokens(route.cost) for route in model.routes if route.enabled}
    for key, price in prices.items():
        yield PriceLine(key, price, {provider: cost[key] for provider, cost in costs.items()})


def _tokens(prices: CatalogTokenPrices) -> dict[str, Decimal]:
    read, write = prices.cache_read, prices.cache_write
    return {
        "input": prices.input,
        "output": prices.of_output(),
        "cacheRead": prices.input if read is None else read,
        "cacheWrite": prices.input if write is None else write,
    }


def price_places(model: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Return for each price in a model's data its key, and where it stands. Pure."""
    if "prices" in model:
        yield from ((name, model["prices"], name) for name in model["prices"])
        return
    yield from ((price["key"], price, "price") for price in model["pricing"]["prices"])
