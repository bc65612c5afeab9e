"""Budgets as their page shows them, and the forms that create and change them. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.budgets.request import MAX_LIMIT_CENTS
from tollgate.budgets.views import BudgetValueView, BudgetView
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.money import cents_down, cents_up, dollars, micro_usd_of_cents
from tollgate.kit.problems import Problem
from tollgate.ledger.attribution import MAX_NAME_LENGTH, PROJECT, USER, is_tag_name
from tollgate.ledger.budgets import ACCOUNT, KEY, TAG, BudgetPeriod
from tollgate.web.key_form import cents_of
from tollgate.web.languages import phrase
from tollgate.web.problems import in_words

# The values whose bars are always visible. A click shows the others.
MAX_BARS = 5
# A bar changes its colour from here on, and a notice is sent.
NEARPERCENT = 80
FULLPERCENT = 100
# The choice of the form for all tags. Their names are in another field.
ANY_TAG = "tag"
PER = {
    BudgetPeriod.DAY: "per day",
    BudgetPeriod.WEEK: "per week",
    BudgetPeriod.MONTH: "per month",
    BudgetPeriod.TOTAL: "in total",
}
CREATED_FIELDS = ("name", "scope", "project", "key", "user", "tag", "tag_value", "limit", "per", "webhook")
CHANGED_FIELDS = ("name", "limit", "per", "webhook")


@dataclass(frozen=True, slots=True)
class Bar:
    """The spending of one value in the current period. `percent` is above 100 after the limit was lowered."""

    name: str
    spent_cents: int
    left_cents: int
    percent: int

    @property
    def level(self) -> str:
        """Return `full`, `near` or nothing: the class of the bar's colour."""
        if self.percent >= FULLPERCENT:
            return "full"
        return "near" if self.percent >= NEARPERCENT else ""


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """A budget for the page: whom it limits, by kind and name; how much; and a bar for each of its values."""

    view: BudgetView
    whom: str
    name: str
    limit: str
    bars: list[Bar]
    others: list[Bar]


def bar_of(name: str, spent_micro_usd: int, limit_cents: int) -> Bar:
    """Return the bar of an amount and its limit. Only an amount that reaches the limit has 100 percent."""
    limit = micro_usd_of_cents(limit_cents)
    percent = 100 * spent_micro_usd // limit if limit else FULLPERCENT
    left = max(limit - spent_micro_usd, 0)
    return Bar(name, cents_up(spent_micro_usd), cents_down(left), percent)


def row_of(view: BudgetView, names: Mapping[str, str]) -> BudgetRow:
    """Return a budget for the page. `names` has the names of the account's keys and projects by their ids."""
    scope, value = view["scope"], view["value"]
    has_one_value = scope == ACCOUNT or value is not None
    values: list[BudgetValueView] = view["values"]
    if has_one_value and not values:
        values = [
            {"value": value or "", "spentCents": 0, "spentMicroUsd": 0, "leftCents": view["limitCents"]}
        ]
    bars = [
        _bar(each, view, "" if has_one_value else names.get(each["value"], each["value"])) for each in values
    ]
    limit = f"{dollars(view['limitCents'])} {PER[view['per']]}"
    whom, name = _whom(scope, value, names)
    return BudgetRow(view, whom, name, limit, bars[:MAX_BARS], bars[MAX_BARS:])


def rows_of_project(
    views: Iterable[BudgetView], project_id: str, names: Mapping[str, str]
) -> list[BudgetRow]:
    """Return the budgets that limit a project, each with the spending of this project alone."""
    return [
        row_of({**view, "value": project_id, "values": _values_of(view, project_id)}, names)
        for view in views
        if view["scope"] == PROJECT and view["value"] in (None, project_id)
    ]


def created_budget(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the body of a new budget, from the fields `CREATED_FIELDS`. An empty value means each value.

    Raises `InvalidInputError` for a wrong amount or name of a tag; the service checks all other rules.
    """
    scope = sent.get("scope", "")
    problems: list[Problem] = []
    body: dict[str, Any] = {"name": sent.get("name", ""), "scope": scope, "per": sent.get("per", "")}
    if scope == ANY_TAG:
        name = sent.get("tag", "").strip()
        body["scope"] = f"{TAG}{name}"
        if not is_tag_name(name):
            allowed = f"a letter a-z, then a-z, 0-9, _ or -; at most {MAX_NAME_LENGTH} characters"
            problems.append(Problem("/tag", "Must be the name of a tag.", allowed))
    value = sent.get(_field_of_value(scope), "").strip()
    if value:
        body["value"] = value
    webhook = sent.get("webhook", "").strip()
    if webhook:
        body["webhook"] = webhook
    return body | {"limitCents": _limit(sent, problems)}


def changed_budget(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the body that changes a budget, from `CHANGED_FIELDS`. Raises as `created_budget`."""
    body = {name: sent.get(name, "") for name in ("name", "per")}
    return {**body, "webhook": sent.get("webhook", "").strip() or None, "limitCents": _limit(sent, [])}


def beside_fields(problems: Iterable[Problem], scope: str, fields: Iterable[str]) -> dict[str, str]:
    """Return the message for each of the form's `fields`, empty for fields without a problem.

    A problem of any other field is at the name. `scope` is the sent one.
    """
    names = {"limitCents": "limit", "value": _field_of_value(scope)}
    found: dict[str, list[Problem]] = {name: [] for name in fields}
    for problem in problems:
        part = problem.path.removeprefix("/")
        found[name if (name := names.get(part, part)) in found else "name"].append(problem)
    return {name: in_words(some, beside=1) for name, some in found.items()}


def _limit(sent: Mapping[str, str], problems: list[Problem]) -> int:
    """Return the limit in cents. Raises `InvalidInputError` with the other `problems` if there are any."""
    cents = 0
    try:
        cents = cents_of(sent.get("limit", "").strip(), "/limitCents")
    except InvalidInputError as error:
        problems = [*problems, *error.problems]
    if not 0 <= cents <= MAX_LIMIT_CENTS:
        allowed = f"{dollars(0)} to {dollars(MAX_LIMIT_CENTS)}"
        problems = [*problems, Problem("/limitCents", "Must be an amount in US dollars.", allowed)]
    if problems:
        raise InvalidInputError(problems)
    return cents


def _field_of_value(scope: str) -> str:
    return {PROJECT: "project", KEY: "key", USER: "user", ANY_TAG: "tag_value"}.get(scope, "")


def _bar(each: BudgetValueView, view: BudgetView, name: str) -> Bar:
    return bar_of(name, each["spentMicroUsd"], view["limitCents"])


def _values_of(view: BudgetView, value: str) -> list[BudgetValueView]:
    return [each for each in view["values"] if each["value"] == value]


def _whom(scope: str, value: str | None, names: Mapping[str, str]) -> tuple[str, str]:
    """Return scope and value: words that the page translates, and a name."""
    tag = scope.removeprefix(TAG)
    if scope == ACCOUNT:
        return phrase("The whole account"), ""
    if value is None:
        each = {PROJECT: phrase("Each project"), KEY: phrase("Each API key"), USER: phrase("Each end user")}
        return (each[scope], "") if scope in each else (phrase("Each value of the tag"), tag)
    what = {PROJECT: phrase("Project"), KEY: phrase("API key"), USER: phrase("End user")}
    name = names.get(value, value)
    return (what[scope], name) if scope in what else (phrase("Tag"), f"{tag}: {name}")
