"""The JSON Schemas of what the API answers, made of the types that the code is checked against."""

from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

from tollgate.accounts.models import EndingRequestView, KeysView, KeyWithSecretView, UserView
from tollgate.accounts.webhook_secrets import WebhookSecretsView
from tollgate.artifacts.models import DeletedFileView, UploadedFileView
from tollgate.catalog.pricing import EstimateView
from tollgate.catalog.views import CatalogModelView, ModelPricesView, PricesView
from tollgate.ledger.entries import EntryPageView
from tollgate.tasks.models import CreatedTaskView, TaskPageView
from tollgate.text.views import TextModelsView
from tollgate.usage.counts import StatisticsView
from tollgate.webhooks.models import DeliveryPageView

Json = dict[str, Any]

_SHAPES = (
    CatalogModelView,
    CreatedTaskView,
    DeletedFileView,
    DeliveryPageView,
    EndingRequestView,
    EntryPageView,
    EstimateView,
    KeyWithSecretView,
    KeysView,
    ModelPricesView,
    PricesView,
    StatisticsView,
    TaskPageView,
    TextModelsView,
    UploadedFileView,
    UserView,
    WebhookSecretsView,
)
_SUFFIX = "View"
_ANSWER: Literal["serialization"] = "serialization"


@cache
def answer_schemas() -> dict[str, Json]:
    """Return the schemas of the answers and of what stands in them, by the names of the types less `View`."""
    adapters = [(shape.__name__, _ANSWER, TypeAdapter[Any](shape)) for shape in _SHAPES]
    _, made = TypeAdapter.json_schemas(adapters, ref_template="{model}")
    return {_shown_name(name): _as_shown(schema) for name, schema in made["$defs"].items()}


def _as_shown(value: Any) -> Any:
    """Return a schema with the names of the document, without pydantic's titles and the words of enums."""
    if isinstance(value, list):
        return [_as_shown(one) for one in value]
    if not isinstance(value, dict):
        return value
    dropped = {"title", "description"} if "enum" in value else {"title"}
    kept = {key: one for key, one in value.items() if key not in dropped or not isinstance(one, str)}
    shown = {key: _shown_name(one) if key == "$ref" else _as_shown(one) for key, one in kept.items()}
    return _or_null(shown)


def _or_null(schema: Json) -> Json:
    """Return a plain type that may be null as one schema, which generators make the better types of."""
    first, *others = schema.get("anyOf", [{}])
    if others != [{"type": "null"}] or not isinstance(first.get("type"), str):
        return schema
    words = {key: one for key, one in schema.items() if key != "anyOf"}
    return {**first, "type": [first["type"], "null"], **words}


def _shown_name(name: str) -> str:
    return name.removesuffix(_SUFFIX)
