"""Stripe's webhook for payments. It is authenticated by a signature of the raw bytes, not by an API key."""

from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from fastapi.concurrency import run_in_threadpool

from api.http import Services, envelope
from tollgate.kit.http.json_body import MAX_BODY_BYTES
from tollgate.kit.http.request_body import read_bytes

router = APIRouter()


@router.post("/api/v1/payments/stripe")
async def receive(
    api: Services, request: Request, stripe_signature: Annotated[str | None, Header()] = None
) -> Response:
    """Process an event; the response contains the outcome."""
    body = await read_bytes(request, MAX_BODY_BYTES)
    outcome = await run_in_threadpool(api.payments.receive, body, stripe_signature)
    return envelope({"outcome": outcome})
