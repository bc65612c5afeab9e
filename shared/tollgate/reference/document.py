"""The OpenAPI 3.1 document, generated from the routes, the errors and the catalog."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tollgate.catalog.loader import Catalog, read_yaml
from tollgate.kit.errors import TYPES, TollgateError
from tollgate.kit.version import API_VERSION
from tollgate.reference import HERE
from tollgate.reference.answers import answer_schemas
from tollgate.reference.errors import errors
from tollgate.reference.generations import generation_schemas

# The base URL if it is unknown: relative to the document.
RELATIVE = "../.."
TEXT = "text"
_ABOUT = (
    "One API key and one prepaid balance for images, videos, music and text. Paths are relative to your "
    "base URL. Match errors on `error.code`. Models whose id starts with `test-` are free."
)
# The same licence as the clients that are generated from it.
_LICENSE = {"name": "MIT", "identifier": "MIT"}
_REFUSAL = {"description": "An error of the provider, with its status and, in its protocol, its body."}
_NOT_MODIFIED = {"description": "Not modified."}
_KNOWN = {
    "name": "If-None-Match",
    "in": "header",
    "schema": {"type": "string"},
    "description": "The ETag of an earlier response.",
}

Json = dict[str, Any]


def openapi(catalog: Catalog, base_url: str = RELATIVE, *, with_generations: bool = True) -> Json:
    """Return the document for the models of `catalog` and the service at `base_url`.

    Without `with_generations` it is an outline: it refers to the create bodies of the models but does not
    contain them. They are the largest part.
    """
    source = read_yaml(HERE / "operations.yaml")
    paths: dict[str, Json] = {}
    for route, operation in source["operations"].items():
        method, path = route.split(" ")
        paths.setdefault(path, {})[method.lower()] = _operation(path, operation)
    written = read_yaml(HERE / "schemas.yaml")
    schemas = {
        # `Error` is only the base of the schemas for each status.
        **{name: schema for name, schema in written.items() if name != "Error"},
        **answer_schemas(),
        **dict(_error_schemas(source["operations"].values())),
        **_model_ids(catalog),
        **(generation_schemas(catalog) if with_generations else {}),
    }
    made: Json = _with_references(
        {
            "openapi": "3.1.0",
            "info": {"title": "Tollgate", "version": API_VERSION, "description": _ABOUT, "license": _LICENSE},
            "servers": [{"url": base_url}],
            "tags": [{"name": name, "description": text} for name, text in source["groups"].items()],
            "paths": paths,
            "webhooks": {name: {"post": _hook(hook)} for name, hook in source["webhooks"].items()},
            "components": {
                "schemas": schemas,
                "responses": dict(_error_responses(source["operations"].values())),
                "headers": {
                    "request-id": {"schema": {"type": "string"}, "description": "Names the request."}
                },
                "securitySchemes": {
                    "bearer": {"type": "http", "scheme": "bearer"},
                    "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
                },
            },
        }
    )
    return made


_FOUND = {
    "description": "The file is at `Location`.",
    "headers": {"location": {"schema": {"type": "string", "format": "uri"}}},
}


_FILE = {"description": "The file, after a redirect."}


def _operation(path: str, source: Json) -> Json:
    scope = source.get("scope")
    made = _words(source, scope)
    parameters = list(_parameters(path, source))
    if parameters:
        made["parameters"] = parameters
    if "body" in source:
        made["requestBody"] = _body(source)
    # Generators create a type for the success. For a redirect it is the file at the target.
    made["responses"] = {"302": _FOUND, "200": _FILE} if source.get("redirect") else {"200": _success(source)}
    if source.get("cached"):
        made["responses"]["304"] = _NOT_MODIFIED
    for status, codes in _by_status(source):
        made["responses"][status] = {"$ref": f"#/components/responses/{_response_name(source, codes)}"}
    if scope == TEXT:
        # A provider's own error is forwarded with its status and body, which cannot be listed here.
        made["responses"]["4XX"] = _REFUSAL
    made["security"] = _security(scope)
    return made


def _words(source: Json, scope: str | None) -> Json:
    needs = f"Needs a key with the scope `{scope}`." if scope else "Needs no key."
    description = f"{source['description']} {needs}" if "description" in source else needs
    return {
        "operationId": source["id"],
        "tags": [source["group"]],
        "summary": source["summary"],
        "description": description,
    }


def _security(scope: str | None) -> list[Json]:
    if scope is None:
        return []
    return [{"bearer": []}, {"apiKey": []}]


def _parameters(path: str, source: Json) -> Iterator[Json]:
    for name in re.findall(r"\{(\w+)\}", path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
    for place, names in (("query", source.get("query", {})), ("header", source.get("headers", {}))):
        for name, schema in names.items():
            needed = {"required": True} if name in source.get("requires", ()) else {}
            yield {"name": name, "in": place, **needed, "schema": schema}
    if source.get("cached"):
        yield _KNOWN


def _body(source: Json) -> Json:
    content: Json = {"schema": {"$ref": source["body"]}}
    if "example" in source:
        content["example"] = source["example"]
    kind = "multipart/form-data" if source.get("form") else "application/json"
    return {"required": not source.get("optional", False), "content": {kind: content}}


def _hook(source: Json) -> Json:
    words = {name: source[name] for name in ("summary", "description")}
    answer = {"2XX": {"description": "Heard."}}
    body = _body(source)
    return {
        "operationId": source["id"],
        "tags": [source["group"]],
        **words,
        "security": [],
        "requestBody": body,
        "responses": answer,
    }


def _success(source: Json) -> Json:
    if "data" in source:
        code = {"type": "integer", "const": 200}
        envelope = {
            "type": "object",
            "required": ["code", "data"],
            "properties": {"code": code, "data": _schema(source["data"])},
        }
        content = {"application/json": {"schema": envelope}}
    else:
        content = {kind: {"schema": _schema(schema)} for kind, schema in source["answer"].items()}
    headers = {"x-request-id": {"$ref": "#/components/headers/request-id"}}
    return {"description": "Done.", "headers": headers, "content": content}


def _schema(named: str | Json) -> Json:
    return {"$ref": named} if isinstance(named, str) else named


# The errors that follow from a line of an operation. The only header is Idempotency-Key.
_FOLLOWING = {
    "body": ("invalid_input", "payload_too_large"),
    "query": ("invalid_input",),
    "headers": ("idempotency_conflict", "idempotency_key_reused"),
    "charges": ("insufficient_balance", "spending_cap_reached", "budget_reached", "account_suspended",
                "user_not_found", "key_limit_reached", "concurrency_limited"),
    "scope": ("invalid_api_key", "forbidden"),
}  # fmt: skip
_OF_PAID_TEXT = ("provider_error", "provider_unavailable", "upstream_timeout",
                 "quote_not_found", "quote_not_created", "quote_ended", "quote_exhausted")  # fmt: skip
# Possible on all routes: the gateway's limit, an internal error, a busy database.
_OF_ALL = ("rate_limited", "internal_error", "storage_busy")


def _by_status(source: Json) -> Iterator[tuple[str, list[str]]]:
    """Return the error codes of a route by HTTP status."""
    paid_text = _OF_PAID_TEXT if "charges" in source and _is_text(source) else ()
    following = [code for line, codes in _FOLLOWING.items() if line in source for code in codes]
    by_status: dict[int, list[str]] = {}
    # Without duplicates, because generators create a type for each entry.
    for code in dict.fromkeys([*following, *paid_text, *source.get("errors", []), *_OF_ALL]):
        by_status.setdefault(errors()[code].status, []).append(code)
    return ((str(status), by_status[status]) for status in sorted(by_status))


def _error_responses(sources: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    for source in sources:
        for _, codes in _by_status(source):
            # Named by the codes, so that routes with the same errors share a response.
            yield _response_name(source, codes), _error_response(codes, is_text=_is_text(source))


def _response_name(source: Json, codes: Sequence[str]) -> str:
    return ".".join([*codes, *(["text"] if _is_text(source) else [])])


def _is_text(source: Json) -> bool:
    return source.get("scope") == TEXT


def _error_response(codes: Sequence[str], *, is_text: bool) -> Json:
    """Return the response for one status. On text routes it may be a provider's own body instead."""
    found = [errors()[code] for code in codes]
    about = [f"`{error.code}`: {(error.__doc__ or '').splitlines()[0]}" for error in found]
    if is_text:
        schema: Json = {"$ref": "TextError"}
    else:
        schema = {"$ref": _error_name(found[0].status)}
    response = {"description": "\n\n".join(about), "content": {"application/json": {"schema": schema}}}
    if any(error.retry_after_s is not None for error in found):
        seconds = {"schema": {"type": "integer"}, "description": "Seconds to wait before a repeat."}
        response["headers"] = {"Retry-After": seconds}
    return response


