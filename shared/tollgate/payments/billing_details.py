"""The company details that an owner wants on invoices and statements. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

ITEM = "billing"
"""The sort key of the row in `BudgetsTable`."""
# The longest values. Stripe's custom fields of an invoice have at most 140 characters
# (https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-invoice_creation-invoice_data-custom_fields).
LIMITS = {"company": 140, "address": 300, "tax_id": 40, "order": 140}
# Stripe's names for the fields on an invoice have at most 40 characters.
ON_INVOICE = {"company": "Company", "tax_id": "Tax ID", "order": "Purchase order"}


@dataclass(frozen=True, slots=True)
class BillingDetails:
    """The details of one account; an empty text is left out of invoices. `seq` counts the changes."""

    company: str = ""
    address: str = ""
    tax_id: str = ""
    order: str = ""
    seq: int = 0

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to show."""
        return not any(getattr(self, name) for name in LIMITS)

    def on_invoice(self) -> list[tuple[str, str]]:
        """Return the fields of an invoice, each with its label and value."""
        return [(label, getattr(self, name)) for name, label in ON_INVOICE.items() if getattr(self, name)]

    def to_item(self, account_id: str) -> Item:
        """Return the details as a row."""
        values = {name: getattr(self, name) for name in LIMITS}
        return {"account_id": account_id, "item": ITEM, "seq": self.seq, **values}

    @classmethod
    def from_item(cls, item: Item) -> "BillingDetails":
        """Return the details that a row holds."""
        return cls(**{name: item[name] for name in cls.__slots__ if name in item})


def read_details(sent: Mapping[str, str], seq: int) -> BillingDetails:
    """Return the details in a form. `seq` is the number of the change. Raises `InvalidInputError`."""
    lines = {name: sent.get(name, "").strip().splitlines() for name in LIMITS}
    values = {name: "\n".join(map(str.strip, found)) for name, found in lines.items()}
    problems = []
    for name, text in values.items():
        if len(text) > LIMITS[name]:
            problems.append(Problem(f"/{name}", f"Has {len(text)} characters.", f"at most {LIMITS[name]}"))
        elif not text.replace("\n", "" if name == "address" else "\n").isprintable():
            problems.append(Problem(f"/{name}", "Must be plain text."))
    if problems:
        raise InvalidInputError(problems)
    return BillingDetails(**values, seq=seq)
