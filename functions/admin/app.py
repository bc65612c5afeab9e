"""Trigger: API Gateway, the routes under `/admin`: the pages for operators.

Only for people who signed in as operators, with the dashboard's sessions. API keys have no access, and other
people receive a 404. It is a separate function, so that the customers' pages have none of its permissions.
Its templates are beside the dashboard's.

accounts.py    today's numbers, a search for anything; an account's money, status and keys
tasks.py       a task's history; cancel and refund it
providers.py   the state of providers; switches
prices.py      prices and margins; a change with its preview
costs.py       our costs beside the providers' reports
incidents.py   incidents on the status page
work.py        dead letters, checks of the ledger
log.py         actions of operators
services.py    the services that the pages call
"""

from tollgate.composition import framework  # isort: skip  # noqa: F401 - before FastAPI
from fastapi import Request
from mangum import Mangum

from admin import accounts, costs, incidents, log, prices, providers, tasks, work
from admin.services import PATH
from dashboard.security import operator_of, role_of, visitor_of
from dashboard.serving import TEXT_TYPES, site


def permitted(request: Request) -> None:
    """Let operators through, regardless of their roles in an account."""
    operator_of(request, visitor_of(request))
    # Loads the role for the menu of the operator's own account.
    role_of(request)


app = site(permitted)
for pages in (accounts, tasks, providers, prices, costs, incidents, work, log):
    app.include_router(pages.router, prefix=PATH)

handler = Mangum(app, lifespan="off", text_mime_types=TEXT_TYPES)
