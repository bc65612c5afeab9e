"""Admission of a request, before any hold: its model, and how much it can use. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tollgate.accounts.models import ApiKey
from tollgate.catalog import names
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.text.body.body_shapes import shape_problems
from tollgate.text.body.fields import AT_PROVIDER, MESSAGES, refused_fields
from tollgate.text.body.file_parts import file_problems
from tollgate.text.body.foreign import foreign_problems
from tollgate.text.body.request import TextRequest
from tollgate.text.body.tokens import input_bound, input_estimate
from tollgate.text.body.unpriced import audio_problems, service_of, unpriced_problems
from tollgate.text.body.web_search import search_of
from tollgate.text.kinds.table import KINDS
from tollgate.text.models import TextModel, TextProtocol
from tollgate.text.money.metering import Demand
from tollgate.text.wire.errors import ThreadUnsupportedError, UnknownTextModelError

UseOf = Callable[[str], str | None]
"""Returns the sentences that name the kind and the endpoint of the model with a name, if there is one."""


def model_named(
    name: str,
    protocol: TextProtocol,
    models: Mapping[str, TextModel],
    use_of: UseOf,
    key: ApiKey,
    *,
    path: str = "/model",
) -> TextModel:
    """Return the model with this name; `models` are by their names in lower case, `path` names the field.

    Raises `UnknownTextModelError` (400, by the contract), and `ForbiddenError` for a model that the key may
    not use.
    """
    model = models.get(name.casefold())
    if model is None or protocol not in model.protocols:
        ids = sorted({known.id for known in models.values() if protocol in known.protocols})
        message = use_of(name) or names.unknown(name, ids, "/api/v1/models", "text model")
        # The list of all other text models would be long.
        allowed = ids if protocol in KINDS else None
        raise UnknownTextModelError([Problem(path, message, allowed)])
    key.check_model(model.id)
    return model


def demand_of(request: TextRequest, model: TextModel) -> Demand:
    """Return the most that a request can use.

    Raises `InvalidInputError` for input that the model does not accept, or that has no price.
    """
    if (kind := KINDS.get(request.protocol)) is not None:
        return kind.demand(request.fields, model)
    check_threads(request)
    audio = [] if model.hears else audio_problems(request)
    unpriced = unpriced_problems(
        request, searches=model.searches, services=model.services, images=model.images
    )
    problems = [*unpriced, *foreign_problems(request), *audio, *file_problems(request, hears=model.hears)]
    problems = problems or _shape_problems(request)
    if problems:
        raise InvalidInputError(problems)
    demand = Demand(
        input_bound(request, model),
        request.output_limit,
        request.answers,
        service=service_of(request, model.services),
    )
    search = search_of(request)
    if search is None or not (model.searches or search.is_forced):
        return demand
    if not model.searches:
        raise InvalidInputError([Problem(f"{search.path}/type", AT_PROVIDER)])
    return replace(
        demand, searches=search.most, search_steps=search.steps, may_skip_search=search.is_optional
    )


def check_references(request: TextRequest) -> None:
    """Raise `InvalidInputError` for a request that names something in an account with a provider."""
    check_threads(request)
    problems = [*refused_fields(request.protocol, request.fields), *foreign_problems(request)]
    if problems := problems or _shape_problems(request):
        raise InvalidInputError(problems)


def _shape_problems(request: TextRequest) -> list[Problem]:
    # The fields of a Responses request were checked before it became a chat.
    return [] if request.native is not None else shape_problems(request.protocol, request.fields)


def check_threads(request: TextRequest) -> None:
    """Raise `ThreadUnsupportedError` for a messages request with a thread, which Anthropic's SDK can mend."""
    if request.protocol is TextProtocol.ANTHROPIC and MESSAGES["thread"].has_effect(
        request.fields.get("thread")
    ):
        raise ThreadUnsupportedError(MESSAGES["thread"].about)


def estimate_of(request: TextRequest, model: TextModel) -> int:
    """Return about how many input tokens a request has."""
    if (kind := KINDS.get(request.protocol)) is not None:
        return kind.estimate(request.fields, model)
    return input_estimate(request, model)
