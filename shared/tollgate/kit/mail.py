"""A mail to a person; addresses as people type them. Pure."""

import re
from dataclasses import dataclass

# The longest address that SMTP carries (RFC 5321, section 4.5.3.1.3).
MAX_ADDRESS_LENGTH = 254
_ADDRESS = re.compile(r"[^@\s,<>\x00-\x1f]+@[^@\s,<>\x00-\x1f]+")


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail in plain text, and the same as a page where it has a look."""

    subject: str
    text: str
    html: str | None = None


def address_of(text: str) -> str | None:
    """Return an address in the one way that we compare it, `None` for what is none."""
    address = text.strip().lower()
    return address if len(address) <= MAX_ADDRESS_LENGTH and _ADDRESS.fullmatch(address) else None
