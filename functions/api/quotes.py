"""Quotes: one price for several requests, and their creation together."""

from fastapi import APIRouter, Response

from api.http import Attributed, Body, FileKey, Services, envelope

router = APIRouter(prefix="/api/v1/quotes")


@router.post("")
def create_quote(api: Services, key: FileKey, body: Body) -> Response:
    """Return the price of several requests."""
    return envelope(api.quotes.create(body, key))


@router.get("/{quote_id}")
def get_quote(api: Services, key: FileKey, quote_id: str) -> Response:
    """Return a quote."""
    return envelope(api.quotes.one(key.caller, quote_id))


@router.post("/{quote_id}/create")
def create_quoted(api: Services, key: FileKey, quote_id: str, attribution: Attributed) -> Response:
    """Charge and queue the generations of a quote, and reserve the money of its text requests."""
    return envelope(api.quotes.start(quote_id, key, attribution))


@router.post("/{quote_id}/cancel")
def cancel_quote(api: Services, key: FileKey, quote_id: str) -> Response:
    """End a quote, and return the money that no request uses."""
    return envelope(api.quotes.cancel(key.caller, quote_id))
