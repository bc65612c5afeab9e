"""Signing in on one machine, where there is no user pool: by any e-mail address, without a password.

`DashboardSettings` refuses to start with this anywhere else.
"""

import re

from tollgate.dashboard.identities import Person
from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.kit.money import micro_usd_of_cents

# What a new person finds on the account, so that everything can be tried: 100 USD of nobody's.
CREDIT_MICRO_USD = micro_usd_of_cents(10_000)
# The longest address that SMTP carries (RFC 5321, section 4.5.3.1.3).
MAX_EMAIL_LENGTH = 254
# Who signs in as this operates the service on this machine.
OPERATOR = "operator@tollgate.local"
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


def person_of(email: str) -> Person:
    """Return who has this e-mail address. Raises `InvalidInputError` for what is none."""
    address = email.strip().lower()
    if len(address) > MAX_EMAIL_LENGTH or not _EMAIL.fullmatch(address):
        raise InvalidInputError([Problem("/email", "Is not an e-mail address.", "name@example.com")])
    return Person(f"development#{address}", address, address, address == OPERATOR)
