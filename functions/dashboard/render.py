"""Pages and parts of pages, from the templates; whatever goes into one is escaped."""

import hashlib
import json
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from dashboard.security import csrf_token
from tollgate.composition import dashboard as dashboard_parts
from tollgate.dashboard.chart import columns, share
from tollgate.kit.clock import iso
from tollgate.kit.money import MICRO_USD_PER_CENT, MICRO_USD_PER_USD
from tollgate.tasks.models import TaskStatus

HERE = Path(__file__).parent
STATIC = HERE / "static"
PATH = "/dashboard"
VERSION_CHARS = 12
MONEY_MOVED = "money-moved"
"""The event of the page on which the balance is asked for anew."""


def is_part(request: Request) -> bool:
    """Return whether htmx asks, which puts the answer into the page that is there."""
    return request.headers.get("hx-request") == "true"


def home(request: Request) -> str:
    """Return the path of the overview as a browser sees it, with the gateway's stage."""
    return request.base_url.path.rstrip("/") + PATH


def base_url(request: Request) -> str:
    """Return `{base_url}` of the contract: where this very request came to."""
    return str(request.base_url).rstrip("/")


def page(request: Request, template: str, **context: Any) -> HTMLResponse:
    """Return a whole page of a visitor, with the balance and the places to go."""
    account_id = request.session.get("account_id")
    account = dashboard_parts.dashboard().api.accounts.me(account_id) if account_id else None
    return part(request, template, account=account, **context)


def part(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Return what a template makes."""
    shared = {
        "home": home(request),
        "base_url": base_url(request),
        "csrf": csrf_token(request),
        "static": f"{home(request)}/static",
        "version": version(),
        "visitor": request.session.get("name"),
    }
    return HTMLResponse(_environment().get_template(template).render({**shared, **context}), status)


def toast(request: Request, message: str, *, status: int = 200, bad: bool = False) -> HTMLResponse:
    """Return a short message that floats over the page, whatever part of it had asked."""
    answer = part(request, "toast.html", status, message=message, bad=bad)
    answer.headers["hx-retarget"] = "#toasts"
    answer.headers["hx-reswap"] = "beforeend"
    return answer


def moved(path: str) -> HTMLResponse:
    """Return the answer that sends the browser to another page."""
    return HTMLResponse(headers={"hx-redirect": path})


@cache
def version() -> str:
    """Return a name of exactly these static files: they may be kept for ever under it."""
    found = hashlib.sha256()
    for file in sorted(STATIC.iterdir()):
        found.update(file.read_bytes())
    return found.hexdigest()[:VERSION_CHARS]


def usd(amount_micro_usd: int) -> str:
    """Return micro-USD as dollars: whole cents with two places, parts of a cent with as many as they need."""
    sign = "−" if amount_micro_usd < 0 else ""
    dollars, rest = divmod(abs(amount_micro_usd), MICRO_USD_PER_USD)
    places = f"{rest:06}"
    shown = places[:2] if rest % MICRO_USD_PER_CENT == 0 else places.rstrip("0")
    return f"{sign}${dollars:,}.{shown}"


def usd_of_cents(amount_cents: int) -> str:
    """Return cents as dollars with two places."""
    return usd(amount_cents * MICRO_USD_PER_CENT)


def minute(epoch_ms: int) -> str:
    """Return epoch milliseconds as people read a time, in UTC."""
    return moment(iso(epoch_ms))


def moment(text: str) -> str:
    """Return an ISO 8601 time as people read it, in UTC."""
    return datetime.fromisoformat(text).strftime("%-d %b %Y, %H:%M")


def day(text: str) -> str:
    """Return the date of an ISO 8601 time as people read it, in UTC."""
    return datetime.fromisoformat(text).strftime("%-d %b %Y")


def pretty(value: Any) -> str:
    """Return JSON for people to read."""
    return json.dumps(value, ensure_ascii=False, indent=2)


STATUS_WORDS = {
    TaskStatus.NOT_STARTED: "Queued",
    TaskStatus.RUNNING: "Running",
    TaskStatus.FINISHED: "Finished",
    TaskStatus.FAILED: "Failed",
    TaskStatus.EXPIRED: "Expired",
}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"usd": usd, "usd_of_cents": usd_of_cents, "minute": minute}
    environment.filters |= {"moment": moment, "day": day, "pretty": pretty}
    icons: Any = environment.get_template("icons.html").module
    environment.globals |= {"columns": columns, "share": share, "icon": icons.icon, "mark": icons.mark}
    environment.globals |= {"words": STATUS_WORDS}
    return environment
