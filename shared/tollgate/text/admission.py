"""Admission of a request, before any hold: its model, and how much it can use. Pure."""

from collections.abc import Mapping

from tollgate.accounts.models import ApiKey
from tollgate.catalog import names
from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.text.embeddings import embedding_bound, embedding_estimate, embedding_problems
from tollgate.text.foreign import foreign_problems
from tollgate.text.metering import Demand
from tollgate.text.models import TextModel, TextProtocol
from tollgate.text.request import TextRequest
from tollgate.text.tokens import input_bound, input_estimate
from tollgate.text.unpriced import unpriced_problems


def model_of(request: TextRequest, models: Mapping[str, TextModel], key: ApiKey) -> TextModel:
    """Return the model that a request names. Raises as `model_named` does."""
    return model_named(request.model, request.protocol, models, key)


def model_named(name: str, protocol: TextProtocol, models: Mapping[str, TextModel], key: ApiKey) -> TextModel:
    """Return the model with this name; `models` are by their ids in lower case.

    Raises `InvalidInputError` (400, by the contract), and `ForbiddenError` if the key may not use the model.
    """
    model = models.get(name.casefold())
    if model is None:
        ids = {known.id: known for known in models.values() if protocol in known.protocols}
        message = names.unknown(name, ids, "/api/v1/models", "text model")
        raise InvalidInputError([Problem("/model", message)])
    if protocol not in model.protocols:
        raise InvalidInputError([Problem("/model", _other_protocol(model, protocol, models))])
    key.check_model(model.id)
    return model


def demand_of(request: TextRequest, model: TextModel) -> Demand:
    """Return the most that a request can use.

    Raises `InvalidInputError` for input that the model does not accept, or that has no price.
    """
    fields, takes = request.fields, model.embedding
    if takes is None:
        problems = [*unpriced_problems(request), *foreign_problems(request)]
    else:
        problems = [*embedding_problems(fields, model.id, takes)]
    if problems:
        raise InvalidInputError(problems)
    most_input = input_bound(request, model) if takes is None else embedding_bound(fields, model)
    return Demand(most_input, request.output_limit, request.answers)


def check_references(request: TextRequest) -> None:
    """Raise `InvalidInputError` for a request that names something in an account with a provider."""
    if problems := foreign_problems(request):
        raise InvalidInputError(problems)


def estimate_of(request: TextRequest, model: TextModel) -> int:
    """Return about how many input tokens a request has."""
    if model.embedding is not None:
        return embedding_estimate(request.fields, model)
    return input_estimate(request, model)


def _other_protocol(model: TextModel, asked: TextProtocol, models: Mapping[str, TextModel]) -> str:
    """Return the message for a model of another protocol."""
    if model.embedding is not None:
        return f"{model.id} makes embeddings: send it to /api/v1/embeddings."
    if asked is TextProtocol.EMBEDDINGS:
        known = sorted({each.id for each in models.values() if each.embedding is not None})
        return f"{model.id} makes no embeddings. These do: {', '.join(known)}."
    return f"{model.id} is not a model of this protocol, but of: {', '.join(sorted(model.protocols))}."
