"""The JSON Schemas of the API's responses, generated from the types that mypy checks."""

from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

from tollgate.accounts import views as accounts
from tollgate.accounts import webhook_secrets
from tollgate.activity import views as activity
from tollgate.artifacts import models as artifacts
from tollgate.batches import views as batches
from tollgate.budgets import views as budgets
from tollgate.catalog import pricing
from tollgate.catalog import views as catalog
from tollgate.exports import settings as exports
from tollgate.ledger import entries
from tollgate.projects import views as projects
from tollgate.quotes import views as quotes
from tollgate.run_tokens import views as run_tokens
from tollgate.seals import views as seals
from tollgate.subaccounts import views as subaccounts
from tollgate.tasks import models as tasks
from tollgate.text.listing import endpoints
from tollgate.text.listing import views as text
from tollgate.usage import counts, openrouter_views
from tollgate.webhooks import models as webhooks
from tollgate.workflows import views as workflows

Json = dict[str, Any]

# The modules that declare responses. Each type named `…View` becomes a schema of the document, so a new
# response needs no change here.
_MODULES = (
    accounts,
    activity,
    budgets,
    exports,
    webhook_secrets,
    artifacts,
    batches,
    pricing,
    catalog,
    endpoints,
    entries,
    projects,
    quotes,
    run_tokens,
    seals,
    subaccounts,
    tasks,
    text,
    counts,
    openrouter_views,
    webhooks,
    workflows,
)
_SUFFIX = "View"
_ANSWER: Literal["serialization"] = "serialization"


@cache
def answer_schemas() -> dict[str, Json]:
    """Return the schemas of the responses and of their parts, by the types' names without `View`."""
    shapes = {
        name: one for module in _MODULES for name, one in vars(module).items() if name.endswith(_SUFFIX)
    }
    adapters = [(name, _ANSWER, TypeAdapter[Any](shape)) for name, shape in shapes.items()]
    _, made = TypeAdapter.json_schemas(adapters, ref_template="{model}")
    return {_shown_name(name): _as_shown(schema) for name, schema in made["$defs"].items()}


def _as_shown(value: Any) -> Any:
    """Return a schema with the document's names, without pydantic's titles and the docstrings of enums."""
    if isinstance(value, list):
        return [_as_shown(one) for one in value]
    if not isinstance(value, dict):
        return value
    dropped = {"title", "description"} if "enum" in value else {"title"}
    kept = {key: one for key, one in value.items() if key not in dropped or not isinstance(one, str)}
    shown = {key: _shown_name(one) if key == "$ref" else _as_shown(one) for key, one in kept.items()}
    return _or_null(shown)


def _or_null(schema: Json) -> Json:
    """Return a nullable plain type as one schema, for which generators create better types."""
    first, *others = schema.get("anyOf", [{}])
    if others != [{"type": "null"}] or not isinstance(first.get("type"), str):
        return schema
    words = {key: one for key, one in schema.items() if key != "anyOf"}
    return {**first, "type": [first["type"], "null"], **words}


def _shown_name(name: str) -> str:
    return name.removesuffix(_SUFFIX)
