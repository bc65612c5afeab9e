"""The rows of a FOCUS 1.2 file: each charge and refund of the ledger is one. Pure.

FOCUS (FinOps Open Cost and Usage Specification) is a common form of cost files. The sum of `BilledCost` is
the charges less the refunds, as in the ledger and the statement. A payment has no row, because it is no cost:
it pays for the charges. The same applies to credits and debits by operators.

Source: FOCUS specification 1.2, its columns and attributes, and the rules of focus-validator 2.2.1.
"""

import json
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal

from tollgate.kit.clock import iso, utc_day, utc_month
from tollgate.kit.csv_table import Cell
from tollgate.kit.money import MICRO_USD_PER_USD, usd_decimal
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.usage.counts import INPUT, OUTPUT, searches_micro_usd, searches_of, web_search_micro_usd

SELLER, CURRENCY = "Tollgate", "USD"
# The kinds of entries that are rows. All others move money without being a cost.
KINDS = frozenset({EntryKind.CHARGE, EntryKind.TEXT, EntryKind.REFUND})

# Custom columns follow the columns of FOCUS, with the prefix that it reserves for them.
COLUMNS = (
    "BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency", "BillingPeriodEnd",
    "BillingPeriodStart", "ChargeCategory", "ChargeClass", "ChargeDescription", "ChargeFrequency",
    "ChargePeriodEnd", "ChargePeriodStart", "CommitmentDiscountStatus", "ConsumedQuantity", "ConsumedUnit",
    "ContractedCost", "ContractedUnitPrice", "EffectiveCost", "InvoiceId", "InvoiceIssuerName", "ListCost",
    "ListUnitPrice", "PricingCategory", "PricingCurrency", "PricingCurrencyContractedUnitPrice",
    "PricingCurrencyEffectiveCost", "PricingCurrencyListUnitPrice", "PricingQuantity", "PricingUnit",
    "ProviderName", "PublisherName", "ServiceCategory", "ServiceName", "ServiceSubcategory", "SkuId",
    "SkuMeter", "SkuPriceDetails", "SkuPriceId", "Tags",
    "x_Model", "x_ApiKeyId", "x_ProjectId", "x_User", "x_RunTokenId", "x_RequestId", "x_EntryId",
    "x_CreatedAt", "x_InputTokens", "x_CachedInputTokens", "x_OutputTokens", "x_ReasoningTokens",
    "x_WebSearches", "x_WebSearchUnitPrice", "x_WebSearchCost",
)  # fmt: skip


def row_of(entry: Entry, charged_ms: int | None = None) -> list[Cell]:
    """Return the row of an entry of a kind in `KINDS`, in the order of `COLUMNS`.

    `charged_ms` is the time of the charge that a refund returns. If its month is earlier, it is a correction.
    """
    cells = {**_always(entry), **(_credit(entry, charged_ms) if _is_refund(entry) else _usage(entry))}
    return [cells.get(name) for name in COLUMNS]


