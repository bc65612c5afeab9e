"""Sign-in on one machine, without a user pool: any e-mail address, without a password.

`DashboardSettings` refuses to start with it anywhere else.
"""

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.money import micro_usd_of_cents
from tollgate.kit.problems import Problem
from tollgate.mail.addresses import address_of
from tollgate.members.identities import Person

# The first credit of a new person's account, for trying everything: 100 USD of test credit.
CREDIT_MICRO_USD = micro_usd_of_cents(10_000)
# The person with this address is an operator of the service on this machine.
OPERATOR = "operator@tollgate.local"


def person_of(email: str) -> Person:
    """Return the person with this e-mail address. Raises `InvalidInputError` if it is not an address."""
    address = address_of(email)
    if address is None:
        raise InvalidInputError([Problem("/email", "Is not an e-mail address.", "name@example.com")])
    return Person(f"development#{address}", address, address, address == OPERATOR)
