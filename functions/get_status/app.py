"""Trigger: API Gateway in streaming mode, through uvicorn behind the Lambda Web Adapter: routes that wait.

status.py       the status of a task, which customers poll, or with `wait` its end. Lists of tasks are in
                `functions/api/media.py`, because they do not wait
stream.py       the progress of a task or a workflow as server-sent events
images.py       images in OpenAI's protocol: `api` creates the task, and the response is sent at its end
http.py         addresses and errors, for all routes
built_files.py  the packages of our clients and the images of link previews, because only streamed
                responses can contain bytes

It is a separate function because the cost of waiting depends on the memory of the function that waits. It has
a quarter of the memory of `api`. The gateway ends buffered responses after 29 s, and streamed ones after 300
s without data. Never writes a task and never calls a provider.
"""

from collections.abc import Awaitable, Callable

from mangum import Mangum
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from get_status.built_files import CLIENTS, PREVIEWS, client_package, preview
from get_status.http import refused
from get_status.images import ROUTES as IMAGE_ROUTES
from get_status.images import held_image
from get_status.status import ROUTE as STATUS_ROUTE
from get_status.status import shown_status
from get_status.stream import ROUTE as STREAM_ROUTE
from get_status.stream import WORKFLOW_ROUTE, streamed_status, streamed_workflow
from tollgate.composition.get_status import get_status
from tollgate.composition.parts import cors_headers
from tollgate.kit.errors import MethodNotAllowedError, RouteNotFoundError, TollgateError
from tollgate.kit.http.cors import CrossOrigin
from tollgate.kit.http.head import HeadLikeGet
from tollgate.kit.observability import begin_request, correlation_id, logger
from tollgate.kit.problems import shortened
from tollgate.kit.retry import fault

METHOD_NOT_ALLOWED = 405
NO_CONTENT = 204
# Only for the log: nginx's status for a client that disconnected.
CLIENT_LEFT = 499


def named(answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Assign each request of a route an id, log it in one line, and return 500 for an internal error."""

    async def answered(request: Request) -> Response:
        request_id = begin_request()
        route = request.scope["route"].path
        try:
            response = await answer(request)
        except ClientDisconnect:
            # This is not an error. No one reads the response, and the task continues.
            response = Response(status_code=CLIENT_LEFT)
        except TollgateError as error:
            response = refused(request, error, correlation_id() or request_id)
        except Exception as exc:  # noqa: BLE001 - the boundary: logged with its cause, answered as ours
            shown = fault(exc, "get_status.fault", route=route)
            response = refused(request, shown, correlation_id() or request_id)
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
    """Return the contract's error for a path or method. The gateway forwards only known paths."""
    request_id = begin_request()
    if isinstance(error, HTTPException) and error.status_code == METHOD_NOT_ALLOWED:
        allowed = {name.strip() for name in (error.headers or {}).get("Allow", "").split(",")}
        return refused(request, MethodNotAllowedError(allowed - {"HEAD"}), request_id)
    return refused(request, RouteNotFoundError(request.method, request.url.path), request_id)


async def healthz(_: Request) -> Response:
    """Respond to the web adapter's check that the app is running. The gateway has no route to it."""
    return Response(status_code=NO_CONTENT)


app = Starlette(
    routes=[
        Route(STATUS_ROUTE, named(shown_status), methods=["GET"]),
        Route(STREAM_ROUTE, named(streamed_status), methods=["GET"]),
        Route(WORKFLOW_ROUTE, named(streamed_workflow), methods=["GET"]),
        *(Route(route, named(held_image), methods=["POST"]) for route in IMAGE_ROUTES),
        Route(CLIENTS, named(client_package), methods=["GET"]),
        Route(PREVIEWS, named(preview), methods=["GET"]),
        Route("/healthz", healthz, methods=["GET"]),
    ],
    exception_handlers={HTTPException: unknown_route},
)
app.add_middleware(HeadLikeGet)
app.add_middleware(CrossOrigin, headers=cors_headers)
# For emulators, which lack the web adapter (run.py).
handler = Mangum(app, lifespan="off")
