"""The public catalog and its prices."""

from typing import Annotated

from fastapi import APIRouter, Header, Request, Response

from api.http import Services
from tollgate.kit.http.cached_response import cached_response

router = APIRouter()

IfNoneMatch = Annotated[str | None, Header()]


@router.get("/api/v1/catalog")
def list_catalog(api: Services, request: Request, if_none_match: IfNoneMatch = None) -> Response:
    """Return every model that has a live route and matches the query's filters."""
    return cached_response(api.listing.models(request.query_params), if_none_match)


@router.get("/api/v1/catalog/{model_id}")
def get_model(api: Services, model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Return one model."""
    return cached_response(api.listing.model(model_id), if_none_match)


@router.get("/api/v1/catalog/{model_id}/schema")
def get_schema(api: Services, model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Return the JSON Schema of a model's input."""
    return cached_response(api.listing.schema(model_id), if_none_match)


@router.get("/api/v1/cost")
def list_costs(api: Services, if_none_match: IfNoneMatch = None) -> Response:
    """Return all prices by model."""
    return cached_response(api.listing.costs(), if_none_match)


@router.get("/api/v1/cost/{model_id}")
def get_cost(api: Services, model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Return the prices of one model."""
    return cached_response(api.listing.cost(model_id), if_none_match)
