"""A mail to a person, as text. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail in plain text."""

    subject: str
    text: str
