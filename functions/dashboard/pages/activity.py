"""Activity: each request with its cost and duration, and a chart of one metric by day."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response

from dashboard.languages import gettext
from dashboard.pages.projects import project_names
from dashboard.render import page
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.activity.found import ActivityKind
from tollgate.activity.samples import grouping, samples_of
from tollgate.kit.clock import utc_day
from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.attribution import NAME_PATTERN, PROJECT
from tollgate.ledger.query import DASHBOARD
from tollgate.tasks.models import TaskStatus
from tollgate.usage.counts import KEY, MEMBER
from tollgate.web.languages import phrase
from tollgate.web.problems import in_words
from tollgate.web.usage_chart import Metric, Sample, usage
from tollgate.web.usage_query import (
    ANY_TAG,
    FILTERS,
    GROUPS,
    LABELS,
    RANGES,
    UsageQuery,
    usage_query,
)

_TAG_NAME = re.compile(NAME_PATTERN)
PER_PAGE = "50"
# Groups in the table. The API lists more.
MAX_GROUPS = 50
METRICS = {
    Metric.SPEND: "Spending",
    Metric.REQUESTS: "Requests",
    Metric.TOKENS: "Tokens",
    Metric.ERRORS: "Errors",
    Metric.LATENCY: "Latency",
}
ONLY_NEWEST = phrase(
    "Only the newest requests of these days are in this chart. Choose fewer days for all of them."
)
KINDS = {ActivityKind.TASK: "Generations", ActivityKind.TEXT: "Text requests"}

router = APIRouter(prefix="/activity")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show a chart of the chosen days, and their requests that match the filters, newest first."""
    api, query = services.api, _query(services, request)
    cursor = {"cursor": sent} if (sent := request.query_params.get("cursor")) else {}
    found = api.activity.page(visitor.account_id, {**query.rows, **cursor, "limit": PER_PAGE})
    return page(
        request,
        "activity.html",
        **_chart(services, visitor.account_id, query),
        query=query,
        link=_link(query),
        metrics=METRICS,
        ranges=RANGES,
        groups=GROUPS,
        labels=LABELS,
        max_groups=MAX_GROUPS,
        rows=found.rows,
        cursor=found.cursor,
        chosen={name: query.filters.get(name, "") for name in FILTERS},
        kinds=KINDS,
        statuses=list(TaskStatus),
        models=[dto["id"] for dto in api.listing.matching_cards({})],
        key_names=key_names(services, visitor.account_id),
        project_names=project_names(services, visitor.account_id),
    )


@router.get(".csv")
def download(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Return the rows of the chosen days that fit the filters as a file for spreadsheets."""
    table = services.api.activity.table(visitor.account_id, _query(services, request).rows)
    headers = {"content-disposition": 'attachment; filename="activity.csv"'}
    return Response(table, media_type="text/csv", headers=headers)


def key_names(services: Services, account_id: str) -> dict[str, str]:
    """Return the names of the account's keys and of the dashboard. A revoked key is named by its id."""
    keys = services.api.keys.all(account_id)
    dashboard = gettext("Dashboard")
    return {DASHBOARD: dashboard, "": dashboard, **{key["id"]: key["name"] or key["id"] for key in keys}}


def _query(services: Services, request: Request) -> UsageQuery:
    return usage_query(request.query_params, utc_day(services.clock.now_ms()))


def _link(query: UsageQuery) -> Any:
    """Return the function that changes parameters of the page's address."""

    def link(**changed: str) -> str:
        return urlencode({name: value for name, value in {**query.address, **changed}.items() if value})

    return link


def _chart(services: Services, account_id: str, query: UsageQuery) -> dict[str, Any]:
    """Return the usage for the chart, the names of its groups, and a problem or a note about it."""
    period = services.api.statistics.days(account_id, query.days)[0]
    samples, note = _samples(services, account_id, query)
    return {
        "usage": usage(period, samples, query.metric),
        "names": _names(services, account_id, query.group, samples),
        "note": note,
    }


def _samples(services: Services, account_id: str, query: UsageQuery) -> tuple[list[Sample], str]:
    """Return the samples of the chosen requests, and a problem or a note about them."""
    statistics = services.api.statistics
    if query.group == ANY_TAG and not _TAG_NAME.fullmatch(query.tag):
        return [], gettext("Enter the name of a tag, such as team.")
    if query.is_rolled_up:
        try:
            found = statistics.by_day(account_id, query.group_by, query.days)[1]
        except InvalidInputError as error:
            return [], in_words(error.problems, beside=1)
        return [Sample(*each) for each in found if query.matches(each[1])], ""
    newest = services.api.activity.newest(account_id, query.rows)
    samples = samples_of(newest.rows, grouping(query, statistics.member_of_keys(account_id)))
    return samples, gettext(ONLY_NEWEST) if newest.cursor else ""


def _names(services: Services, account_id: str, group: str, samples: list[Sample]) -> Mapping[str, str]:
    """Return the names of groups that have another name than their value."""
    if group == KEY:
        return key_names(services, account_id)
    if group == PROJECT:
        return project_names(services, account_id)
    if group == MEMBER:
        members = {each.group for each in samples if each.group}
        return {
            "": gettext("Dashboard, and keys without a member"),
            **services.members.names(sorted(members)),
        }
    return {}
