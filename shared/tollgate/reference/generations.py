"""Create requests of the catalog's media models as JSON Schema, each with an example that is accepted."""

from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.params import json_schema
from tollgate.kit.errors import InvalidInputError
from tollgate.providers.runtime.routing import routes_for
from tollgate.tasks.request import LEAST_KEPT_S, MOST_KEPT_S, finish_by_range

Schema = dict[str, Any]

_PROMPT = {"prompt": "a lighthouse at dusk, oil on canvas"}
_IMAGE, _VIDEO = "https://example.com/image.png", "https://example.com/video.mp4"
_AUDIO = "https://example.com/speech.mp3"
# Short inputs. Each profile accepts at least one.
_CANDIDATES: tuple[Mapping[str, Any], ...] = (
    _PROMPT,
    _PROMPT | {"size": "1:1"},
    _PROMPT | {"imageUrls": [_IMAGE]},
    _PROMPT | {"editVideoUrl": _VIDEO},
    {"imageUrls": [_IMAGE]},
    {"imageUrls": [_IMAGE], "videoUrls": [_VIDEO], "characterOrientation": "image"},
    {"imageUrls": [_IMAGE], "videoUrls": [_VIDEO], "characterOrientation": "video"},
    {"videoUrls": [_VIDEO]},
    {"imageUrls": [_IMAGE], "audioUrls": [_AUDIO]},
    {"videoUrls": [_VIDEO], "audioUrls": [_AUDIO]},
    {"name": "my voice", "audioUrls": [f"https://example.com/{number}.mp3" for number in range(1, 7)]},
)


def generation_schemas(catalog: Catalog) -> dict[str, Schema]:
    """Return the schema `Generation` and a schema for each model. The field `model` selects between them."""
    models = catalog.media_models()
    creates = {f"Generation.{model.id}": _create(model) for model in models}
    mapping = {model.id: f"#/components/schemas/Generation.{model.id}" for model in models}
    generation = {
        "oneOf": [{"$ref": name} for name in creates],
        "discriminator": {"propertyName": "model", "mapping": mapping},
    }
    return {"Generation": generation, **creates}


def example_input(model: Model) -> Mapping[str, Any] | None:
    """Return a short input that the model and at least one live route accept; `None` if none is known."""
    return next((given for given in _CANDIDATES if _is_taken(model, given)), None)


def _create(model: Model) -> Schema:
    least_s, most_s = finish_by_range(model)
    schema: Schema = {
        "title": model.name,
        "type": "object",
        "additionalProperties": False,
        "required": ["model", "input"],
        "properties": {
            "model": {"const": model.id},
            "input": _without_definitions(json_schema(model)),
            "webhook": {"$ref": "WebhookUrl"},
            "metadata": {"$ref": "Metadata"},
            "maxCostCents": {"$ref": "MaxCostCents"},
            "priceVersion": {"$ref": "PriceVersion"},
            "provider": {"$ref": "ProviderWishes"},
            "finishByS": {"type": "integer", "minimum": least_s, "maximum": most_s},
            "expiresInS": {"type": "integer", "minimum": LEAST_KEPT_S, "maximum": MOST_KEPT_S},
            "webhookProgress": {"type": "boolean", "default": False},
            "private": {"type": "boolean", "default": False},
        },
    }
    example = example_input(model)
    return schema if example is None else {**schema, "examples": [{"model": model.id, "input": example}]}


def _is_taken(model: Model, given: Mapping[str, Any]) -> bool:
    try:
        return bool(routes_for(model, model.check(given).values))
    except InvalidInputError:
        return False


def _in_words(schema: Schema) -> Schema:
    """Return a choice of fractions as a number with the choice in its description.

    Generators do not support such an enum. The model's own schema (`/catalog/{id}/schema`) has it."""
    choice = ", ".join(map(str, schema["enum"]))
    told = f"{schema.get('description', '')} One of {choice}.".strip()
    return {**{name: each for name, each in schema.items() if name != "enum"}, "description": told}


def _without_definitions(schema: Schema) -> Schema:
    """Return a schema with its definitions inlined, because references to them would not resolve there."""
    definitions = schema.get("$defs", {})

    def put_in(value: Any) -> Any:
        if isinstance(value, list):
            return [put_in(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return put_in(definitions[value["$ref"].removeprefix("#/$defs/")])
        if value.get("type") == "number" and any(isinstance(one, float) for one in value.get("enum", ())):
            return _in_words(value)
        return _plain({key: put_in(one) for key, one in value.items()})

    own: Iterator[tuple[str, Any]] = (item for item in schema.items() if item[0] not in ("$defs", "$schema"))
    return {key: put_in(value) for key, value in own}


def _plain(schema: Schema) -> Schema:
    """Return an equivalent schema in the form that linters expect.

    A choice with one member becomes that member, required names are also properties, and a branch allows
    additional properties.
    """
    for key in ("anyOf", "allOf"):
        members = schema.get(key)
        if isinstance(members, list) and len(members) == 1 and not members[0].keys() & schema.keys() - {key}:
            schema = {**{name: one for name, one in schema.items() if name != key}, **members[0]}
    for key in ("then", "else"):
        # Otherwise Redocly interprets each branch as the complete object.
        if "properties" in schema.get(key, {}):
            schema[key] = {**schema[key], "additionalProperties": True}
    required = schema.get("required")
    if isinstance(required, list):
        schema["properties"] = {**{name: {} for name in required}, **schema.get("properties", {})}
    return schema
