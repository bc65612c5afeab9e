"""The rows of a FOCUS file keep the rules of FOCUS 1.2, and their sum is the ledger's.

The rules are those of focus-validator 2.2.1 (`make focus-truth` runs it). Each has its id there.
"""

import csv
import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.truth.focus import sample
from tollgate.exports.focus import COLUMNS, KINDS, row_of
from tollgate.kit.csv_table import as_csv
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.entries import Entry, charge_entry, refund_of
from tollgate.ledger.hold_entries import text_entry

Row = dict[str, str]

# 2026-11-30T23:59:59.999Z and the first millisecond of December.
END_OF_MONTH = 1_796_083_199_999
MONEY = (
    "BilledCost", "ContractedCost", "EffectiveCost", "ListCost", "ListUnitPrice", "ContractedUnitPrice",
    "PricingCurrencyEffectiveCost", "PricingCurrencyListUnitPrice", "PricingCurrencyContractedUnitPrice",
)  # fmt: skip
NEVER_NULL = (
    "BilledCost", "BillingAccountId", "BillingCurrency", "BillingPeriodEnd", "BillingPeriodStart",
    "ChargeCategory", "ChargeDescription", "ChargeFrequency", "ChargePeriodEnd", "ChargePeriodStart",
    "ContractedCost", "EffectiveCost", "InvoiceIssuerName", "ListCost", "PricingCurrency",
    "PricingCurrencyEffectiveCost", "ProviderName", "PublisherName", "ServiceCategory", "ServiceName",
    "ServiceSubcategory",
)  # fmt: skip
ONLY_FOR_USAGE = (
    "ConsumedQuantity", "ConsumedUnit", "ContractedUnitPrice", "ListUnitPrice", "PricingQuantity",
    "PricingUnit", "PricingCurrencyListUnitPrice", "PricingCurrencyContractedUnitPrice",
)  # fmt: skip
ALLOWED = {
    "ChargeCategory": {"Usage", "Credit"},
    "ChargeClass": {"", "Correction"},
    "ChargeFrequency": {"One-Time", "Usage-Based"},
    "PricingCategory": {"Standard"},
    "ServiceCategory": {"AI and Machine Learning"},
    "ServiceSubcategory": {"Generative AI"},
    "BillingCurrency": {"USD"},
    "PricingCurrency": {"USD"},
}
A_NUMBER, A_TIME = re.compile(r"-?[0-9]+\.[0-9]+"), re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
TIMES = [name for name in COLUMNS if name.startswith(("ChargePeriod", "BillingPeriod"))]
RULES: dict[str, Callable[[Row], bool]] = {
    "*-C-003-M, never null": lambda row: all(row[name] for name in NEVER_NULL),
    "*-C-003-M, allowed values": lambda row: all(row[name] in them for name, them in ALLOWED.items()),
    "NumericFormat-A-000-M": lambda row: all(A_NUMBER.fullmatch(row[name]) for name in MONEY if row[name]),
    "DateTimeFormat-A-000-M": lambda row: all(A_TIME.fullmatch(row[name]) for name in TIMES),
    "ConsumedQuantity-C-004-C, PricingQuantity-C-005-C": lambda row: all(
        bool(row[name]) == (row["ChargeCategory"] == "Usage") for name in ONLY_FOR_USAGE
    ),
    "ListUnitPrice-C-010-C": lambda row: (
        not row["PricingQuantity"]
        or Decimal(row["ListUnitPrice"]) * Decimal(row["PricingQuantity"]) == Decimal(row["ListCost"])
    ),
    "ListUnitPrice-C-008-M": lambda row: Decimal(row["ListUnitPrice"] or 0) >= 0,
    "ListCost-C-008-C": lambda row: row["BilledCost"] == row["ListCost"] == row["EffectiveCost"],
    "SkuPriceId-C-005-C, SkuMeter-C-005-C": lambda row: bool(
        row["SkuId"] and row["SkuPriceId"] and row["SkuMeter"]
    ),
    "KeyValueFormat-A-001-M": lambda row: not row["Tags"] or isinstance(json.loads(row["Tags"]), dict),
    "BillingPeriodEnd-C-004-M": lambda row: (
        row["BillingPeriodStart"]
        <= row["ChargePeriodStart"]
        < row["ChargePeriodEnd"]
        <= row["BillingPeriodEnd"]
    ),
}


