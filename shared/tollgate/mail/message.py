"""A mail as a value. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail in plain text, and the same as HTML if it has a layout."""

    subject: str
    text: str
    html: str | None = None
