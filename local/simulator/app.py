"""Combines the simulator: providers under their prefixes, result files, and routes for tests."""

from collections.abc import Callable
from importlib import import_module

from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator import costs, fal_usage, files, text
from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.jobs import JobStore
from local.simulator.stripe import router as stripe_router
from local.simulator.stripe_state import SimulatedStripe
from local.simulator.wire import FaultError
from tollgate.kit.clock import Clock, SystemClock
from tollgate.providers.runtime.accounts import media_accounts

MAX_BODY_BYTES = 4 * 1024 * 1024
"""A larger request gets a 413."""

PROVIDERS: dict[str, Callable[[Engine], APIRouter]] = {
    name: import_module(f"local.simulator.providers.{name}").router for name in media_accounts()
}
"""The routes of each declared media provider: `router` in the module with its name.

The name is its path prefix, and its name in a prompt's directions. A company with media and text has one name
for both.
"""


def create_app(
    clock: Clock | None = None,
    job_seconds: float | None = None,
    payments_webhook: str | None = None,
) -> FastAPI:
    """Return the simulator as an ASGI app.

    Serve it with `server.py`, because some faults need its protocol class.

    `job_seconds` is the duration of every job (default: by kind).
    `payments_webhook` is the URL for the simulated Stripe's events.
    """
    time_source = clock or SystemClock()
    store = JobStore()
    duration_ms = None if job_seconds is None else round(job_seconds * MS_PER_S)
    app = FastAPI(openapi_url=None, redirect_slashes=False, max_body_size=MAX_BODY_BYTES)
    app.include_router(files.router(store, time_source))
    app.include_router(_control(store))
    app.include_router(costs.router())
    app.include_router(fal_usage.router(store, time_source))
    app.include_router(stripe_router(SimulatedStripe(payments_webhook, time_source)))
    for name, make_router in (*text.PROVIDERS.items(), *PROVIDERS.items()):
        engine = Engine(name, store, time_source, duration_ms)
        app.include_router(make_router(engine), prefix=f"/{name}")

    @app.exception_handler(FaultError)
    async def fault(_: Request, error: FaultError) -> Response:
        return error.response()

    return app


def _control(store: JobStore) -> APIRouter:
    routes = APIRouter()

    @routes.get("/healthz")
    async def healthz() -> Response:
        return JSONResponse({"ok": True})

    @routes.get("/_jobs")
    async def jobs() -> Response:
        return JSONResponse(store.rows())

    @routes.delete("/_jobs")
    async def clear() -> Response:
        store.clear()
        return Response(status_code=204)

    return routes
