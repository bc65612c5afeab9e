"""The docs: each page as HTML for people and, with `.md` at its end, as Markdown for language models."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from dashboard.render import base_url, cached_answer, docs_page
from dashboard.services import Services
from tollgate.catalog.models import CatalogTextModel, Model
from tollgate.kit.errors import InvalidInputError, ModelNotFoundError, Problem
from tollgate.kit.numbers import digits
from tollgate.reference.calculator import fields_of, media_price, text_price
from tollgate.reference.guides import INDEX, MARKDOWN
from tollgate.web.forms import form_of, input_of

MOVED_PERMANENTLY = 301
MAX_TOKENS = 999_999_999
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


@router.get("/models/{model_id}/price")
def price(services: Services, request: Request, model_id: str) -> Response:
    """Return the cost for the values in the calculator, by the model's published prices."""
    model = services.api.catalog.catalog().find_by_name(model_id)
    if model is None:
        raise ModelNotFoundError
    sent = dict(request.query_params)
    if isinstance(model, CatalogTextModel):
        tokens = [_tokens(sent, name) for name in ("inputTokens", "outputTokens")]
        return cached_answer(request, text_price(model, *tokens), "text/plain")
    params = services.api.listing.model_view(model_id)["params"]
    values, problems = input_of(params, sent)
    if problems:
        raise InvalidInputError(problems)
    return cached_answer(request, media_price(model, values), "text/plain")


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
    return docs_page(
        request, site, path, text, calculator=_calculator(services, site.model(path)), trial=site.trial(path)
    )


def _calculator(services: Services, model: Any) -> dict[str, Any] | None:
    """Return the fields on which a model's price depends, with the price of their defaults."""
    if isinstance(model, CatalogTextModel):
        return {"model": model, "fields": [], "price": text_price(model, 1000, 1000)}
    if not isinstance(model, Model):
        return None
    params = fields_of(model, services.api.listing.model_view(model.id)["params"])
    return {"model": model, "fields": form_of(params, {}), "price": media_price(model, {})}


def _tokens(sent: dict[str, str], name: str) -> int:
    tokens = digits(sent.get(name) or "0", 0, MAX_TOKENS)
    if tokens is None:
        raise InvalidInputError([Problem(f"/{name}", "Must be a whole number of tokens.")])
    return tokens
