"""Activity: each generation and text request with its cost and duration, and spending by day."""

from fastapi import APIRouter, Request, Response

from dashboard.render import page
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.activity.query import DASHBOARD
from tollgate.activity.row import ActivityKind
from tollgate.tasks.models import TaskStatus
from tollgate.web.spending import Grouping, spending

FILTERS = ("kind", "model", "key", "status", "from", "to")
RANGES = {"7d": "7 days", "30d": "30 days"}
DEFAULT_RANGE = "30d"
PER_PAGE = "50"
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
        chosen={name: query.get(name, "") for name in FILTERS},
        is_filtered=bool(query),
        kinds=KINDS,
        statuses=list(TaskStatus),
        models=[dto["id"] for dto in api.listing.matching_cards({})],
        key_names=key_names(services, visitor.account_id),
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


def _query(request: Request) -> dict[str, str]:
    """Return the chosen filters. A form sends the others with empty values."""
    found = {name: request.query_params.get(name, "") for name in (*FILTERS, "cursor")}
    return {name: value for name, value in found.items() if value}
