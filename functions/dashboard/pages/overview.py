"""The overview: balance, spending, latest tasks and first steps."""

from fastapi import APIRouter, Request, Response

from dashboard.pages.activity import key_names
from dashboard.render import page, part
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.web.first_steps import first_steps, is_shown
from tollgate.web.other_services import read_or
from tollgate.web.usage_chart import by_model, usage

RANGE = "30d"
# One row of the widest page.
LATEST_TASKS = "3"
LATEST_ROWS = "6"

router = APIRouter()


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the overview."""
    api, account_id = services.api, visitor.account_id
    keys = api.keys.all(account_id)
    tasks = api.reader.found(visitor.caller, {"limit": LATEST_TASKS}).rows
    steps = first_steps(keys, has_tasks=bool(tasks), has_budget=bool(api.budgets.all(account_id)))
    period, days = api.statistics.days(account_id, {"range": RANGE})
    age_ms = services.clock.now_ms() - api.accounts.me(account_id).created_at_ms
    waiting = services.members.waiting(visitor.identity_id)
    inviters = services.members.people.emails([each for each, _ in waiting])
    return page(
        request,
        "overview.html",
        invitations=[(each, one, inviters.get(each, each)) for each, one in waiting],
        usage=usage(period, by_model(days)),
        # The page of credit says so if the keys of Stripe cannot be read now.
        can_pay=read_or(True, "payments", api.payments.is_on),
        steps=steps if is_shown(steps, age_ms) else [],
        key_names=key_names(services, account_id),
        tasks=tasks,
        rows=api.activity.page(account_id, {"limit": LATEST_ROWS}).rows,
    )


@router.get("/balance")
def balance(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Return only the balance, for a page on which it may just have changed."""
    account = services.api.accounts.me(visitor.account_id)
    return part(request, "balance.html", account=account)
