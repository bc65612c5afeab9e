"""Files at fixed addresses for browsers, search engines and verifiers, and the operator's own pages.

Sources: RFC 9309 (robots.txt), sitemaps.org protocol 0.9, RFC 9116 (security.txt).
"""

import json
from collections.abc import Iterator
from functools import cache
from xml.sax.saxutils import escape

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from dashboard.render import PATH, STATIC, base_url, cached_answer
from dashboard.services import Services
from tollgate.composition.dashboard import Dashboard
from tollgate.kit.clock import MS_PER_DAY, utc_day
from tollgate.kit.errors import RouteNotFoundError
from tollgate.reference.site import MODELS

CRAWLED = (f"{PATH}/catalog", "/api/v1/openapi.json")
NOT_CRAWLED = (f"{PATH}/", "/admin", "/api/")
# A scanner must read security.txt again after this time (RFC 9116, 2.5.5 recommends less than a year).
SECURITY_MS = 180 * MS_PER_DAY
# The most addresses that a sitemap may have.
MAX_PAGES = 50_000

router = APIRouter()


@router.get("/robots.txt")
def robots(request: Request) -> Response:
    """Return the paths that search engines may read."""
    root = request.base_url.path.rstrip("/")
    lines = ["User-agent: *"]
    lines += [f"Allow: {root}{path}" for path in CRAWLED]
    lines += [f"Disallow: {root}{path}" for path in NOT_CRAWLED]
    lines += ["", f"Sitemap: {base_url(request)}/sitemap.xml", ""]
    return cached_answer(request, "\n".join(lines), "text/plain")


@router.get("/sitemap.xml")
def sitemap(services: Services, request: Request) -> Response:
    """Return the addresses of all public pages."""
    pages = [f"{base_url(request)}{path}" for path in _public_paths(services)][:MAX_PAGES]
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        + "".join(f"  <url><loc>{escape(page)}</loc></url>\n" for page in pages)
        + "</urlset>\n"
    )
    return cached_answer(request, text, "text/xml")


@router.get("/favicon.ico")
def favicon(request: Request) -> Response:
    """Return the icon for browsers that request it without reading a page."""
    return cached_answer(request, _icon(), "image/svg+xml")


@router.get("/.well-known/security.txt")
def security(services: Services, request: Request) -> Response:
    """Return the address for reports of vulnerabilities.

    Raises `RouteNotFoundError` if the operator has supplied no contact.
    """
    contact = services.settings.contact_url
    if not contact:
        raise RouteNotFoundError(request.method, request.url.path)
    # A whole day, so that caches keep it.
    until = utc_day(services.clock.now_ms() + SECURITY_MS)
    lines = (
        f"Contact: {contact}",
        f"Expires: {until}T00:00:00Z",
        "Preferred-Languages: en",
        f"Canonical: {base_url(request)}/.well-known/security.txt",
    )
    return cached_answer(request, "\n".join((*lines, "")), "text/plain")


@router.get("/.well-known/tollgate-ledger-key.json")
def ledger_keys(services: Services, request: Request) -> Response:
    """Return the public keys that customers verify their bill with (RFC 7517)."""
    return cached_answer(request, json.dumps(services.api.sealed.keys()), "application/json")


@router.get("/terms")
@router.get("/privacy")
@router.get("/contact")
def supplied(services: Services, request: Request) -> Response:
    """Redirect to the operator's page. Raises `RouteNotFoundError` if the operator has supplied none."""
    address = services.settings.supplied_pages.get(request.scope["route"].path.removeprefix("/"))
    if address is None:
        raise RouteNotFoundError(request.method, request.url.path)
    return RedirectResponse(address)


@cache
def _icon() -> str:
    return (STATIC / "icon.svg").read_text()


def _public_paths(services: Dashboard) -> Iterator[str]:
    yield from ("/", "/status", f"{PATH}/catalog")
    for doc in services.api.reference.site.pages.values():
        # The page of a model is not in the docs, only its Markdown is.
        if doc.section != MODELS:
            yield f"/docs/{doc.path}".rstrip("/")
    for card in services.api.listing.matching_cards({}):
        if "test" not in card["tags"]:
            yield f"/models/{card['id']}"
