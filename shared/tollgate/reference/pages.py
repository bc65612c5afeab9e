"""The rendered reference, once per catalog: JSON, the docs, a text for language models."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tollgate.catalog.loader import Catalog
from tollgate.kit.errors import ModelNotFoundError
from tollgate.kit.http.cached_body import CachedBody
from tollgate.reference import HERE, views
from tollgate.reference.document import openapi
from tollgate.reference.guides import guides
from tollgate.reference.prices import Headlines, Tier, tiers
from tollgate.reference.site import Site

GENERATION = "Generation."


class Reference:
    """The reference for one catalog and its service. Keep one for the life of the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._openapi: dict[str, CachedBody] = {}

    def openapi(self, base_url: str) -> CachedBody:
        """Return the OpenAPI document of the service at `base_url`. A service has few base URLs."""
        # Only the address differs. The rest takes most of a second, so it is generated once.
        made = self._openapi.get(base_url)
        if made is None:
            made = self._openapi[base_url] = CachedBody.of({**self._document, "servers": [{"url": base_url}]})
        return made

    @cached_property
    def text(self) -> CachedBody:
        """Return the document as a text for language models (llmstxt.org)."""
        return self._rendered("llms.txt")

    @cached_property
    def site(self) -> Site:
        """Return the docs.

        Most pages need no schema of a model, and the outline is generated quickly.
        """
        outline = openapi(self._catalog, with_generations=False)
        return Site(self._catalog, outline, self.headlines, lambda: self._document["components"]["schemas"])

    @cached_property
    def headlines(self) -> Headlines:
        """Return the headline price of each model, by id."""
        return Headlines(self._catalog)

    def tiers(self, model_id: str) -> list[Tier]:
        """Return the prices of a text model by the length of the input. Raises `ModelNotFoundError`."""
        found = self._catalog.find_by_name(model_id)
        if found is None:
            raise ModelNotFoundError
        return tiers(found)

    @cached_property
    def _document(self) -> dict[str, Any]:
        return openapi(self._catalog)

    def _rendered(self, template: str) -> CachedBody:
        schemas = self._document["components"]["schemas"]
        # One body per model, because a language model needs only the body for its model.
        generations = {name: one for name, one in schemas.items() if name.startswith(GENERATION)}
        text = (
            _environment()
            .get_template(template)
            .render(
                document=self._document,
                groups=_by_group(self._document),
                generations=generations,
                guides=guides(),
                texts=self._catalog.text_models(),
                fields=lambda schema: views.fields(schema, schemas),
            )
        )
        return CachedBody.of_bytes(text.encode())


def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(HERE),
        autoescape=False,  # noqa: S701 - plain text
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _by_group(document: Mapping[str, Any]) -> dict[str, list[tuple[str, str, dict[str, Any]]]]:
    """Return the operations of each tag as method, path and operation."""
    found: dict[str, list[tuple[str, str, dict[str, Any]]]] = {tag["name"]: [] for tag in document["tags"]}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            found[operation["tags"][0]].append((method.upper(), path, operation))
    for hook in document["webhooks"].values():
        found[hook["post"]["tags"][0]].append(("POST", "your webhook", hook["post"]))
    return found
