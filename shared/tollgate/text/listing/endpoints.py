"""The routes of a model in OpenRouter's shape. Pure.

Source: `ListEndpointsResponse` and `PublicEndpoint` of the package openrouter 1.3.84 (PyPI). Its types
require every field, so a field without a meaning here is null, false or empty.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from tollgate.catalog.models import CatalogModel, Model, Route
from tollgate.catalog.pricing import price_from
from tollgate.catalog.text_models import CatalogTextModel, CatalogTextRoute
from tollgate.kit.response_shapes import Shape
from tollgate.routing.facts import KnownProviders
from tollgate.routing.measures import UNMEASURED, Measures, Percentiles
from tollgate.routing.views import DataPolicyView, data_policy_view
from tollgate.text.listing.listed import architecture_of, parameters_of
from tollgate.text.listing.views import created_of, prices_per_token
from tollgate.text.models import Refuses

# `EndpointStatus` of the package has these among its numbers. Inferred: OpenRouter does not say what the
# numbers below 0 mean, and -10 is the lowest.
ON: Final = 0
OFF: Final = -10


class ToolChoiceView(Shape):
    """The values of `tool_choice` that the route supports."""

    auto: bool
    function: bool
    none: bool
    required: bool


class PercentilesView(Shape):
    """The value that a share of the calls did not exceed, to a tenth."""

    p50: float
    p75: float
    p90: float
    p99: float


class EndpointView(Shape):
    """One route of a model: the company that gets the request, with facts and measures."""

    name: str
    tag: str
    """The provider's name in routing wishes."""
    provider_name: str
    model_id: str
    model_name: str
    context_length: int
    max_completion_tokens: int | None
    max_prompt_tokens: int | None
    pricing: dict[str, Any]
    """Your prices in USD per token. They are the same on every route of a model."""
    supported_parameters: list[str]
    supports_tool_choice: ToolChoiceView
    supports_implicit_caching: bool
    supports_diarization: bool
    native_tools: dict[str, Any]
    quantization: None
    service_tier: None
    status: Literal[0, -10]
    """-10: the operator of this service has switched the route off; it gets no requests. 0: it is on."""
    uptime_last_5m: float | None
    """The share of calls that the provider answered, in percent; null without calls, like the fields to
    `throughput_last_30m`. Media models have none."""
    uptime_last_30m: float | None
    uptime_last_1d: float | None
    latency_last_30m: PercentilesView | None
    """Milliseconds to the first bytes; of a complete response, to its end."""
    throughput_last_30m: PercentilesView | None
    """Output tokens per second."""
    data_policy: DataPolicyView


class EndpointsView(Shape):
    """The routes of a model, best first."""

    id: str
    name: str
    created: int
    description: str
    architecture: dict[str, Any]
    endpoints: list[EndpointView]


def endpoints_view(
    model: CatalogModel,
    known: KnownProviders,
    measured: Mapping[str, Measures],
    is_off: Callable[[str, str], bool],
) -> EndpointsView:
    """Return the `data` of `GET /models/{id}/endpoints`, for a model of any kind.

    `measured` are the measures of its routes, by provider. `is_off` returns whether an operator switched off
    a provider's route of a model.
    """
    routes: list[CatalogTextRoute | Route] = list(getattr(model, "routes", ()))
    return {
        "id": model.id,
        "name": model.name,
        "created": created_of(model),
        "description": model.description,
        "architecture": architecture_of(model),
        "endpoints": [
            _endpoint(
                model,
                route,
                known,
                measured.get(route.provider, UNMEASURED),
                OFF if is_off(route.provider, model.id) else ON,
            )
            for route in routes
        ],
    }


def _endpoint(
    model: CatalogModel,
    route: CatalogTextRoute | Route,
    known: KnownProviders,
    measures: Measures,
    status: Literal[0, -10],
) -> EndpointView:
    title = known.title(route.provider)
    context, output = _bounds(model, route)
    refuses = frozenset(map(Refuses, getattr(route, "refuses", ())))
    is_chat = isinstance(model, CatalogTextModel) and model.is_chat and model.images is None
    forced = is_chat and Refuses.FORCED_TOOLS not in refuses | _refusals(model)
    return {
        "name": f"{title} | {model.id}",
        "tag": route.provider,
        "provider_name": title,
        "model_id": model.id,
        "model_name": model.name,
        "context_length": context,
        "max_completion_tokens": output,
        "max_prompt_tokens": None,
        "pricing": _pricing(model),
        "supported_parameters": parameters_of(model, refuses),
        "supports_tool_choice": {"auto": is_chat, "function": forced, "none": is_chat, "required": forced},
        "supports_implicit_caching": False,
        "supports_diarization": False,
        "native_tools": {},
        "quantization": None,
        "service_tier": None,
        "status": status,
        "uptime_last_5m": measures.uptime_5m,
        "uptime_last_30m": measures.uptime_30m,
        "uptime_last_1d": measures.uptime_1d,
        "latency_last_30m": _percentiles(measures.latency),
        "throughput_last_30m": _percentiles(measures.throughput),
        "data_policy": data_policy_view(known.data(route.provider)),
    }


def _percentiles(found: Percentiles | None) -> PercentilesView | None:
    if found is None:
        return None
    return {"p50": found["p50"], "p75": found["p75"], "p90": found["p90"], "p99": found["p99"]}


def _refusals(model: CatalogModel) -> frozenset[Refuses]:
    return frozenset(map(Refuses, getattr(model, "refuses", ())))


def _bounds(model: CatalogModel, route: CatalogTextRoute | Route) -> tuple[int, int | None]:
    """Return the context and the output limit of a route; 0 and none for media."""
    if not isinstance(model, CatalogTextModel) or not isinstance(route, CatalogTextRoute):
        return 0, None
    context = route.context_tokens or model.context_tokens
    return context, route.max_output_tokens or model.max_output_tokens or None


def _pricing(model: CatalogModel) -> dict[str, Any]:
    if isinstance(model, CatalogTextModel):
        return {**prices_per_token(model)}
    found = {"prompt": "0", "completion": "0"}
    if isinstance(model, Model) and model.pricing.unit == "generation":
        found["request"] = f"{price_from(model.pricing):f}"
    return found
