"""The public catalog and its prices."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response

from api.http import Services
from tollgate.kit.http.cached_body import CachedBody

NOT_MODIFIED = 304

router = APIRouter()

IfNoneMatch = Annotated[str | None, Header()]


def published(
    page: CachedBody,
    if_none_match: str | None,
    media_type: str = "application/json",
    more: Mapping[str, str] | None = None,
) -> Response:
    """Return a page, or 304 if the client has it; `more` are additional headers."""
    headers = {"etag": page.etag, "cache-control": "no-cache", **(more or {})}
    if page.matches(if_none_match):
        return Response(status_code=NOT_MODIFIED, headers=headers)
    return Response(page.body, headers=headers, media_type=media_type)


@router.get("/api/v1/catalog")
def list_catalog(api: Services, request: Request, if_none_match: IfNoneMatch = None) -> Response:
    """Return every model that has a live route and matches the query's filters."""
    return published(api.listing.models(request.query_params), if_none_match)


@router.get("/api/v1/catalog/{model_id}")
def get_model(api: Services, model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Return one model."""
    return published(api.listing.model(model_id), if_none_match)


@router.get("/api/v1/catalog/{model_id}/schema")
def get_schema(api: Services, model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Return the JSON Schema of a model's input."""
    return published(api.listing.schema(model_id), if_none_match)


@router.get("/api/v1/cost")
def list_costs(api: Services, if_none_match: IfNoneMatch = None) -> Response:
    """Return all prices by model."""
    return published(api.listing.costs(), if_none_match)


@router.get("/api/v1/cost/{model_id}")
def get_cost(api: Services, model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Return the prices of one model."""
    return published(api.listing.cost(model_id), if_none_match)
