"""Trigger: API Gateway, routes `/`, `/docs`, `/models`, `/oauth`, `/scim` and under `/dashboard`: web pages.

Calls the domain's services directly, never our own API over HTTP, and renders their results as HTML. Never
shows a secret, except a new key, once.

pages/        a file for each page, named after it; also connectors (`connect.py`, `oauth.py`), a company's
              directory (`scim.py`), and files at fixed addresses (`public_files.py`)
security.py   the visitor's session, and whether one of our pages sent the change
permissions.py  each role's permissions, a row for each route
serving.py    the parts that all pages share; `static_files.py`: styles, scripts, icons
services.py   the services that the pages call; `render.py`, `form_body.py`: output and input
languages.py  the language of a page; `audit_details.py`: the words of the audit log
templates/    of the pages; `static/`: style, scripts, icons
"""

from tollgate.composition import framework  # isort: skip  # noqa: F401 - before FastAPI
from mangum import Mangum
from starlette.staticfiles import StaticFiles

from dashboard.pages import (
    account_closure,
    activity,
    audit,
    batches,
    budgets,
    catalog,
    chat,
    connect,
    docs,
    exports,
    keys,
    landing,
    members,
    models,
    oauth,
    overview,
    palette,
    playground,
    projects,
    public_files,
    requests,
    scim,
    settings,
    sign_in,
    statements,
    status,
    subaccounts,
    tasks,
    tokens,
    top_up,
    webhooks,
    workflows,
)
from dashboard.permissions import permitted
from dashboard.render import PATH, STATIC
from dashboard.serving import TEXT_TYPES, site

app = site(permitted)
for pages in (
    overview,
    palette,
    activity,
    requests,
    audit,
    sign_in,
    catalog,
    playground,
    tasks,
    workflows,
    batches,
    chat,
    keys,
    tokens,
    projects,
    subaccounts,
    connect,
    budgets,
    webhooks,
    exports,
    top_up,
    statements,
    members,
    settings,
    account_closure,
):
    app.include_router(pages.router, prefix=PATH)
app.include_router(models.router)
app.include_router(landing.router)
app.include_router(docs.router)
app.include_router(status.router)
app.include_router(public_files.router)
app.include_router(oauth.router)
app.include_router(scim.router)
app.mount(f"{PATH}/static/{{version}}", StaticFiles(directory=STATIC))

handler = Mangum(app, lifespan="off", text_mime_types=TEXT_TYPES)
