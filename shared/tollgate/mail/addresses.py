"""Mail addresses as people type them, and the one form that is compared. Pure."""

import re

# The longest address that SMTP carries (RFC 5321, section 4.5.3.1.3), and the longest name before its @.
MAX_ADDRESS_LENGTH, MAX_LOCAL_LENGTH = 254, 64
ALLOWED = "an address such as name@example.com, in ASCII; an international domain starts with xn--"
# Dot-atoms (RFC 5322, 3.2.3) at a domain of two labels or more. Amazon SES takes 7-bit ASCII only, and no
# local part that needs SMTPUTF8 (its API reference, "Destination").
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS = re.compile(rf"({_ATOM}(?:\.{_ATOM})*)@{_LABEL}(?:\.{_LABEL})+")


def address_of(text: str) -> str | None:
    """Return an address in the one form that we compare, or `None` if it cannot receive mail."""
    address = text.strip().lower()
    if len(address) > MAX_ADDRESS_LENGTH:
        return None
    found = _ADDRESS.fullmatch(address)
    return address if found is not None and len(found[1]) <= MAX_LOCAL_LENGTH else None