def _always(entry: Entry) -> Mapping[str, Cell]:
    cost = _decimal(usd_decimal(-entry.amount_micro_usd))
    day = date.fromisoformat(utc_day(entry.created_at_ms))
    month = day.replace(day=1)
    is_text, usage = entry.kind is EntryKind.TEXT, entry.usage or {}
    tokens = {
        "x_InputTokens": sum(usage.get(name, 0) for name in INPUT),
        "x_CachedInputTokens": usage.get("cache_read_tokens", 0),
        "x_OutputTokens": sum(usage.get(name, 0) for name in OUTPUT),
        "x_ReasoningTokens": usage.get("reasoning_tokens", 0),
        "x_WebSearches": searches_of(entry),
    }
    return {
        "BilledCost": cost,
        "ContractedCost": cost,
        "EffectiveCost": cost,
        "ListCost": cost,
        "PricingCurrencyEffectiveCost": cost,
        "PricingCurrency": CURRENCY,
        "BillingAccountId": entry.account_id,
        "BillingCurrency": CURRENCY,
        "BillingPeriodStart": _midnight(month),
        "BillingPeriodEnd": _midnight((month + timedelta(days=31)).replace(day=1)),
        "ChargePeriodStart": _midnight(day),
        "ChargePeriodEnd": _midnight(day + timedelta(days=1)),
        "InvoiceIssuerName": SELLER,
        "ProviderName": SELLER,
        "PublisherName": SELLER,
        "ServiceCategory": "AI and Machine Learning",
        "ServiceSubcategory": "Generative AI",
        "ServiceName": "Text models" if is_text else "Media models",
        "SkuId": entry.model or "unknown",
        "SkuMeter": "Requests",
        "SkuPriceId": entry.model or "unknown",
        "PricingCategory": "Standard",
        "Tags": json.dumps(dict(entry.tags), separators=(",", ":")) if entry.tags else None,
        "x_Model": entry.model,
        "x_ApiKeyId": entry.key_id,
        "x_ProjectId": entry.project,
        "x_User": entry.user,
        "x_RunTokenId": entry.token,
        "x_RequestId": entry.request_id or entry.task_id,
        "x_EntryId": entry.entry_id,
        "x_CreatedAt": iso(entry.created_at_ms),
        **({**tokens, **_searches(entry)} if is_text and entry.usage else {}),
    }


def _searches(entry: Entry) -> Mapping[str, Cell]:
    """Return the price of a search of the web and of all searches, which is a part of the cost."""
    price = web_search_micro_usd(entry)
    if price is None:
        return {}
    return {
        "x_WebSearchUnitPrice": _decimal(price / MICRO_USD_PER_USD),
        "x_WebSearchCost": _decimal(usd_decimal(searches_micro_usd(entry))),
    }


def _usage(entry: Entry) -> Mapping[str, Cell]:
    """Return the cells of a charge. It is the price of one request, because that is rounded as a whole."""
    usage = entry.usage or {}
    quantity, unit = _consumed(usage)
    price = _decimal(usd_decimal(-entry.amount_micro_usd))
    return {
        "ChargeCategory": "Usage",
        "ChargeFrequency": "Usage-Based",
        "ChargeDescription": f"One request to {entry.model}",
        "ConsumedQuantity": _decimal(Decimal(quantity)),
        "ConsumedUnit": unit,
        "ListUnitPrice": price,
        "ContractedUnitPrice": price,
        "PricingCurrencyListUnitPrice": price,
        "PricingCurrencyContractedUnitPrice": price,
        "PricingQuantity": _decimal(Decimal(1)),
        "PricingUnit": "Requests",
    }


def _consumed(usage: Mapping[str, int]) -> tuple[int, str]:
    """Return what a request consumed: searches, tokens, characters of speech, or seconds of a recording."""
    if searches := usage.get("search_units", 0):
        return searches, "Searches"
    if tokens := sum(usage.get(name, 0) for name in (*INPUT, *OUTPUT)):
        return tokens, "Tokens"
    if characters := usage.get("characters", 0):
        return characters, "Characters"
    return (usage["seconds"], "Seconds") if usage.get("seconds") else (1, "Requests")


def _credit(entry: Entry, charged_ms: int | None) -> Mapping[str, Cell]:
    """Return the cells of a refund. FOCUS marks only corrections of an earlier billing period."""
    is_earlier = charged_ms is not None and utc_month(charged_ms) < utc_month(entry.created_at_ms)
    return {
        "ChargeCategory": "Credit",
        "ChargeClass": "Correction" if is_earlier else None,
        "ChargeFrequency": "One-Time",
        "ChargeDescription": f"Refund of a request to {entry.model}",
    }


def _decimal(number: Decimal) -> Decimal:
    """Return a number with a decimal point, because readers guess the type of a column."""
    return number if number != number.to_integral_value() else number.quantize(Decimal("0.0"))


def _is_refund(entry: Entry) -> bool:
    return entry.kind is EntryKind.REFUND


def _midnight(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"
