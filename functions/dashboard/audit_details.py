"""The details of audit events in the language of the page.

The log stores details in English: mails, exports and the command show them so. A page translates the parts
that it knows. The rest are names, ids and reasons that people wrote.
"""

import re
from functools import cache

from dashboard.languages import current, gettext
from tollgate.accounts.scopes import Scope
from tollgate.web.languages import ENGLISH

# The services that write the events put details together from these parts. A part in `{braces}` is kept.
PARTS = (
    # API keys and run tokens
    "no cap",
    "{amount} per day",
    "{amount} per week",
    "{amount} per month",
    "{amount} in total",
    "all models",
    "{count} model",
    "{count} models",
    "any network",
    "{count} network",
    "{count} networks",
    "until {time}",
    "works until {time}",
    "connected to {host}",
    "the old one ended at once",
    "the old one works until {time}",
    "expires {time}",
    "expired {time}",
    # Budgets and caps
    "for the account",
    "for each {scope}",
    "{amount} of {limit} used",
    "{amount} of {limit} used ({percent})",
    "starts again {time}",
    # Sign-ins
    "from {address}",
    "the first of this hour",
    "by the hosted sign-in",
    "by the hosted sign-in (as an operator)",
    "by e-mail, without a password",
    "by e-mail, without a password (as an operator)",
    "by an API key",
    "by an invitation",
    "by the company directory",
    # Settings
    "on",
    "off",
    "none",
    "below {amount}",
    "top up by {amount}",
    "at most {amount} a month",
    "no top-up",
    "complete after a disconnect",
    "end with a disconnect",
    "webhook for requests",
    "bucket",
    # Members and sub-accounts
    "ended invitations of {names}",
    "no role in {project}",
    "mark-up {percent}",
    "suspended",
    "resumed",
    "limits",
    "alert",
    "{amount} credited",
    "{amount} taken back",
    # Payments
    "{amount} and {tax} tax",
    "{amount} returned",
    "Payment of {amount} refunded: {taken} taken off the balance",
    "Payment of {amount} disputed: {taken} taken off the balance",
    "Payment of {amount} reported as fraud: {taken} taken off the balance",
    "Payment {payment} was refunded",
    "Payment {payment} was disputed",
    "Payment {payment} was reported as fraud",
    "{amount} is missing",
    # Files and deliveries
    "{count} files",
    "{size} bytes",
    "with its input",
    "without its input",
    "{count} attempts of {delivery}",
    "the last: {result}",
    # Operators
    "${amount} credit",
    "on: {reason}",
    "off: {reason}",
    "at most {count}",
    "published",
    "removed",
    "{price} {before} to {after} USD",
    # The end of an account
    "erased after {time}",
    "balance {amount}",
)
SCOPES = frozenset(map(str, Scope))
_HOLE = re.compile(r"\\\{(\w+)\\\}")


def detail_in_words(detail: str) -> str:
    """Return the detail of an event in the language of the page."""
    return "; ".join(_parts(part) for part in detail.split("; "))


def _parts(text: str) -> str:
    """Return a text as one part, or its parts between commas."""
    whole = _part(text)
    return whole if whole != text else ", ".join(_part(part) for part in text.split(", "))


def _part(text: str) -> str:
    for part, pattern in _patterns():
        if (found := pattern.fullmatch(text)) is not None:
            return gettext(part).format(**found.groupdict())
    # The catalogs have the scopes as titles.
    return gettext(text.capitalize()) if text in SCOPES and current() != ENGLISH else text


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Return each part with its pattern. Parts without a hole, and with more words, come first."""
    in_order = sorted(PARTS, key=lambda part: ("{" in part, -len(_HOLE.sub("", re.escape(part)))))
    return [(part, re.compile(_HOLE.sub(r"(?P<\1>.+?)", re.escape(part)))) for part in in_order]
