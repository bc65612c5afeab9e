"""The status of a task, or with `wait` its status after it has ended."""

from contextlib import suppress

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from get_status.http import address_of
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import Scope
from tollgate.accounts.sent_key import sent_key
from tollgate.composition.get_status import GetStatus, get_status
from tollgate.kit.errors import ForbiddenError
from tollgate.tasks.models import TaskView
from tollgate.tasks.waiting import read_pauses

ROUTE = "/api/v1/task/status/{task_id}"


async def shown_status(request: Request) -> Response:
    """Return the task. With `wait`, return it when it has ended, at the latest after this many seconds."""
    parts = get_status()
    key = await authenticated(request)
    pauses = read_pauses(request.query_params.get("wait", "0"))
    shown = await _look(request, parts, key)
    for pause_s in pauses:
        if "pollAfterS" not in shown or await request.is_disconnected():
            break
        await anyio.sleep(pause_s)
        shown = await _look(request, parts, key)
    headers = {"Retry-After": str(shown["pollAfterS"])} if "pollAfterS" in shown else None
    return JSONResponse({"code": 200, "data": shown}, headers=headers)


async def authenticated(request: Request) -> ApiKey:
    """Return the caller's key, and count the request."""
    request.state.task_id = request.path_params["task_id"]
    return await _authenticated(request, Scope.MEDIA)


async def authenticated_for_any(request: Request) -> ApiKey:
    """Return the caller's key, which has the scope `text` or `media`, and count the request."""
    with suppress(ForbiddenError):
        return await _authenticated(request, Scope.TEXT)
    return await _authenticated(request, Scope.MEDIA)


async def _authenticated(request: Request, scope: Scope) -> ApiKey:
    parts = get_status()
    key = await run_in_threadpool(
        parts.authenticator.authenticate,
        sent_key(request.headers, request.query_params),
        scope,
        address_of(request),
    )
    request.state.account_id = key.account_id
    parts.count(key.account_id)
    return key


async def _look(request: Request, parts: GetStatus, key: ApiKey) -> TaskView:
    return await run_in_threadpool(parts.status, key.caller, request.path_params["task_id"])
