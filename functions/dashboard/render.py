"""Pages and parts of pages, rendered from the templates. All values are escaped."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from dashboard import languages
from dashboard.audit_details import detail_in_words
from dashboard.languages import gettext, ngettext, spoken
from dashboard.permissions import may
from dashboard.security import csrf_token, path_of
from tollgate.composition import dashboard as dashboard_parts
from tollgate.kit import money as money_text
from tollgate.kit.clock import iso
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.cached_body import CachedBody
from tollgate.kit.http.cached_response import cached_response
from tollgate.kit.version import VERSION
from tollgate.ledger.suspension import BEING_CLOSED
from tollgate.members.preferences import DEFAULTS, Preferences
from tollgate.members.repository import Identity
from tollgate.reference.previews import KINDS, SERVICE
from tollgate.reference.prices import Amount, condition, thousands
from tollgate.tasks.models import TaskStatus
from tollgate.web.forms import ratio_box
from tollgate.web.languages import ENGLISH, LANGUAGES, TRANSLATED
from tollgate.web.problems import NO_LABELS, by_field, in_words
from tollgate.web.zones import here, use_zone, zone_word

if TYPE_CHECKING:
    from tollgate.reference.site import Site

HERE = Path(__file__).parent
STATIC = HERE / "static"
PATH = "/dashboard"
VERSION_CHARS = 12
TINTS = 8
KEPT = "public, max-age=300"
# The page event on which the balance is reloaded.
MONEY_MOVED = "money-moved"
# In the session: the message that the next page shows about the last change.
SAID = "said"
# In the session: the time zone that the visitor chose.
ZONE = "zone"


def is_part(request: Request) -> bool:
    """Return whether htmx sent the request, and will put the response into the current page."""
    return request.headers.get("hx-request") == "true"


def home(request: Request) -> str:
    """Return the path of the overview as a browser sees it, with the gateway's stage."""
    return request.base_url.path.rstrip("/") + PATH


def base_url(request: Request) -> str:
    """Return `{base_url}` of the contract: the address at which this request arrived."""
    return str(request.base_url).rstrip("/")


def frame(request: Request) -> str:
    """Return the layout of a public page. Signed-in visitors see it in the dashboard's layout."""
    return "base.html" if "account_id" in request.session else "public.html"


def page(
    request: Request, template: str, status: int = 200, *, in_utc: bool = False, **context: Any
) -> HTMLResponse:
    """Return a whole page of a visitor, with the balance and the places to go.

    Times are in the visitor's zone, or `in_utc` for bookkeeping.
    """
    account_id = request.session.get("account_id")
    account = dashboard_parts.dashboard().api.accounts.me(account_id) if account_id else None
    said = request.session.pop(SAID, None)
    person = _person(request)
    use_preferences(request, person.preferences)
    if in_utc:
        use_zone("")
    shared = {"account": account, "accounts": _accounts(person), "said": said}
    return part(request, template, status, **{**shared, "preferences": person.preferences, **context})


def use_preferences(request: Request, preferences: Preferences) -> None:
    """Show times in the visitor's time zone, in this and later requests of the session."""
    if request.session.get(ZONE, "") != preferences.zone:
        request.session[ZONE] = preferences.zone
    use_zone(preferences.zone)


def _person(request: Request) -> Identity:
    identity_id = request.session.get("identity_id")
    if identity_id is None:
        return Identity("")
    return dashboard_parts.dashboard().members.people.get(identity_id)


def _accounts(person: Identity) -> list[tuple[str, str]]:
    """Return the visitor's accounts with their names, if there are several."""
    if len(person.accounts) <= 1:
        return []
    names = dashboard_parts.dashboard().members.people.emails(person.accounts)
    return [(each, names.get(each, each)) for each in person.accounts]