def read(entries: Sequence[Entry]) -> list[Row]:
    """Return the rows as another program reads them from the file."""
    rows = [row_of(entry) for entry in entries if entry.kind in KINDS]
    return list(csv.DictReader(StringIO(as_csv(COLUMNS, rows))))


@st.composite
def an_entry(draw: st.DrawFn) -> Entry:
    at = draw(st.integers(END_OF_MONTH - 10**9, END_OF_MONTH + 10**9) | st.just(END_OF_MONTH))
    labels = Attribution(
        draw(st.none() | st.text(min_size=1, max_size=9).filter(str.isprintable)),
        draw(st.dictionaries(st.sampled_from("abc"), st.sampled_from(["x", "-1"]))),
        draw(st.sampled_from([None, "proj_1"])),
    )
    amount = draw(st.integers(0, 10**12))
    charge = charge_entry("usr_1", "task_1", "z-image", amount, at, attribution=labels)
    tokens = draw(st.integers(0, 10**9))
    text = text_entry(
        "usr_1", "req_1", model="gpt-5.4-mini", charge_micro_usd=amount, usage={"input_tokens": tokens},
        now_ms=at, attribution=labels,
    )  # fmt: skip
    return draw(st.sampled_from([charge, refund_of(charge, at), text]))


class TestRows:
    @settings(max_examples=examples(100), deadline=None)
    @given(entries=st.lists(an_entry(), min_size=1, max_size=8))
    def test_keep_the_rules_and_sum_up_to_the_ledger(self, entries: list[Entry]) -> None:
        rows = read(entries)
        broken = [(rule, row) for row in rows for rule, holds in RULES.items() if not holds(row)]
        assert broken == []
        billed = sum(Decimal(row["BilledCost"]) for row in rows)
        assert billed * 1_000_000 == -sum(entry.amount_micro_usd for entry in entries)

    def test_searches_of_the_web_have_a_quantity_a_unit_price_and_their_part_of_the_cost(self) -> None:
        found = {row["x_RequestId"]: row for row in read(sample())}
        names = ("x_WebSearches", "x_WebSearchUnitPrice", "x_WebSearchCost", "BilledCost")
        assert [found["req_3"][name] for name in names] == ["3", "0.01", "0.03", "0.030063"]
        assert [found["req_1"][name] for name in names[:3]] == ["0", "", ""]

    def test_a_payment_has_no_row(self) -> None:
        assert {entry.kind for entry in sample()} > KINDS
        assert len(read(sample())) == sum(entry.kind in KINDS for entry in sample())

    @pytest.mark.parametrize(
        ("charged_ms", "found"), [(END_OF_MONTH, "Correction"), (END_OF_MONTH + 1, None)]
    )
    def test_only_a_refund_of_an_earlier_month_is_a_correction(
        self, charged_ms: int, found: str | None
    ) -> None:
        charge = charge_entry("usr_1", "task_1", "z-image", 20_000, charged_ms)
        row = row_of(refund_of(charge, END_OF_MONTH + 5), charged_ms)
        assert row[COLUMNS.index("ChargeClass")] == found

    def test_columns_of_focus_come_first_and_others_have_its_prefix(self) -> None:
        own = [name for name in COLUMNS if name.startswith("x_")]
        assert list(COLUMNS) == [*sorted(set(COLUMNS) - set(own)), *own]
        # No text is a formula, and a number stays a number
        labels = Attribution("=1+1")
        text = text_entry(
            "usr_1",
            "req_1",
            model="m",
            charge_micro_usd=63,
            usage={},
            now_ms=END_OF_MONTH,
            attribution=labels,
        )
        (row,) = read([text])
        assert (row["x_User"], row["BilledCost"]) == ("'=1+1", "0.000063")
