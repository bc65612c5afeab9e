"""Trigger: API Gateway, the routes `/`, `/docs` and under `/dashboard`: the web page for people.

Asks the domain's services and shows what they say, in HTML. Never calls our own API over HTTP, and never
shows a secret but a new key, once.

security.py   who is looking, and whether our own page asked; `sign_in.py`
permissions.py  what each role may do, a row for each route
serving.py    what all pages have alike
services.py   what the pages call; `render.py`, `form_body.py`: out and in
landing.py    `/`, the same for everybody; `docs.py`: `/docs`; `status.py`: `/status`
overview.py   and a file for each other page, of its name
templates/    the pages; `static/`: style, scripts, icons
"""

from tollgate.composition import framework  # isort: skip  # noqa: F401 - before FastAPI
from mangum import Mangum
from starlette.staticfiles import StaticFiles

from dashboard import (
    activity,
    audit,
    catalog,
    chat,
    closing,
    docs,
    keys,
    landing,
    members,
    overview,
    playground,
    sign_in,
    statements,
    status,
    tasks,
    top_up,
    webhooks,
)
from dashboard.permissions import permitted
from dashboard.render import PATH, STATIC
from dashboard.serving import TEXT_TYPES, site

app = site(permitted)
for pages in (
    overview,
    activity,
    audit,
    sign_in,
    catalog,
    playground,
    tasks,
    chat,
    keys,
    webhooks,
    top_up,
    statements,
    members,
    closing,
):
    app.include_router(pages.router, prefix=PATH)
app.include_router(landing.router)
app.include_router(docs.router)
app.include_router(status.router)
app.mount(f"{PATH}/static/{{version}}", StaticFiles(directory=STATIC))

handler = Mangum(app, lifespan="off", text_mime_types=TEXT_TYPES)
