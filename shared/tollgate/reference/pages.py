"""The reference as it is answered, made once per catalog: JSON, a page for people, a text for models.

The page has no script and nothing from elsewhere, so its policy allows nothing but its own style.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from tollgate.catalog.listing import CachedBody
from tollgate.catalog.loader import Catalog
from tollgate.kit.errors import ModelNotFoundError
from tollgate.reference import views
from tollgate.reference.document import openapi
from tollgate.reference.prices import Headline, Tier, headline, tiers

HERE = Path(__file__).parent
CSS = (HERE / "page.css").read_text(encoding="utf-8")
_CSS_HASH = b64encode(hashlib.sha256(CSS.encode()).digest()).decode()
CONTENT_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_CSS_HASH}'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
GENERATION = "Generation."


class Reference:
    """What is said of a catalog and of the service around it. Keep one for the life of the catalog."""

    content_policy = CONTENT_POLICY

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._openapi: dict[str, CachedBody] = {}

    def openapi(self, base_url: str) -> CachedBody:
        """Return the OpenAPI document of the service at `base_url`: one's own, so they are few."""
        made = self._openapi.get(base_url)
        if made is None:
            made = self._openapi[base_url] = CachedBody.of({**self._document, "servers": [{"url": base_url}]})
        return made

    @cached_property
    def html(self) -> CachedBody:
        """Return the document as a page for people; to be sent with `content_policy`."""
        return self._rendered("page.html")

    @cached_property
    def text(self) -> CachedBody:
        """Return the document as a text for language models (llmstxt.org)."""
        return self._rendered("llms.txt")

    @cached_property
    def headlines(self) -> Mapping[str, Headline]:
        """Return what each model costs in a line, by its id."""
        return {model.id: headline(model) for model in self._catalog.everything()}

    def tiers(self, model_id: str) -> list[Tier]:
        """Return the prices of a text model by the length of the input; raises `ModelNotFoundError`."""
        found = self._catalog.named(model_id)
        if found is None:
            raise ModelNotFoundError
        return tiers(found)

    @cached_property
    def _document(self) -> dict[str, Any]:
        return openapi(self._catalog)

    def _rendered(self, template: str) -> CachedBody:
        schemas = self._document["components"]["schemas"]
        generations = {name: one for name, one in schemas.items() if name.startswith(GENERATION)}
        text = (
            _environment()
            .get_template(template)
            .render(
                document=self._document,
                groups=_by_group(self._document),
                generations=generations,
                schemas={
                    name: one
                    for name, one in schemas.items()
                    if "properties" in one and name not in generations
                },
                texts=self._catalog.texts(),
                css=Markup(CSS),  # noqa: S704 - ours
                fields=lambda schema: views.fields(schema, schemas),
                parameters=lambda operation: views.parameters(operation, schemas),
                response=lambda named: _response(self._document, named),
                answers=_answers,
                generation={"$ref": "#/components/schemas/Generation"},
            )
        )
        return CachedBody.of_bytes(text.encode())


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["code"] = _with_code
    return made


def _by_group(document: Mapping[str, Any]) -> dict[str, list[tuple[str, str, dict[str, Any]]]]:
    """Return the operations of each tag as method, path and operation."""
    found: dict[str, list[tuple[str, str, dict[str, Any]]]] = {tag["name"]: [] for tag in document["tags"]}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            found[operation["tags"][0]].append((method.upper(), path, operation))
    for hook in document["webhooks"].values():
        found[hook["post"]["tags"][0]].append(("POST", "your webhook", hook["post"]))
    return found


def _response(document: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    """Return a response, or the one that is referred to."""
    if "$ref" not in named:
        return named
    return document["components"]["responses"][named["$ref"].rpartition("/")[2]]


def _answers(response: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return content type and schema of each answer; of one in an envelope that of its `data`."""
    found = []
    for kind, content in response.get("content", {}).items():
        data = content["schema"].get("properties", {}).get("data")
        found.append((f"{kind}: data" if data else kind, data or content["schema"]))
    return found


def _with_code(text: str) -> Markup:
    """Return text with what stands between backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped
