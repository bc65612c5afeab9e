"""Texts of tables in other rooms. Pages translate them when they show them, so the tables need no marks."""

import re
from collections.abc import Iterable, Iterator

from dashboard import audit_details
from dashboard.languages import NUMBER
from dashboard.pages import activity, audit, catalog, exports, palette, requests, status, top_up
from dashboard.render import STATUS_WORDS
from tollgate.accounts.scopes import Scope
from tollgate.audit.events import OPERATOR
from tollgate.catalog.listing import Listing
from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.params import json_schema
from tollgate.ledger.budgets import BudgetPeriod
from tollgate.ledger.entries import EntryKind
from tollgate.members.mails import ROLE_DESCRIPTIONS
from tollgate.members.roles import ProjectRole, Role
from tollgate.members.topics import WORDS as TOPICS
from tollgate.operator.overview import HIT_KINDS
from tollgate.payments.claims import WORDS as CLAIMS
from tollgate.providers.runtime.outcomes import FailureKind, RejectionKind
from tollgate.reconciliation.service import NO_KEY
from tollgate.reference.previews import KINDS
from tollgate.reference.prices import Headlines, condition, tiers
from tollgate.subaccounts.views import SubaccountState
from tollgate.web import budgets, token_form, usage_query
from tollgate.web.comparison import taken

# Names in options, which are the same in every language: `16:9`, `HD`, `turbo`, `v4.5+`.
_NAME = re.compile(r"[a-z0-9][^ ]*|[A-Z0-9:.+]+[a-z]?")

# Choices of a request as its fields name them: `quality high`.
_CHOICE = re.compile(r"(action|mode|quality|service|size) |(imagine|pro|relax)$")

# Values of a field in words: `up to {n} files`.
_VALUES = re.compile(r"(up to \{n\}|on or off|a number|an object|\{n\} to \{n\})( |$)")


def tables() -> Iterator[str]:
    """Return the texts of all tables."""
    yield from audit.WORDS.values()
    yield from audit_details.PARTS
    yield OPERATOR
    yield from (*activity.METRICS.values(), *activity.KINDS.values())
    yield from (*status.PART_NAMES.values(), *status.PHASE_NAMES.values(), *status.KINDS.values())
    yield from (*requests.APIS.values(), *requests.QUANTITIES.values())
    yield from (
        *exports.LABELS.values(),
        *top_up.LOW_BALANCE.values(),
        *palette.PLACES.values(),
        *palette.CONSOLE.values(),
    )
    yield from (*catalog.ORDERS.values(), *KINDS.values(), *STATUS_WORDS.values())
    yield from (*usage_query.RANGES.values(), *usage_query.GROUPS.values())
    yield from (*token_form.LIFETIMES.values(), *TOPICS.values(), *ROLE_DESCRIPTIONS.values())
    enums = (Scope, Role, ProjectRole, BudgetPeriod, SubaccountState, EntryKind)
    failures = (*FailureKind, *RejectionKind)
    yield from (str(failure).replace("_", " ").capitalize() for failure in failures)
    yield from (*HIT_KINDS, NO_KEY, *(word.capitalize() for word in CLAIMS.values()))
    yield from (str(value).capitalize() for enum in enums for value in enum)
    yield from (f"{{n}} {per}" for per in budgets.PER.values())
    # The values of a field (`comparison.taken`)
    yield "{n} to {n}"
    yield from _of_the_catalog()


def _of_the_catalog() -> Iterator[str]:
    """Return names of fields and capabilities, and the words around prices."""
    models = Catalog.shipped()
    listing, headlines = Listing(models), Headlines(models)
    for card in listing.matching_cards({}):
        yield from (name.replace("-", " ").capitalize() for name in card["capabilities"])
        model = listing.model_view(card["id"])
        for param in model.get("params", []):
            yield from (param["label"], param["description"])
            labels = (option["label"] for option in param.get("options", []))
            yield from (label for label in labels if not _NAME.fullmatch(label))
        headline = headlines[card["id"]]
        prices = [*(amount.what for amount in headline.amounts), headline.about]
        found = models.find_by_name(card["id"])
        prices += [tier.when for tier in tiers(found)] if found else []
        prices += [condition(entry.get("dimensions", {})) for entry in model["pricing"]]
        yield from _parts(prices)
        if isinstance(found, Model):
            schema = json_schema(found)
            values = (taken(param, schema) for param in model["params"])
            yield from (part for part in _parts(values) if _VALUES.match(part))


def _parts(texts: Iterable[str]) -> Iterator[str]:
    """Return the parts of composed texts, without their numbers (`languages.spoken`)."""
    for text in texts:
        for part in text.split(", "):
            words = NUMBER.sub("{n}", part)
            if re.search(r"[a-z]{3}", words) and not _CHOICE.match(words):
                yield words
