"""The catalog and its prices, public."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response

from tollgate import bootstrap_api
from tollgate.catalog.listing import Page

NOT_MODIFIED = 304

router = APIRouter()

IfNoneMatch = Annotated[str | None, Header()]


def published(
    page: Page,
    if_none_match: str | None,
    media_type: str = "application/json",
    more: Mapping[str, str] | None = None,
) -> Response:
    """Answer with a page, or with 304 where the client has it; `more` are headers."""
    headers = {"etag": page.etag, "cache-control": "no-cache", **(more or {})}
    if page.is_known_to(if_none_match):
        return Response(status_code=NOT_MODIFIED, headers=headers)
    return Response(page.body, headers=headers, media_type=media_type)


@router.get("/api/v1/catalog")
def list_catalog(request: Request, if_none_match: IfNoneMatch = None) -> Response:
    """Give every model that has a live route and fits the query's filters."""
    return published(bootstrap_api.api().listing.models(request.query_params), if_none_match)


@router.get("/api/v1/catalog/{model_id}")
def get_model(model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Give one model."""
    return published(bootstrap_api.api().listing.model(model_id), if_none_match)


@router.get("/api/v1/catalog/{model_id}/schema")
def get_schema(model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Give the JSON Schema of a model's input."""
    return published(bootstrap_api.api().listing.schema(model_id), if_none_match)


@router.get("/api/v1/cost")
def list_costs(if_none_match: IfNoneMatch = None) -> Response:
    """Give all prices, by model."""
    return published(bootstrap_api.api().listing.costs(), if_none_match)


@router.get("/api/v1/cost/{model_id}")
def get_cost(model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Give the prices of one model."""
    return published(bootstrap_api.api().listing.cost(model_id), if_none_match)
