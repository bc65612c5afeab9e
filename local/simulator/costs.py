"""The cost reports of OpenAI, Anthropic and OpenRouter, for reconciliation.

Tests set the reported costs in USD (`PUT /_costs/{provider}`, `{"2026-11-24": {"model": "1.25"}}`).
Sources: as in `tollgate/reconciliation/reports.py`. Reports want an admin key. A day has no costs before the
provider has reported it.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

Costs = dict[str, dict[str, dict[str, str]]]
ADMIN = {"openai": "sk-admin-", "anthropic": "sk-ant-admin"}
_SECONDS_PER_DAY = 86_400
# Buckets of a page: the default and the most (both documents).
_DEFAULT, _MOST = 7, {"openai": 180, "anthropic": 31}


def router() -> APIRouter:
    """Return the reports, and the route that fills them."""
    routes, costs = APIRouter(), Costs()

    @routes.put("/_costs/{provider}")
    async def put(provider: str, request: Request) -> Response:
        costs[provider] = await request.json()
        return Response(status_code=204)

    _add_openai(routes, costs)
    _add_anthropic(routes, costs)
    _add_openrouter(routes, costs)
    return routes


def _add_openai(routes: APIRouter, costs: Costs) -> None:
    @routes.get("/openai/v1/organization/costs")
    async def openai(request: Request) -> Response:
        query = request.query_params
        if not _bearer(request).startswith(ADMIN["openai"]):
            return _openai_error(401, "You have insufficient permissions for this operation.")
        if not query.get("start_time", "").isdigit():
            return _openai_error(400, "Missing required parameter: 'start_time'.")
        first = _day(int(query["start_time"]))
        last = _day(int(query["end_time"])) if "end_time" in query else date.max
        days, more = _page(costs.get("openai", {}), first, last, query, "openai")
        grouped = "line_item" in query.getlist("group_by")
        buckets = [_openai_bucket(day, models, grouped=grouped) for day, models in days]
        return JSONResponse({"object": "page", "data": buckets, "has_more": bool(more), "next_page": more})


def _add_anthropic(routes: APIRouter, costs: Costs) -> None:
    @routes.get("/anthropic/v1/organizations/cost_report")
    async def anthropic(request: Request) -> Response:
        query = request.query_params
        if not request.headers.get("x-api-key", "").startswith(ADMIN["anthropic"]):
            return _anthropic_error(401, "authentication_error", "invalid x-api-key")
        if "anthropic-version" not in request.headers:
            return _anthropic_error(400, "invalid_request_error", "anthropic-version: header is required")
        if "starting_at" not in query:
            return _anthropic_error(400, "invalid_request_error", "starting_at: Field required")
        first = date.fromisoformat(query["starting_at"][:10])
        last = date.fromisoformat(query["ending_at"][:10]) if "ending_at" in query else date.max
        days, more = _page(costs.get("anthropic", {}), first, last, query, "anthropic")
        grouped = "description" in query.getlist("group_by[]")
        buckets = [_anthropic_bucket(day, models, grouped=grouped) for day, models in days]
        return JSONResponse({"data": buckets, "has_more": bool(more), "next_page": more})


def _add_openrouter(routes: APIRouter, costs: Costs) -> None:
    @routes.get("/openrouter/v1/activity")
    async def openrouter(request: Request) -> Response:
        if not _bearer(request):
            return JSONResponse({"error": {"code": 401, "message": "Missing Authentication header"}}, 401)
        wanted = request.query_params.get("date")
        found = costs.get("openrouter", {}).items()
        rows = [
            _openrouter_row(day, model, usd)
            for day, models in found
            if wanted in (None, day)
            for model, usd in models.items()
        ]
        return JSONResponse({"data": rows})


def _bearer(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer ")


def _day(epoch_s: int) -> date:
    return datetime.fromtimestamp(epoch_s, tz=UTC).date()


def _page(
    costs: Mapping[str, Mapping[str, str]], first: date, end: date, query: Mapping[str, str], provider: str
) -> tuple[list[tuple[date, Mapping[str, str]]], str | None]:
    """Return the buckets of a page, and the token of the next page."""
    limit = min(int(query.get("limit", _DEFAULT)), _MOST[provider])
    last = max((date.fromisoformat(day) for day in costs), default=first)
    days = list(_days(first, min(end, last + timedelta(days=1))))
    skipped = int(query.get("page", "page_0").removeprefix("page_"))
    shown = [(day, costs.get(day.isoformat(), {})) for day in days[skipped : skipped + limit]]
    return shown, f"page_{skipped + limit}" if skipped + limit < len(days) else None


def _days(first: date, end: date) -> Iterator[date]:
    while first < end:
        yield first
        first += timedelta(days=1)


def _openai_bucket(day: date, models: Mapping[str, str], *, grouped: bool) -> dict[str, Any]:
    start_s = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
    halves = [
        (f"{model}, {kind}", float(usd) / 2) for model, usd in models.items() for kind in ("input", "output")
    ]
    whole = [(None, sum(float(usd) for usd in models.values()))] if models else []
    results = [
        {
            "object": "organization.costs.result",
            "amount": {"value": value, "currency": "usd"},
            "line_item": name,
            "project_id": None,
        }
        for name, value in (halves if grouped else whole)
    ]
    return {
        "object": "bucket",
        "start_time": start_s,
        "end_time": start_s + _SECONDS_PER_DAY,
        "results": results,
    }


def _anthropic_bucket(day: date, models: Mapping[str, str], *, grouped: bool) -> dict[str, Any]:
    after = day + timedelta(days=1)
    nothing = dict.fromkeys(("context_window", "inference_geo", "service_tier", "token_type", "workspace_id"))
    results = [
        {
            **nothing,
            "amount": str(float(usd) * 100),
            "currency": "USD",
            "cost_type": "tokens" if grouped else None,
            "description": f"{model} Usage" if grouped else None,
            "model": model if grouped else None,
        }
        for model, usd in models.items()
    ]
    return {"starting_at": f"{day}T00:00:00Z", "ending_at": f"{after}T00:00:00Z", "results": results}


def _openrouter_row(day: str, model: str, usd: str) -> dict[str, Any]:
    return {
        "date": day,
        "model": model,
        "model_permaslug": model,
        "endpoint_id": "550e8400-e29b-41d4-a716-446655440000",
        "provider_name": "Simulated",
        "usage": float(usd),
        "byok_usage_inference": 0,
        "requests": 1,
        "prompt_tokens": 1,
        "completion_tokens": 1,
        "reasoning_tokens": 0,
    }


def _openai_error(status: int, message: str) -> Response:
    return JSONResponse({"error": {"message": message, "type": "invalid_request_error"}}, status)


def _anthropic_error(status: int, kind: str, message: str) -> Response:
    return JSONResponse({"type": "error", "error": {"type": kind, "message": message}}, status)
