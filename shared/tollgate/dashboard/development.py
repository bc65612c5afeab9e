"""Signing in on one machine, where there is no user pool: by any e-mail address, without a password.

`DashboardSettings` refuses to start with this anywhere else.
"""

from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.kit.mail import address_of
from tollgate.kit.money import micro_usd_of_cents
from tollgate.members.identities import Person

# What a new person finds on the account, so that everything can be tried: 100 USD of nobody's.
CREDIT_MICRO_USD = micro_usd_of_cents(10_000)
# Who signs in as this operates the service on this machine.
OPERATOR = "operator@tollgate.local"


def person_of(email: str) -> Person:
    """Return who has this e-mail address. Raises `InvalidInputError` for what is none."""
    address = address_of(email)
    if address is None:
        raise InvalidInputError([Problem("/email", "Is not an e-mail address.", "name@example.com")])
    return Person(f"development#{address}", address, address, address == OPERATOR)
