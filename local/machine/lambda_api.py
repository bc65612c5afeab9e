"""Lambda's Invoke API on one machine: calls the handlers of template.yaml in this process.

With `AWS_ENDPOINT_URL_LAMBDA` set to an app of this module, boto3's `invoke` works unchanged. A function's
name here is its logical id. A synchronous call (`RequestResponse`) returns the result. An asynchronous one
(`Event`) runs later, and again after a failure.
"""

import asyncio
import importlib
import json
import logging
import traceback
from typing import Any

import anyio
from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from local.machine.door import allowed_hosts
from local.machine.events import Context
from local.template import Properties, Template

MAX_EVENT_ATTEMPTS = 3
"""Of an asynchronous call, as in the template."""
MAX_PAYLOAD_BYTES = 6 * 1024 * 1024
"""Lambda's limit."""
log = logging.getLogger("local.machine.lambda_api")
INVOKE_PATH = "/2015-03-31/functions/{name}/invocations"


def create_lambda_api(template: Template) -> Starlette:
    """Return the app. Handlers are imported on their first call."""
    functions = template.functions()

    async def invoke(request: Request) -> Response:
        # There is only one version of a function here.
        name = request.path_params["name"].partition(":")[0]
        if not _is_ours(request):
            return _refusal(403, "AccessDeniedException", "Only this machine calls functions here.")
        if name not in functions:
            return _refusal(404, "ResourceNotFoundException", f"Function not found: {name}")
        kind = request.headers.get("x-amz-invocation-type", "RequestResponse")
        if kind not in ("RequestResponse", "Event"):
            return _refusal(400, "InvalidParameterValueException", f"{kind} is not known here.")
        payload = await _payload(request)
        if payload is None:
            return _refusal(413, "RequestTooLargeException", "The payload is too large.")
        return await _invoked(name, functions[name], payload, is_later=kind == "Event")

    return Starlette(routes=[Route(INVOKE_PATH, invoke, methods=["POST"])])


def _is_ours(request: Request) -> bool:
    """Return whether the caller is a program on this machine, and not a web page in its browser.

    A page of another site sends its Origin, or its own host name if that was pointed to this machine.
    """
    return request.url.hostname in allowed_hosts() and "origin" not in request.headers


async def _payload(request: Request) -> bytes | None:
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > MAX_PAYLOAD_BYTES:
            return None
    return bytes(found)


async def _invoked(name: str, function: Properties, payload: bytes, *, is_later: bool) -> Response:
    """Run a function now, or accept its event and run it later."""
    try:
        event = json.loads(payload or b"{}")
    except ValueError:
        return _refusal(400, "InvalidRequestContentException", "The payload is not JSON.")
    if not is_later:
        return await _answer(name, function, event)
    running = asyncio.ensure_future(_run_later(name, function, event))
    _later.add(running)
    running.add_done_callback(_later.discard)
    return Response(status_code=202)


async def _answer(name: str, function: Properties, event: Any) -> Response:
    """Run the handler with its function's timeout. A thread that continues after the timeout is abandoned."""
    context = Context(name, function["MemorySize"])
    timeout_s = function["Timeout"]
    with anyio.move_on_after(timeout_s):
        try:
            result = await to_thread.run_sync(
                _call, function["Handler"], event, context, abandon_on_cancel=True
            )
        except Exception as exc:  # noqa: BLE001 - Lambda hands it to the caller, and so do we
            return _failure(type(exc).__name__, str(exc), traceback.format_tb(exc.__traceback__))
        return JSONResponse(result, headers={"x-amz-executed-version": "$LATEST"})
    message = f"RequestId: {context.aws_request_id} Error: Task timed out after {timeout_s:.2f} seconds"
    return _failure("Sandbox.Timedout", message)


# The loop keeps only weak references to tasks.
_later: set[asyncio.Task[None]] = set()


async def _run_later(name: str, function: Properties, event: Any) -> None:
    """Run the handler for an asynchronous call, as often as Lambda does if it fails."""
    for _ in range(MAX_EVENT_ATTEMPTS):
        answer = await _answer(name, function, event)
        if "x-amz-function-error" not in answer.headers:
            return
        log.error("%s failed: %s", name, bytes(answer.body).decode())


def _call(path: str, event: Any, context: Context) -> Any:
    """Import and call the handler with the path `path` (`<stem>.app.handler`)."""
    module, _, attribute = path.rpartition(".")
    # A handler that is an ASGI app needs an event loop in its thread. Lambda's thread has one, these do not.
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return getattr(importlib.import_module(module), attribute)(event, context)
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def _failure(kind: str, message: str, trace: list[str] | None = None) -> Response:
    """Return the response for a failed function: 200 with a header, and the error as the payload."""
    body = {"errorMessage": message, "errorType": kind, **({"stackTrace": trace} if trace else {})}
    return JSONResponse(body, headers={"x-amz-function-error": "Unhandled"})


def _refusal(status: int, kind: str, message: str) -> Response:
    """Return the response for a call that did not reach a function."""
    return JSONResponse(
        {"Type": "User", "Message": message}, status_code=status, headers={"x-amzn-errortype": kind}
    )
