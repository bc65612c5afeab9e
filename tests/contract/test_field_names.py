"""One name per concept: the ending of a field's name tells the unit of money and the form of a time."""

from collections.abc import Iterator
from typing import Any

import pytest

from tollgate.catalog.loader import Catalog
from tollgate.reference.document import openapi

MONEY = ("Cents", "MicroUsd", "Usd")
TIME = ("At",)
WORDS_OF_MONEY = ("amount", "balance", "cents", "cost", "paid", "price", "refund", "spent", "usd")
# The contract fixes these names (docs/contract.md), or they are no amounts.
CONTRACT_MONEY = {"balance", "price", "priceFrom", "prices", "priceUnit"}
# Announced `prices`, in the same form.
NEXT_MONEY = {"nextPrices"}
NO_MONEY = {"priceVersion"}
CONTRACT_TIMES = {"createdTime"}
# Standard Webhooks fixes the name of an event's time.
FIXED_TIMES = {"timestamp"}
# OpenAI's and Anthropic's protocols have names in lower case with underscores, and these.
PROTOCOL_TIMES = {"created"}

Field = tuple[str, str, dict[str, Any]]


def fields_of(value: Any, place: str) -> Iterator[Field]:
    """Return the place, name and schema of every field below a schema."""
    if isinstance(value, list):
        for one in value:
            yield from fields_of(one, place)
    elif isinstance(value, dict):
        own = value.get("properties")
        if isinstance(own, dict):
            yield from ((place, name, one) for name, one in own.items() if isinstance(one, dict))
        for name, one in value.items():
            # An example is not a schema.
            if name not in ("examples", "example", "default"):
                yield from fields_of(one, place)


@pytest.fixture(scope="module")
def own_fields() -> list[Field]:
    """Return the fields of the service's own bodies; names with an underscore belong to other protocols."""
    found = openapi(Catalog.shipped(), with_generations=False)
    fields = list(fields_of(found["paths"], "paths"))
    for name, schema in found["components"]["schemas"].items():
        fields += fields_of(schema, name)
    return [one for one in fields if "_" not in one[1]]


def is_time(schema: dict[str, Any]) -> bool:
    """Return whether the values are moments."""
    return any(one.get("format") == "date-time" for one in (schema, *schema.get("anyOf", ())))


class TestNames:
    def test_there_are_fields_to_check(self, own_fields: list[Field]) -> None:
        names = {name for _, name, _ in own_fields}
        assert {"costCents", "amountMicroUsd", "amountUsd", "createdAt", "expiresAt", "balance"} <= names

    def test_a_time_ends_in_at(self, own_fields: list[Field]) -> None:
        allowed = CONTRACT_TIMES | FIXED_TIMES | PROTOCOL_TIMES
        outliers = {
            (place, name)
            for place, name, schema in own_fields
            if (is_time(schema) or name.endswith("Time")) and not name.endswith(TIME) and name not in allowed
        }
        assert outliers == set()

    def test_a_field_that_ends_in_at_is_iso_8601(self, own_fields: list[Field]) -> None:
        # The contract's model has two dates.
        others = {
            (place, name) for place, name, schema in own_fields if name.endswith("At") and not is_time(schema)
        }
        assert {name for _, name in others} <= {"releasedAt", "pageUpdatedAt", "expiresAt"}

    def test_money_ends_in_its_unit(self, own_fields: list[Field]) -> None:
        outliers = {
            (place, name)
            for place, name, _ in own_fields
            if any(word in name.lower() for word in WORDS_OF_MONEY)
            and not name.endswith(MONEY)
            and name not in CONTRACT_MONEY | NEXT_MONEY | NO_MONEY
        }
        assert outliers == set()

    def test_cents_and_micro_usd_are_whole_numbers_and_usd_is_a_text(self, own_fields: list[Field]) -> None:
        wrong = set()
        for place, name, schema in own_fields:
            if name.endswith(MONEY):
                expected = "string" if name.endswith("Usd") and not name.endswith("MicroUsd") else "integer"
                if schema.get("type", expected) != expected:
                    wrong.add((place, name))
        assert wrong == set()
