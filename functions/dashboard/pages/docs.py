"""The docs: each page as HTML for people and, with `.md` at its end, as Markdown for language models."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from dashboard.render import base_url, cached_answer, docs_page
from dashboard.services import Services
from tollgate.reference.guides import INDEX, MARKDOWN

MOVED_PERMANENTLY = 301
MODELS = "models"
MOVED = {"agents": "use/mcp"}
"""Pages with another path since a release."""

router = APIRouter(prefix="/docs")


@router.get("")
def start(services: Services, request: Request) -> Response:
    """Show the first page."""
    return _answer(services, request, "")


@router.get("/search.json")
def search(services: Services, request: Request) -> Response:
    """Return the search index, which the browser searches."""
    return cached_answer(request, services.api.reference.site.index(), "application/json")


@router.get("/models/{model_id}")
def show_model(services: Services, request: Request, model_id: str) -> Response:
    """Show a model's Markdown. For people, redirect to the model's page, which was here before."""
    if model_id.endswith(MARKDOWN):
        return _answer(services, request, f"{MODELS}/{model_id}")
    return RedirectResponse(f"{base_url(request)}/{MODELS}/{model_id}", MOVED_PERMANENTLY)


@router.get("/{path:path}")
def show(services: Services, request: Request, path: str) -> Response:
    """Show a page, or its Markdown."""
    return _answer(services, request, path)


def _answer(services: Services, request: Request, path: str) -> Response:
    site = services.api.reference.site
    name = path.removesuffix(MARKDOWN)
    if name in MOVED:
        return RedirectResponse(
            f"{base_url(request)}/docs/{path.replace(name, MOVED[name])}", MOVED_PERMANENTLY
        )
    supplied = tuple(services.settings.supplied_pages)
    text = site.markdown("" if name == INDEX else name, base_url(request), supplied)
    if path.endswith(MARKDOWN):
        return cached_answer(request, text, "text/markdown")
    return docs_page(request, site, path, text, trial=site.trial(path))
