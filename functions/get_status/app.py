"""Trigger: API Gateway, the one route that customers poll: how is a task.

Reads the task's row, and with `wait` again until it has ended. Never writes a task and knows no provider. A
function of its own because waiting is paid by the memory of who waits: it has a quarter of what `api` has.
"""

import anyio
from mangum import Mangum
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tollgate.accounts.models import Scope
from tollgate.composition.get_status import GetStatus, get_status
from tollgate.composition.parts import cors_headers
from tollgate.composition.snapshot import begin_anew_when_restored
from tollgate.kit.contention import fault
from tollgate.kit.cors import CrossOrigin
from tollgate.kit.errors import (
    MethodNotAllowedError,
    RouteNotFoundError,
    TollgateError,
    shortened,
)
from tollgate.kit.observability import begin_request, logger
from tollgate.tasks.models import TaskView
from tollgate.tasks.waiting import pauses_of

ROUTE = "/api/v1/task/status/{task_id}"
METHOD_NOT_ALLOWED = 405


async def status(request: Request) -> Response:
    """Answer, name the request, log it in one line, and turn a fault of ours into a 500 that says nothing."""
    request_id = begin_request()
    try:
        response = await _shown(request)
    except TollgateError as error:
        response = _refused(error)
    except Exception as exc:  # noqa: BLE001 - the boundary: logged with its cause, answered as ours
        response = _refused(fault(exc, "get_status.fault", route=ROUTE))
    response.headers["x-request-id"] = request_id
    account_id = getattr(request.state, "account_id", None)
    if account_id is not None:
        response.headers.update(get_status().rate_headers(account_id))
    logger.info(
        "get_status.request",
        account_id=account_id,
        status=response.status_code,
        task_id=shortened(request.path_params["task_id"]),
    )
    return response


async def _shown(request: Request) -> Response:
    """Return the task; with `wait`, as soon as it has ended, or after so many seconds."""
    parts = get_status()
    key = await run_in_threadpool(
        parts.authenticator.authenticate, request.headers.get("authorization"), Scope.MEDIA, _address(request)
    )
    request.state.account_id = key.account_id
    parts.count(key.account_id)
    pauses = pauses_of(request.query_params.get("wait", "0"))
    shown = await _look(request, parts, key.account_id)
    for pause_s in pauses:
        if "pollAfterS" not in shown:
            break
        await anyio.sleep(pause_s)
        shown = await _look(request, parts, key.account_id)
    headers = {"Retry-After": str(shown["pollAfterS"])} if "pollAfterS" in shown else None
    return JSONResponse({"code": 200, "data": shown}, headers=headers)


async def _look(request: Request, parts: GetStatus, account_id: str) -> TaskView:
    return await run_in_threadpool(parts.status, account_id, request.path_params["task_id"])


def _address(request: Request) -> str | None:
    # On Lambda the address that the gateway saw (Mangum has it from the event), else that of the socket.
    return request.client.host if request.client else None


def _refused(error: TollgateError) -> Response:
    return JSONResponse(error.body(), status_code=error.status, headers=error.headers())


async def unknown_route(request: Request, error: Exception) -> Response:
    """Answer a path or method in the contract's shape; the gateway sends none but ours."""
    begin_request()
    wrong_method = isinstance(error, HTTPException) and error.status_code == METHOD_NOT_ALLOWED
    return _refused(
        MethodNotAllowedError({"GET"})
        if wrong_method
        else RouteNotFoundError(request.method, request.url.path)
    )


app = Starlette(
    routes=[Route(ROUTE, status, methods=["GET"])], exception_handlers={HTTPException: unknown_route}
)
app.add_middleware(CrossOrigin, headers=cors_headers)
begin_anew_when_restored()
handler = Mangum(app, lifespan="off")
