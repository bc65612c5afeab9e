"""Trigger: API Gateway in streaming mode, by way of uvicorn behind the Lambda Web Adapter: what waits.

status.py   how is a task: the one route that customers poll, and with `wait` its end
images.py   images in OpenAI's protocol: `api` creates the task, the answer is held back until it has ended

A function of its own because waiting is paid by the memory of the function that waits: it has a quarter of
what `api` has. The gateway cuts buffered answers after 29 s, and streamed ones if they say nothing for 300 s.
Never writes a task and knows no provider.
"""

from collections.abc import Awaitable, Callable

from mangum import Mangum
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from get_status.http import refused
from get_status.images import ROUTES as IMAGE_ROUTES
from get_status.images import held_image
from get_status.status import ROUTE as STATUS_ROUTE
from get_status.status import shown_status
from tollgate.composition.get_status import get_status
from tollgate.composition.parts import cors_headers
from tollgate.kit.contention import fault
from tollgate.kit.cors import CrossOrigin
from tollgate.kit.errors import (
    MethodNotAllowedError,
    RouteNotFoundError,
    TollgateError,
    shortened,
)
from tollgate.kit.observability import begin_request, correlation_id, logger

METHOD_NOT_ALLOWED = 405
NO_CONTENT = 204
# For the log alone, by nginx's word for it.
CLIENT_LEFT = 499


def named(answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Have a route name each request, log it in one line, and answer a fault of ours with a bare 500."""

    async def answered(request: Request) -> Response:
        request_id = begin_request()
        route = request.scope["route"].path
        try:
            response = await answer(request)
        except ClientDisconnect:
            # Nothing is wrong here, nobody reads the answer, and the task goes on.
            response = Response(status_code=CLIENT_LEFT)
        except TollgateError as error:
            response = refused(error)
        except Exception as exc:  # noqa: BLE001 - the boundary: logged with its cause, answered as ours
            response = refused(fault(exc, "get_status.fault", route=route))
        response.headers.setdefault("x-request-id", correlation_id() or request_id)
        account_id = getattr(request.state, "account_id", None)
        if account_id is not None:
            for name, value in get_status().rate_headers(account_id).items():
                response.headers.setdefault(name, value)
        task_id = getattr(request.state, "task_id", None)
        logger.info(
            "get_status.request",
            account_id=account_id,
            route=route,
            status=response.status_code,
            task_id=task_id and shortened(task_id),
        )
        return response

    return answered


async def unknown_route(request: Request, error: Exception) -> Response:
    """Answer a path or method in the contract's shape; the gateway sends none but ours."""
    begin_request()
    if isinstance(error, HTTPException) and error.status_code == METHOD_NOT_ALLOWED:
        allowed = {name.strip() for name in (error.headers or {}).get("Allow", "").split(",")}
        return refused(MethodNotAllowedError(allowed - {"HEAD"}))
    return refused(RouteNotFoundError(request.method, request.url.path))


async def healthz(_: Request) -> Response:
    """Answer the web adapter that the app is up; the gateway has no route to it."""
    return Response(status_code=NO_CONTENT)


app = Starlette(
    routes=[
        Route(STATUS_ROUTE, named(shown_status), methods=["GET"]),
        *(Route(route, named(held_image), methods=["POST"]) for route in IMAGE_ROUTES),
        Route("/healthz", healthz, methods=["GET"]),
    ],
    exception_handlers={HTTPException: unknown_route},
)
app.add_middleware(CrossOrigin, headers=cors_headers)
# For emulators, which have no web adapter (run.py).
handler = Mangum(app, lifespan="off")
