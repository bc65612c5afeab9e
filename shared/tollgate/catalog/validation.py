"""A document that replaces the shipped data: every model must parse and pass `lint.py`."""

import json
from collections.abc import Iterator

from tollgate.catalog import dated, lint, names
from tollgate.catalog.errors import CatalogError, RefusedDocumentError
from tollgate.catalog.loader import Catalog, Document, Folder
from tollgate.catalog.text_models import CatalogTextModel


def faults_of(source: Folder | Document, day: str = dated.FIRST) -> list[str]:
    """Return the faults of the data on a day and on each later day on which it changes; none if it is good.

    Each is `<model id>: <field>: <reason>`, and begins with its day if it only comes later.
    """
    found: list[str] = []
    for model_id in source.ids():
        try:
            found += _faults_from(source, model_id, day)
        except CatalogError as error:
            found.append(str(error))
    # An unreadable model has no names, so names are compared only after every model can be read.
    return found or [*names.name_conflicts(source.document().values()), *_successor_faults(source)]


def _faults_from(source: Folder | Document, model_id: str, day: str) -> Iterator[str]:
    known: set[str] = set()
    for when in (day, *(later for later in source.changes_of(model_id) if later > day)):
        faults = set(_faults(source, model_id, when)) - known
        known |= faults
        yield from (f"{when}: {fault}" if when > day else fault for fault in sorted(faults))


def _faults(source: Folder | Document, model_id: str, day: str) -> Iterator[str]:
    model = source.read(model_id, day)
    if model is None:
        return
    if model.id != model_id:
        yield f"{model_id}: id: is {model.id!r}"
    yield from lint.text_faults(model) if isinstance(model, CatalogTextModel) else lint.faults(model)


def _successor_faults(source: Folder | Document) -> Iterator[str]:
    models = source.document()
    for model_id, raw in models.items():
        if (ends := raw.get("shutsDown")) is None:
            continue
        successor = models.get(ends["successor"])
        # A customer would move to a model that is gone already.
        if successor is None or successor.get("shutsDown", {}).get("day", "9") <= ends["day"]:
            yield f"{model_id}: shutsDown: successor: {ends['successor']!r} is no model that stays longer"


def read_document(body: bytes, day: str = dated.FIRST) -> Document:
    """Return the document in `body`; raises `RefusedDocumentError` with every fault from `day` on."""
    try:
        models = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RefusedDocumentError([f"The document is not JSON: {error}"]) from error
    if not isinstance(models, dict) or not models:
        raise RefusedDocumentError(["The document must be an object of models by id, with at least one."])
    document = Document(models)
    if faults := faults_of(document, day):
        raise RefusedDocumentError(faults)
    return document


def preloaded(catalog: Catalog) -> Catalog:
    """Return the `catalog` with its models and inputs built, so that faults appear now."""
    # Made when first needed otherwise, which would be in a customer's request.
    for model in catalog.media_models():
        _ = model.input_class
    return catalog
