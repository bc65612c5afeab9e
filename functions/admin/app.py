"""Trigger: API Gateway, the routes under `/admin`: the operator's desk.

For who signed in as an operator, by the dashboard's own sessions; an API key opens none of it, and for
anybody else there is no such page. A function of its own, so that the customers' pages hold none of its
permissions. Its templates lie beside the dashboard's.

accounts.py    find an account; its money, standing and keys
tasks.py       what became of a task; its end, its refund
providers.py   how providers do; switches
prices.py      prices and margins; a change with its preview
work.py        dead letters, proofs of the ledger
log.py         what operators did
services.py    what the pages call
"""

from tollgate.composition import framework  # isort: skip  # noqa: F401 - before FastAPI
from fastapi import Request
from mangum import Mangum

from admin import accounts, log, prices, providers, tasks, work
from admin.services import PATH
from dashboard.security import operator_of, role_of, visitor_of
from dashboard.serving import TEXT_TYPES, site


def permitted(request: Request) -> None:
    """Let operators through, whatever they are in an account of their own."""
    operator_of(request, visitor_of(request))
    # What the menu of their own account shows.
    role_of(request)


app = site(permitted)
for pages in (accounts, tasks, providers, prices, work, log):
    app.include_router(pages.router, prefix=PATH)

handler = Mangum(app, lifespan="off", text_mime_types=TEXT_TYPES)
