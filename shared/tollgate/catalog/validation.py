"""A document that replaces the shipped data: every model must parse and pass `lint.py`."""

import json

from tollgate.catalog import lint, names
from tollgate.catalog.errors import CatalogError, RefusedDocumentError
from tollgate.catalog.loader import Catalog, Document, Folder
from tollgate.catalog.models import CatalogTextModel


def faults_of(source: Folder | Document) -> list[str]:
    """Return the faults of the data, each as `<model id>: <field>: <reason>`; none if it is good."""
    found: list[str] = []
    for model_id in source.ids():
        try:
            model = source.read(model_id)
        except CatalogError as error:
            found.append(str(error))
            continue
        if model is not None:
            if model.id != model_id:
                found.append(f"{model_id}: id: is {model.id!r}")
            found += lint.text_faults(model) if isinstance(model, CatalogTextModel) else lint.faults(model)
    # An unreadable model has no names, so names are compared only after every model can be read.
    return found or names.name_conflicts(source.document().values())


def read_document(body: bytes) -> Document:
    """Return the document in `body`; raises `RefusedDocumentError` with every fault."""
    try:
        models = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RefusedDocumentError([f"The document is not JSON: {error}"]) from error
    if not isinstance(models, dict) or not models:
        raise RefusedDocumentError(["The document must be an object of models by id, with at least one."])
    document = Document(models)
    if faults := faults_of(document):
        raise RefusedDocumentError(faults)
    return document


def preloaded(catalog: Catalog) -> Catalog:
    """Return the `catalog` with its models and inputs built, so that faults appear now."""
    # Made when first needed otherwise, which would be in a customer's request.
    for model in catalog.media_models():
        _ = model.input_class
    return catalog
