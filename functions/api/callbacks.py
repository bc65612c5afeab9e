"""Callbacks of providers, which are only a hint to poll (`tasks/callbacks.py`)."""

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

from api.http import Services, read_body
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.json_body import MAX_BODY_BYTES
from tollgate.kit.observability import logger

router = APIRouter()


@router.post("/api/v1/callbacks/{provider}/{token}")
async def receive(api: Services, provider: str, token: str, request: Request) -> Response:
    """Poll the task now. The response is the same for every token, so it reveals nothing.

    The body is used only if a provider verifies the address with a `challenge` that must be returned
    (MiniMax, docs/providers/minimax.md).
    """
    try:
        body = await read_body(request, MAX_BODY_BYTES)
    except InvalidInputError:
        body = {}
    known = await run_in_threadpool(api.callbacks.receive, provider, token)
    logger.info("api.callback", provider=provider, known=known)
    challenge = body.get("challenge")
    return JSONResponse({"challenge": challenge} if isinstance(challenge, str) else {"code": 200})