def _error_schemas(sources: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    """Yield a body for each status that an operation names, with its codes.

    Generators create a type for each.
    """
    # Statuses of no route would become unused types.
    named = {int(status) for source in sources if not _is_text(source) for status, _ in _by_status(source)}
    by_status: dict[int, list[type[TollgateError]]] = {}
    for error in errors().values():
        by_status.setdefault(error.status, []).append(error)
    source = read_yaml(HERE / "schemas.yaml")["Error"]
    for status, found in ((status, found) for status, found in by_status.items() if status in named):
        detail = {**source["properties"]["error"]["properties"]}
        detail["type"] = {"type": "string", "enum": [TYPES[status]]}
        code = {"description": "Stable. Match on this code.", "enum": sorted(error.code for error in found)}
        detail["code"] = {"type": "string", **code}
        own = {**source["properties"], "code": {"type": "integer", "const": status}}
        own["error"] = {**source["properties"]["error"], "properties": detail}
        yield _error_name(status), {**source, "properties": own}


def _error_name(status: int) -> str:
    return f"Error{status}"


_KINDS = {"Embedding": "embeddings", "Rerank": "rerank", "Moderation": "moderations"}
_KINDS |= {"Speech": "speech", "Transcription": "transcription"}


def _model_ids(catalog: Catalog) -> dict[str, Json]:
    texts = catalog.text_models()
    speaking = [model.id for model in texts if "anthropic" in model.protocols]
    return {
        "TextModelId": {"type": "string", "enum": [model.id for model in texts if model.is_chat]},
        **{
            f"{kind}ModelId": {"type": "string", "enum": [one.id for one in texts if path in one.protocols]}
            for kind, path in _KINDS.items()
        },
        "MessagesModelId": {"type": "string", "enum": speaking},
    }


def _with_references(value: Any) -> Any:
    """Return the document with references in place of the bare names of schemas."""
    if isinstance(value, list):
        return [_with_references(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        # A name with a slash is already a reference to a response or a header.
        key: f"#/components/schemas/{one}" if key == "$ref" and "/" not in one else _with_references(one)
        for key, one in value.items()
    }
