"""The docs at `/docs`: Markdown from the templates in `site/`, the document and the catalog.

Language models receive the Markdown, people receive HTML from the same source.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tollgate.catalog.loader import AnyModel, Catalog
from tollgate.catalog.models import Model
from tollgate.kit.errors import ModelNotFoundError, RouteNotFoundError
from tollgate.kit.money import usd
from tollgate.reference import examples, views
from tollgate.reference.errors import errors
from tollgate.reference.generations import example_input
from tollgate.reference.guides import INDEX, MARKDOWN, SITE, Doc, advice, guides, linked, outside_of_fences
from tollgate.reference.prices import Headline, Headlines, condition, thousands, tiers
from tollgate.text.body import fields, inner_fields

HOOK = "your webhook"
# More than the number of pages. Each has a few kilobytes.
KEPT_PAGES = 256
API, MODELS = "API", "Models"
_FREE = {"model": "test-image", "input": {"prompt": "a lighthouse at dusk"}}
_SCHEMAS = "#/components/schemas/"
_KINDS = {"IMAGE": "Image", "VIDEO": "Video", "MUSIC": "Music", "3D": "3D", "TEXT": "Text"}


@dataclass(frozen=True, slots=True)
class Trial:
    """A request that readers can edit and send: its parameters as in OpenAPI, and an initial JSON body."""

    method: str
    path: str
    parameters: Sequence[Mapping[str, Any]]
    body: str | None


class Site:
    """The pages of one catalog. Keep one for the life of the catalog.

    `outline` is the document, possibly without create bodies. `schemas` returns all of its schemas.
    """

    def __init__(
        self,
        catalog: Catalog,
        outline: Mapping[str, Any],
        headlines: Headlines,
        schemas: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._catalog = catalog
        self._document = outline
        self._headlines = headlines
        self._all_schemas = schemas
        self.markdown = lru_cache(KEPT_PAGES)(self._markdown)

    @cached_property
    def _schemas(self) -> Mapping[str, Any]:
        return self._all_schemas()

    @cached_property
    def pages(self) -> Mapping[str, Doc]:
        """Return every page by its path, in the order of the navigation."""
        return {doc.path: doc for doc in (*guides(), *self._endpoint_pages(), *self._model_pages())}

    def navigation(self) -> dict[str, dict[str, list[Doc]]]:
        """Return the pages by section and group."""
        found: dict[str, dict[str, list[Doc]]] = {}
        for doc in self.pages.values():
            found.setdefault(doc.section, {}).setdefault(doc.group, []).append(doc)
        return found

    def index(self) -> str:
        """Return the index for the search in the browser as JSON: path, title, section and words."""
        rows = [
            [doc.path, doc.title, doc.about, doc.group or doc.section, doc.words]
            for doc in self.pages.values()
        ]
        return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))

    def model(self, path: str) -> AnyModel | None:
        """Return the model of a page, or `None` if the page is not about a model."""
        section, _, model_id = path.partition("/")
        return self._catalog.find_by_name(model_id) if section == "models" and model_id else None

    def trial(self, path: str) -> Trial | None:
        """Return the request that readers can send from a page; `None` if the page has no endpoint."""
        doc = self.pages.get(path)
        if doc is None or doc.section != API:
            return None
        method, route, operation = self._operations[path.rpartition("/")[2]]
        # Tollgate sends webhooks and the reader receives them, so there is nothing to try.
        if route == HOOK:
            return None
        sample = self._sample(_json_schema(operation.get("requestBody", {})))
        body = None if sample is None else json.dumps(sample, ensure_ascii=False, indent=2)
        return Trial(method, route, operation.get("parameters", []), body)

    def _markdown(self, path: str, base_url: str, supplied: tuple[str, ...] = ()) -> str:
        """Return a page as Markdown; `supplied` names the operator's own pages.

        Raises `RouteNotFoundError` for an unknown page.
        """
        doc = self.pages.get(path)
        if doc is None:
            raise RouteNotFoundError("GET", f"/docs/{path}")
        context = {"base_url": base_url, "examples": examples, "supplied": supplied, "fields": fields}
        context["inner"] = inner_fields
        if doc.section == API:
            name, more = "endpoint", self._of_endpoint(path)
        elif doc.section == MODELS:
            name, more = "model", self._of_model(path, base_url)
        else:
            name, more = path or INDEX, self._of_guide()
        text = _environment().get_template(f"{name}{MARKDOWN}").render({**context, **more})
        if name == (path or INDEX):
            text = linked(text, path, base_url, self._endpoints)
        # Blocks of a template without text leave empty lines.
        return outside_of_fences(text, lambda part: re.sub(r"\n{3,}", "\n\n", part)).strip() + "\n"

    def _of_guide(self) -> dict[str, Any]:
        models = {
            name: [model for model in self._catalog.all_models() if model.media_type == kind]
            for kind, name in _KINDS.items()
        }
        return {"models": models, "headlines": self._headlines}

    def _of_model(self, path: str, base_url: str) -> dict[str, Any]:
        model = self.model(path)
        if model is None:
            raise ModelNotFoundError
        shown: dict[str, Any] = {
            "model": model,
            "headline": self._headlines[model.id],
            "tiers": tiers(model),
            "later": self._catalog.next_pricing(model),
            "try_url": f"{base_url}/models/{model.id}",
        }
        if not isinstance(model, Model):
            shown["programs"] = examples.of_text_model(model)
        if isinstance(model, Model):
            order = self._schemas[f"Generation.{model.id}"]
            shown["inputs"] = views.fields(order["properties"]["input"], self._schemas)
            shown["programs"] = examples.media(model.id, example_input(model) or {})
        return shown

    def _of_endpoint(self, path: str) -> dict[str, Any]:
        method, route, operation = self._operations[path.rpartition("/")[2]]
        body = _json_schema(operation.get("requestBody", {}))
        inputs = views.fields(body, self._schemas) if body else []
        answers = list(self._answers(operation))
        return {
            "method": method,
            "path": route,
            "operation": operation,
            "parameters": views.parameters(operation, self._schemas),
            "body": body.get("$ref", "").removeprefix(_SCHEMAS),
            "inputs": inputs,
            "answers": answers,
            "objects": views.objects([*inputs, *(row for _, rows in answers for row in rows)], self._schemas),
            "errors": [(code, errors()[code].status, advice()[code]) for code in self._codes(operation)],
            "programs": [] if route == HOOK else examples.endpoint(method, route, self._sample(body)),
        }

    def _sample(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return an example body; a create uses a free model. `None` if the operation has no body."""
        if not body:
            return None
        name = body.get("$ref", "").removeprefix(_SCHEMAS)
        # Trying the example of a create must be free.
        if name == "Generation":
            return _FREE
        found: dict[str, Any] = self._schemas[name].get("examples", [{}])[0]
        return found

    def _answers(self, operation: Mapping[str, Any]) -> Iterator[tuple[str, list[views.Field]]]:
        for kind, content in operation["responses"].get("200", {}).get("content", {}).items():
            data = content["schema"].get("properties", {}).get("data")
            label = f"`{kind}`, in `data`:" if data else f"`{kind}`"
            yield label, views.fields(data or content["schema"], self._schemas)

    def _codes(self, operation: Mapping[str, Any]) -> Iterator[str]:
        """Yield the error codes of an operation, which are the names of its responses."""
        for named in operation["responses"].values():
            name = named.get("$ref", "").rpartition("/")[2]
            yield from (code for code in name.split(".") if code in errors())

    @cached_property
    def _endpoints(self) -> dict[str, str]:
        """Return the page of each endpoint by its method and path."""
        return {f"{method} {route}": f"api/{name}" for name, (method, route, _) in self._operations.items()}

    @cached_property
    def _operations(self) -> dict[str, tuple[str, str, dict[str, Any]]]:
        found = {
            operation["operationId"]: (method.upper(), path, operation)
            for path, methods in self._document["paths"].items()
            for method, operation in methods.items()
        }
        hooks = [hook["post"] for hook in self._document["webhooks"].values()]
        # Requests to the customer's server. They are documented like the API, but cannot be tried.
        return found | {hook["operationId"]: ("POST", HOOK, hook) for hook in hooks}

    def _endpoint_pages(self) -> Iterator[Doc]:
        for name, (method, path, operation) in self._operations.items():
            about = f"{method} {path}"
            yield Doc(
                f"api/{name}",
                operation["summary"],
                about,
                API,
                operation["tags"][0],
                operation["description"],
            )

    def _model_pages(self) -> Iterator[Doc]:
        for kind, name in _KINDS.items():
            for model in self._catalog.all_models():
                if model.media_type == kind:
                    words = f"{model.id} {model.vendor} {model.group}"
                    yield Doc(f"models/{model.id}", model.name, model.description, MODELS, name, words)


def _json_schema(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a body, also of a form."""
    contents = body.get("content", {})
    kind = "application/json" if "application/json" in contents else "multipart/form-data"
    schema: dict[str, Any] = contents.get(kind, {}).get("schema", {})
    return schema


def price_words(headline: Headline, is_exact: bool = False) -> str:
    """Return a headline as text: `$2.00 input · $10.00 output per 1M tokens`."""
    amounts = [f"{one.exact if is_exact else one.shown} {one.what}".strip() for one in headline.amounts]
    return f"{' · '.join(amounts)} {headline.about}".strip()


@lru_cache(maxsize=1)
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(SITE),
        autoescape=False,  # noqa: S701 - Markdown; the parser that converts it to HTML escapes HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"cell": _cell, "price_words": price_words, "condition": condition, "usd": usd}
    made.filters["thousands"] = thousands
    return made


def _cell(text: str) -> str:
    """Return text in the form for a table cell: on one line, with escaped bars."""
    return " ".join(str(text).split()).replace("|", "\\|")
