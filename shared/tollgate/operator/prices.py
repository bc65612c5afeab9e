"""Operators' actions on prices: show the prices of a model and the costs of its routes, change prices.

A change edits the live catalog document, or a copy of the shipped catalog if there is none. Its preview has
the changed prices, violations of the catalog's rules, and the amounts that accounts would have paid.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any, Protocol

from tollgate.accounts.repository import AccountRepository
from tollgate.audit.events import Action
from tollgate.catalog import dated
from tollgate.catalog.errors import RefusedDocumentError, UnknownPriceError
from tollgate.catalog.loader import AnyModel
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import best_entry
from tollgate.catalog.refresh import LiveCatalog
from tollgate.catalog.text_models import CatalogTextModel, CatalogTokenPrices
from tollgate.catalog.validation import read_document
from tollgate.kit.remote_document import DocumentConflictError, Fetched, Found
from tollgate.operator.console import OperatorConsole
from tollgate.operator.errors import OperatorError
from tollgate.usage.service import StatisticsService

# Only the spending of this many accounts is read. The preview notes if there are more.
MAX_ASKED = 200
RANGE = "30d"
PERCENT = 100
_USD = re.compile(r"\d{1,6}(\.\d{1,6})?", re.ASCII)


class PriceDocument(Protocol):
    """The document that replaces the shipped catalog (`kit/aws/s3_document.py`)."""

    def read(self) -> Fetched:
        """Return the document, or that there is none."""

    def put(self, body: bytes, replaces: str | None) -> str:
        """Replace the document with the ETag `replaces`, or create it if `None`; return the new ETag.

        Raises `DocumentConflictError`.
        """


@dataclass(frozen=True, slots=True)
class PriceLine:
    """One price of a model, and the cost at each live route, in USD per unit."""

    key: str
    price: Decimal
    costs: Mapping[str, Decimal]

    def margin_percent(self, provider: str) -> int:
        """Return the margin at a provider, in percent of the price; 0 for a free model."""
        left = self.price - self.costs[provider]
        return int(left * PERCENT / self.price) if self.price else 0


@dataclass(frozen=True, slots=True)
class Payer:
    """The spending of an account on a model in 30 days, and its least and most at other prices."""

    account_id: str
    spent_micro_usd: int
    least_micro_usd: int
    most_micro_usd: int


@dataclass(frozen=True, slots=True)
class Earned:
    """The revenue of a model in 30 days, and its margin at the most and the least expensive live route."""

    accounts: int
    spent_micro_usd: int
    least_left_micro_usd: int
    most_left_micro_usd: int
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """The effect of a change on the document `version`. A change with `faults` is refused."""

    changed: Mapping[str, tuple[Decimal, Decimal]]
    faults: tuple[str, ...]
    payers: tuple[Payer, ...]
    is_cut: bool
    version: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PriceConsole(OperatorConsole):
    """Shows prices to operators, and changes them. `shipped` returns the deployed catalog as a document."""

    document: PriceDocument
    shipped: Callable[[], bytes]
    live: LiveCatalog
    accounts: AccountRepository
    statistics: StatisticsService

    def models(self) -> list[AnyModel]:
        """Return the served models, sorted by id."""
        return sorted(self.live.catalog().all_models(), key=lambda model: model.id)

    def get(self, model_id: str) -> AnyModel:
        """Return a model. Raises `OperatorError`."""
        found = self.live.catalog().find_by_id(model_id)
        if found is None:
            raise OperatorError("There is no model {model}.", model=model_id)
        return found

    def lines(self, model_id: str) -> list[PriceLine]:
        """Return the prices of a model, then its announced prices: the key ends in their first day.

        Raises `OperatorError`.
        """
        found = lines_of(self.get(model_id))
        before = {line.key: line.price for line in found}
        for day, later in self.live.catalog().later(model_id):
            new = [line for line in lines_of(later) if line.price != before.get(line.key)]
            before |= {line.key: line.price for line in new}
            found += [replace(line, key=key_from(line.key, day)) for line in new]
        return found

    def earned(self, model_id: str) -> Earned:
        """Return a model's revenue from the statistics. Raises `OperatorError`."""
        least, most = margins_of(lines_of(self.get(model_id))) or (0, 0)
        by_account, is_cut = self._spent(model_id)
        spent = sum(by_account.values())
        return Earned(len(by_account), spent, spent * least // PERCENT, spent * most // PERCENT, is_cut)

    def preview(self, model_id: str, wanted: Mapping[str, str]) -> Preview:
        """Return the effect of other prices. `wanted` maps a price's key to USD per unit.

        Raises `OperatorError`.
        """
        body, version, changed = self._changed(model_id, wanted)
        faults: tuple[str, ...] = ()
        try:
            read_document(body, self.live.catalog().day)
        except RefusedDocumentError as exc:
            faults = tuple(exc.faults)
        payers, is_cut = self._payers(model_id, changed) if not faults else ((), False)
        return Preview(changed, faults, payers, is_cut, version)

    def change(self, model_id: str, wanted: Mapping[str, str], version: str) -> None:
        """Write the change of a preview of this `version`. Raises `OperatorError`."""
        body, now, changed = self._changed(model_id, wanted)
        # The same change of another document would differ from its preview.
        if now != version:
            raise OperatorError(
                "Nothing was done: another operator changed prices in the meantime. Look again."
            )
        try:
            read_document(body, self.live.catalog().day)
            # Conditional on the ETag, because another process may write after the read above.
            self.document.put(body, version or None)
            # This process uses the change at once, other processes within a minute.
            self.live.expire()
        except RefusedDocumentError as exc:
            raise OperatorError("Nothing was done: {reason}", reason=exc) from exc
        except DocumentConflictError as exc:
            raise OperatorError(
                "Nothing was done: another operator changed prices in the meantime. Look again."
            ) from exc
        # S3 and DynamoDB share no transaction. S3 keeps each version of the document if this write fails.
        words = ", ".join(f"{key} {before} to {after} USD" for key, (before, after) in changed.items())
        self.note(Action.PRICE_CHANGED, model_id, words)

    def _changed(
        self, model_id: str, wanted: Mapping[str, str]
    ) -> tuple[bytes, str, dict[str, tuple[Decimal, Decimal]]]:
        found = self.document.read()
        models = json.loads(found.body if isinstance(found, Found) else self.shipped())
        if model_id not in models:
            raise OperatorError("There is no model {model}.", model=model_id)
        changed = {}
        for key, place, name in price_places(models[model_id], self.live.catalog().day):
            price = wanted.get(key, str(place[name]))
            if not _USD.fullmatch(price):
                raise OperatorError(
                    "{price}: dollars, such as 0.05; at most six digits after the dot.", price=key
                )
            # Compared as numbers, because `0.10` and `0.1` are the same price.
            if Decimal(price) != Decimal(place[name]):
                changed[key] = Decimal(place[name]), Decimal(price)
                place[name] = price
        if not changed:
            raise OperatorError("Nothing changes: these are the current prices.")
        body = json.dumps(models, ensure_ascii=False, separators=(",", ":")).encode()
        return body, found.etag if isinstance(found, Found) else "", changed

    def _payers(
        self, model_id: str, changed: Mapping[str, tuple[Decimal, Decimal]]
    ) -> tuple[tuple[Payer, ...], bool]:
        # The statistics do not count which of the prices was paid, so the result is a range.
        ratios = [after / before for before, after in changed.values() if before]
        # An account may have paid only prices that do not change.
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
        """Return the spending on a model per account, in micro-USD, and whether there are more accounts."""
        ids = [account.account_id for account in islice(self.accounts.all(), MAX_ASKED + 1)]
        found = {}
        for account_id in ids[:MAX_ASKED]:
            by_model = self.statistics.of(account_id, {"range": RANGE})["byModel"]
            spent = sum(int(row["spentMicroUsd"]) for row in by_model if row["model"] == model_id)
            if spent:
                found[account_id] = spent
        return found, len(ids) > MAX_ASKED


def lines_of(model: AnyModel) -> list[PriceLine]:
    """Return the prices of a model with the costs of its live routes. Pure."""
    if isinstance(model, CatalogTextModel):
        return list(_token_lines(model))
    return list(_media_lines(model))


def margins_of(lines: Iterable[PriceLine]) -> tuple[int, int] | None:
    """Return the lowest and the highest margin of all prices at all routes, in percent. Pure.

    `None` for a free model, and for a model without a live route.
    """
    found = [line.margin_percent(provider) for line in lines if line.price for provider in line.costs]
    return (min(found), max(found)) if found else None


def _media_lines(model: Model) -> Iterator[PriceLine]:
    for price in model.pricing.prices:
        costs = {}
        for route in model.routes:
            # A route without a cost for these dimensions does not offer them.
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
    if prices.search is not None:
        return {"search": prices.search}
    read, write = prices.cache_read, prices.cache_write
    if (only := prices.only) is not None:
        return {only[0]: only[1]}
    return {
        "input": prices.of_input(),
        "output": prices.of_output(),
        "cacheRead": prices.of_input() if read is None else read,
        "cacheWrite": prices.of_input() if write is None else write,
    }


def price_places(model: Mapping[str, Any], day: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield each price in a model's data: its key, and the dict and the name that contain it. Pure.

    Prices that end before `day` are left out. The key of a price that begins later ends in its first day.
    """
    prices = model.get("prices") or model["pricing"]["prices"]
    for row in prices if isinstance(prices, list) else [prices]:
        if dated.is_over(row, day):
            continue
        starts = row.get(dated.FROM, dated.FIRST)
        names = ["price"] if "price" in row else [name for name in row if name not in dated.DAYS]
        for name in names:
            key = row["key"] if name == "price" else name
            yield (key_from(key, starts) if starts > day else key), row, name


def key_from(key: str, day: str) -> str:
    """Return the key of an announced price, such as `input from 2027-01-01`. Pure."""
    return f"{key} from {day}"
