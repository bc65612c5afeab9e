"""The chat. The browser streams from the text route directly, because this function cannot stream."""

from collections.abc import Mapping, Sequence

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from dashboard.form_body import Sent
from dashboard.render import base_url, page, part
from dashboard.security import SignedIn, signed_in
from dashboard.services import Services
from tollgate.kit.errors import ForbiddenError, ModelNotFoundError
from tollgate.kit.http.json_body import json_object
from tollgate.reference.snippets import chat_snippets
from tollgate.web.token_prices import KINDS, price_tiers

# Quick, and good enough for a first word.
FIRST_MODEL = "gpt-5.4-mini"
EXAMPLE = "Say hello"

router = APIRouter()


@router.get("/chat", dependencies=[Depends(signed_in)])
def show(services: Services, request: Request, model: str = "", message: str = "") -> Response:
    """Show the chat with a model. `message` fills in the field; only the visitor sends it."""
    found = services.api.listing.matching({"kind": "llm"})
    texts = [dto for dto in found if "openai" in dto["protocols"]]
    ids = [dto["id"] for dto in texts]
    if not texts:
        return page(request, "no_models.html", place="chat")
    wanted = model or (FIRST_MODEL if FIRST_MODEL in ids else ids[0])
    if wanted not in ids:
        raise ModelNotFoundError
    chosen = texts[ids.index(wanted)]
    catalog = services.api.catalog.catalog()
    body = {"model": wanted, "messages": [{"role": "user", "content": EXAMPLE}]}
    return page(
        request,
        "chat.html",
        models=texts,
        chosen=chosen,
        other=next((dto for dto in texts if dto is not chosen), chosen),
        message=message,
        contexts={one: catalog.text_model(one).context_tokens for one in ids},
        draws={one for one in ids if catalog.text_model(one).images is not None},
        headlines=services.api.reference.headlines,
        prices={dto["id"]: _rows(price_tiers(dto["pricing"])) for dto in texts},
        snippets=chat_snippets(base_url(request), body),
    )


def _rows(tiers: Sequence[Mapping[str, str | int]]) -> str:
    """Return prices as short JSON: for each range its start, then a number for each kind of token."""
    rows = (",".join(str(tier[name]) for name in ("from", *KINDS)) for tier in tiers)
    return f"[{','.join(f'[{row}]' for row in rows)}]"


@router.post("/chat/code", dependencies=[Depends(signed_in)])
def code(services: Services, request: Request, sent: Sent) -> Response:
    """Return the code for a conversation: the request that the page would send."""
    body = json_object(sent.get("body", "").encode())
    services.api.listing.model_view(str(body.get("model")))
    return part(request, "code.html", snippets=chat_snippets(base_url(request), body))


@router.post("/chat/key")
def key(services: Services, visitor: SignedIn) -> Response:
    """Return a key for text that expires within 15 minutes. The page keeps it only in memory."""
    try:
        made = services.chat_keys.make(visitor.account_id, visitor.actor)
    except ForbiddenError as error:
        return JSONResponse({"message": error.message}, error.status)
    return JSONResponse({"key": made.text, "expiresAtMs": made.expires_at_ms})
