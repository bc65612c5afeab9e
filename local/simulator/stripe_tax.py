"""Stripe Tax in the simulated Stripe: the tax of a session, calculations, refused requests.

Formats: Stripe's API reference (Checkout Session, Tax Calculation) and its guide "Collect taxes".
"""

from typing import Any

CALCULATION_S = 90 * 24 * 3600
TAX_PERCENT = 19
"""Stripe Tax adds this: every payer has a billing address in Germany."""
UNTAXED = {"enabled": False, "liability": None, "provider": None, "status": None}
TAXED = {
    "enabled": True,
    "liability": {"type": "self"},
    "provider": "stripe",
    "status": "requires_location_inputs",
}


def tax_of(cents: int) -> int:
    """Return the tax on a price, rounded half up."""
    return (cents * TAX_PERCENT + 50) // 100


def locate(session: dict[str, Any]) -> None:
    """Take the payer's billing address, which decides the tax of a session with automatic tax."""
    if session["automatic_tax"]["enabled"]:
        tax = tax_of(session["amount_subtotal"])
        session["amount_total"] = session["amount_subtotal"] + tax
        session["total_details"] = {**session["total_details"], "amount_tax": tax}
        session["automatic_tax"] = {**session["automatic_tax"], "status": "complete"}


def calculation(asked: dict[str, str], name: str, now_s: int) -> dict[str, Any]:
    """Return a calculation of tax (https://docs.stripe.com/api/tax/calculations/object)."""
    cents = int(asked["line_items[0][amount]"])
    tax = tax_of(cents)
    return {
        "id": name,
        "object": "tax.calculation",
        "amount_total": cents + tax,
        "currency": asked["currency"],
        "customer": asked["customer"],
        "customer_details": {
            "address": None,
            "address_source": "billing",
            "ip_address": None,
            "tax_ids": [],
            "taxability_override": "none",
        },
        "expires_at": now_s + CALCULATION_S,
        "livemode": False,
        "ship_from_details": None,
        "shipping_cost": None,
        "tax_amount_exclusive": tax,
        "tax_amount_inclusive": 0,
        "tax_breakdown": [],
        "tax_date": now_s,
    }


def tax_problem(asked: dict[str, str]) -> str | None:
    """Return what Stripe refuses in a session with tax (https://docs.stripe.com/tax/checkout)."""
    if asked.get("automatic_tax[enabled]") != "true":
        return None
    if "line_items[0][price_data][tax_behavior]" not in asked:
        return "You must specify a `tax_behavior` on the price when using automatic tax."
    if "customer" not in asked:
        return None
    if asked.get("customer_update[address]") != "auto":
        return "Automatic tax calculation in Checkout requires a valid address on the Customer."
    if asked.get("tax_id_collection[enabled]") == "true" and asked.get("customer_update[name]") != "auto":
        return "Tax ID collection requires updating business name on the customer."
    return None
