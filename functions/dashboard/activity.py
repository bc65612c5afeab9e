"""Activity: each generation and text request with its cost and duration, and spending by day."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.projects import project_names
from dashboard.render import page
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.activity.found import ActivityKind
from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.attribution import PROJECT, TOKEN, USER
from tollgate.ledger.query import DASHBOARD
from tollgate.tasks.models import TaskStatus
from tollgate.usage.counts import TAG
from tollgate.usage.period import GROUP_BY
from tollgate.web.problems import in_words
from tollgate.web.spending import Grouping, spending

FILTERS = ("kind", "model", "key", "project", "status", "from", "to", "user", "label", "token")
# In the address, `tag` is the name by which the table of labels groups.
LABEL = "label"
RANGES = {"7d": "7 days", "30d": "30 days"}
DEFAULT_RANGE = "30d"
PER_PAGE = "50"
# Values in the table of a label. The API lists more.
MAX_GROUPS = 50
ANY_TAG = "tag"
# The groups of the table of labels, each with its name.
GROUPS = {USER: "End user", ANY_TAG: "Tag", PROJECT: "Project", TOKEN: "Run token"}
KINDS = {ActivityKind.TASK: "Generations", ActivityKind.TEXT: "Text requests"}

router = APIRouter(prefix="/activity")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show spending by day, and the rows that match the filters, newest first."""
    api, query = services.api, _query(request)
    by = Grouping.KEY if request.query_params.get("by") == Grouping.KEY else Grouping.MODEL
    days = request.query_params.get("range")
    chosen_range = days if days in RANGES else DEFAULT_RANGE
    found = api.activity.page(visitor.account_id, {**query, "limit": PER_PAGE})
    return page(
        request,
        "activity.html",
        spending=spending(*api.statistics.days(visitor.account_id, {"range": chosen_range}), by),
        by=by,
        chosen_range=chosen_range,
        ranges=RANGES,
        rows=found.rows,
        cursor=found.cursor,
        chosen={name: request.query_params.get(name, "") for name in FILTERS},
        is_filtered=bool(query),
        kinds=KINDS,
        statuses=list(TaskStatus),
        models=[dto["id"] for dto in api.listing.matching_cards({})],
        key_names=key_names(services, visitor.account_id),
        project_names=project_names(services, visitor.account_id),
        groups=GROUPS,
        labels=_labels(services, request, visitor.account_id, chosen_range),
    )


@router.get(".csv")
def download(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Return the rows that fit the filters as a file for spreadsheets."""
    table = services.api.activity.table(visitor.account_id, _query(request))
    headers = {"content-disposition": 'attachment; filename="activity.csv"'}
    return Response(table, media_type="text/csv", headers=headers)


def key_names(services: Services, account_id: str) -> dict[str, str]:
    """Return the names of the account's keys and of the dashboard. A revoked key is named by its id."""
    keys = services.api.keys.all(account_id)
    return {DASHBOARD: "Dashboard", "": "Dashboard", **{key["id"]: key["name"] or key["id"] for key in keys}}


def _labels(services: Services, request: Request, account_id: str, days: str) -> dict[str, Any]:
    """Return the spending of each end user, or of each value of the tag in the address, if one is chosen."""
    group, tag = request.query_params.get("group", ""), request.query_params.get("tag", "").strip()
    chosen = f"{TAG}{tag}" if group == ANY_TAG else group
    shown: dict[str, Any] = {"group": group, "tag": tag, "rows": [], "others": 0, "problem": ""}
    if group not in GROUPS:
        return shown
    try:
        found = services.api.statistics.of(account_id, {"range": days, "groupBy": chosen})
    except InvalidInputError as error:
        # Only two things can be wrong here.
        is_tag = error.problems[0].path == f"/{GROUP_BY}"
        problem = "Enter the name of a tag, such as team." if is_tag else in_words(error.problems, beside=1)
        return {**shown, "problem": problem}
    groups = found.get("groups", [])
    others = len(groups) - MAX_GROUPS + found.get("groupsLeftOut", 0)
    return {**shown, "rows": groups[:MAX_GROUPS], "others": max(others, 0)}


def _query(request: Request) -> dict[str, str]:
    """Return the chosen filters. A form sends the others with empty values."""
    found = {name: request.query_params.get(name, "") for name in (*FILTERS, "cursor")}
    return {"tag" if name == LABEL else name: value for name, value in found.items() if value}
