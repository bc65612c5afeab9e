"""Creates the live catalog with its media models, for the functions that create and run tasks."""

from tollgate.catalog.refresh import DOCUMENT_KEY, READ_TIMEOUT_S, LiveCatalog
from tollgate.composition.catalog import live_catalog
from tollgate.composition.parts import clock, part
from tollgate.kit.aws import sdk
from tollgate.kit.aws.s3_document import S3Document
from tollgate.kit.remote_document import within
from tollgate.providers.runtime.registry import MappingNames


@part
def media_catalog(live_providers: str, bucket: str) -> LiveCatalog:
    """Return the catalog of the models that `live_providers` can run, a list of names with commas.

    `bucket` has the live document.
    """
    return _live_catalog(live_providers, bucket, restrict_inputs=True)


@part
def running_catalog(live_providers: str, bucket: str) -> LiveCatalog:
    """Return the same catalog for functions that only run accepted tasks. They read only its routes."""
    return _live_catalog(live_providers, bucket, restrict_inputs=False)


def _live_catalog(live_providers: str, bucket: str, *, restrict_inputs: bool) -> LiveCatalog:
    document = S3Document(sdk.s3(), bucket, DOCUMENT_KEY)
    read = within(READ_TIMEOUT_S, document.read)
    return live_catalog(live_providers, read, clock(), MappingNames(), restrict_inputs=restrict_inputs)