def part(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Render a template."""
    role = getattr(request.state, "role", None)
    shared = {
        **_places(request),
        "may": lambda row: may(role, row),
        # A page without a role, such as an error page, links to everything.
        "is_role_known": role is not None,
        "accounts": [],
        "said": None,
        "preferences": DEFAULTS,
        "closing": getattr(request.state, "closing", None),
        "csrf": csrf_token(request),
        "visitor": request.session.get("name"),
        "is_operator": request.session.get("desk", False),
    }
    return HTMLResponse(_environment().get_template(template).render({**shared, **context}), status)


def public_page(request: Request, template: str, **context: Any) -> Response:
    """Return a page that is the same for all visitors of a language, so caches may keep it."""
    text = _environment().get_template(template).render({**_places(request), **context})
    return cached_answer(request, text, "text/html", {"vary": languages.VARY})


def docs_page(request: Request, site: "Site", path: str, markdown: str, **context: Any) -> Response:
    """Return a page of the docs around its Markdown."""
    # Imported here: a parser that only these pages need.
    from tollgate.reference.guides import address  # noqa: PLC0415 - see above
    from tollgate.reference.markup import ICON_SLOT, html_of, sections_of  # noqa: PLC0415

    button = str(_environment().get_template("copy.html").render())
    docs = request.base_url.path.rstrip("/") + "/docs"
    html = html_of(markdown, lambda target: address(target, path, docs)).replace(ICON_SLOT, button)
    text = Markup(html)  # noqa: S704 - it passes on no HTML
    shown = {"text": text, "doc": site.pages[path], "navigation": site.navigation()}
    sections = sections_of(markdown)
    known = {**_places(request), **shown, "sections": sections, **context}
    return cached_answer(request, _environment().get_template("docs.html").render(known), "text/html")


def cached_answer(request: Request, text: str, kind: str, more: Mapping[str, str] | None = None) -> Response:
    """Return a text that caches keep for a while and revalidate by ETag (RFC 9110, 13.1.2)."""
    page = CachedBody.of_bytes(text.encode())
    return cached_response(page, request.headers.get("if-none-match"), kind, KEPT, more)


def _places(request: Request) -> dict[str, Any]:
    """Return the addresses of pages and files that a browser uses, and the language."""
    address = f"{base_url(request)}{path_of(request)}"
    chosen = request.query_params.get(languages.PARAMETER, ENGLISH)
    return {
        "home": home(request),
        "root": request.base_url.path.rstrip("/"),
        "base_url": base_url(request),
        "static": f"{home(request)}/static/{version()}",
        "version": version(),
        "release": VERSION,
        "address": address,
        "canonical": f"{address}?{languages.PARAMETER}={chosen}" if chosen in TRANSLATED else address,
        "preview": SERVICE,
        "supplied": dashboard_parts.dashboard_settings().supplied_pages,
        "language": languages.current(),
        "languages": LANGUAGES,
    }


def toast(
    request: Request, message: str, *, status: int = 200, bad: bool = False, is_signed_out: bool = False
) -> HTMLResponse:
    """Return a short message that floats over the page, whichever part sent the request."""
    answer = part(request, "toast.html", status, message=message, bad=bad, is_signed_out=is_signed_out)
    answer.headers["hx-retarget"] = "#toasts"
    answer.headers["hx-reswap"] = "beforeend"
    # The request may expect a part of the page, which this is not.
    answer.headers["hx-reselect"] = ".toast"
    return answer


def invalid(
    request: Request, error: InvalidInputError, labels: Mapping[str, str] = NO_LABELS
) -> HTMLResponse:
    """Return the problems of a sent form: beside its fields if it has them all (app.js), else as a toast.

    `labels` are the form's names of fields.
    """
    answer = toast(request, in_words(error.problems, labels=labels), status=error.status, bad=True)
    answer.headers["x-field-problems"] = json.dumps(by_field(error.problems))
    return answer


def refused(request: Request, form: str, problems: Mapping[str, str], status: int) -> HTMLResponse:
    """Return the problems of a form, by field, to be shown beside the fields. The page stays as it is."""
    answer = part(request, "problems.html", status, form=form, problems=problems)
    answer.headers["hx-reswap"] = "none"
    return answer


def moved_saying(request: Request, path: str, message: str) -> HTMLResponse:
    """Return a redirect to another page, which shows the message once."""
    request.session[SAID] = message
    return moved(path)


def moved(path: str) -> HTMLResponse:
    """Return the answer that sends the browser to another page."""
    return HTMLResponse(headers={"hx-redirect": path})


@cache
def version() -> str:
    """Return a name of exactly these static files, under which browsers may keep them for ever.

    It is a folder in their address, so that a module finds its imports beside itself.
    """
    found = hashlib.sha256()
    for file in sorted(STATIC.rglob("*.*")):
        found.update(file.read_bytes())
    return found.hexdigest()[:VERSION_CHARS]


def usd(amount_micro_usd: int) -> str:
    """Return micro-USD as dollars, exactly: whole cents with two places, parts of one with all they need."""
    return money_text.usd_of_micro(amount_micro_usd)


def money(amount_micro_usd: int) -> Markup:
    """Return micro-USD with two digits for running text, and the exact amount on hover.

    Amounts below a cent have two significant digits: $0.0018, never $0.00 for a paid amount.
    """
    amount = _usd(amount_micro_usd)
    return _with_exact(money_text.usd_in_text(amount), money_text.usd(amount))


def balance(amount_micro_usd: int) -> Markup:
    """Return a balance in micro-USD as cents, rounded down, and the exact amount on hover."""
    return _with_exact(usd_of_cents(money_text.cents_down(amount_micro_usd)), usd(amount_micro_usd))


def unit_price(price_usd: Decimal | str) -> Markup:
    """Return a unit price in US dollars for running text, and all its digits on hover."""
    price = Decimal(price_usd)
    return _with_exact(money_text.price_in_text(price), money_text.usd(price))


def amount(shown: Amount) -> Markup:
    """Return a price of a headline, with all its digits on hover."""
    return _with_exact(gettext(shown.shown), gettext(shown.exact))


def _with_exact(shown: str, exact: str) -> Markup:
    if shown == exact:
        return escape(shown)
    return Markup('<data value="{}" title="{}">{}</data>').format(_digits(exact), exact, shown)


def _digits(text: str) -> str:
    return text.replace("−", "-").replace("$", "").replace(",", "")


def _usd(amount_micro_usd: int) -> Decimal:
    return Decimal(amount_micro_usd) / money_text.MICRO_USD_PER_USD


def usd_of_cents(amount_cents: int) -> str:
    """Return cents as dollars with two places."""
    return usd(money_text.micro_usd_of_cents(amount_cents))


def minute(epoch_ms: int) -> str:
    """Return epoch milliseconds as people read a time, with its zone."""
    return moment(iso(epoch_ms))


def moment(text: str) -> str:
    """Return an ISO 8601 time as people read it, with its zone."""
    return here(text).strftime(gettext("%-d %b %Y, %H:%M UTC").replace("UTC", "%Z"))


def _price(decimal: str) -> str:
    return money_text.usd(Decimal(decimal))


def day(text: str) -> str:
    """Return the date of an ISO 8601 time as people read it."""
    return here(text).strftime(gettext("%-d %b %Y"))


def short_day(text: str) -> str:
    """Return a date without its year, for an axis."""
    return datetime.fromisoformat(text).strftime(gettext("%-d %b"))


def month(text: str) -> str:
    """Return a month (`2026-11`) as people read it."""
    return datetime.fromisoformat(f"{text}-01").strftime(gettext("%B %Y"))


def second(epoch_ms: int) -> str:
    """Return epoch milliseconds to the second, for a column whose head has the zone and no room for more."""
    return here(iso(epoch_ms)).strftime(gettext("%-d %b, %H:%M:%S"))


def pretty(value: Any) -> str:
    """Return JSON for people to read."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def kind_word(media_type: str) -> str:
    """Return the kind of a model's results as text."""
    return gettext(KINDS[media_type])


def capability(name: str) -> str:
    """Return a capability of a model as text: `text-to-image` is "Text to image"."""
    return gettext(name.replace("-", " ").capitalize())


def tint(name: str) -> int:
    """Return which of the `TINTS` colours a vendor's letter has: always the same one."""
    return sum(name.casefold().encode()) % TINTS


STATUS_WORDS = {
    TaskStatus.NOT_STARTED: "Queued",
    TaskStatus.RUNNING: "Running",
    TaskStatus.FINISHED: "Finished",
    TaskStatus.FAILED: "Failed",
    TaskStatus.EXPIRED: "Expired",
}


def _address(url: str) -> str:
    """Return the address to read a result, which is signed for a private one."""
    return dashboard_parts.dashboard().api.results.address(url)


@cache
def _environment() -> Environment:
    environment: Any = Environment(
        extensions=["jinja2.ext.i18n"],
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(gettext, ngettext, newstyle=True)
    environment.filters |= {
        "usd": usd,
        "money": money,
        "balance": balance,
        "amount": amount,
        "unit_price": unit_price,
        "condition": condition,
        "thousands": thousands,
        "price": _price,
        "usd_of_cents": usd_of_cents,
        "minute": minute,
    }
    # A text of the code, in a variable. `_()` would mark it as safe HTML, so it takes literals only.
    environment.filters |= {"translated": gettext, "detailed": detail_in_words}
    environment.filters |= {"moment": moment, "day": day, "pretty": pretty, "tint": tint}
    environment.filters |= {"kind_word": kind_word, "capability": capability, "spoken": spoken}
    environment.filters["address"] = _address
    environment.filters |= {"short_day": short_day, "month": month, "second": second, "iso": iso}
    icons: Any = environment.get_template("icons.html").module
    environment.globals |= {"icon": icons.icon, "mark": icons.mark}
    environment.globals["zone_word"] = zone_word
    environment.globals |= {"words": STATUS_WORDS, "ratio_box": ratio_box}
    # An account that its owner closes is suspended for this reason. The page words it differently.
    environment.globals["of_closing"] = BEING_CLOSED
    found: Environment = environment
    return found
