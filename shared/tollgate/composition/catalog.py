"""Creates the live catalog, for media and for text. Each reads it in a different way."""

from collections.abc import Collection, Mapping

from tollgate.catalog.loader import Catalog
from tollgate.catalog.refresh import LiveCatalog
from tollgate.kit.clock import Clock
from tollgate.kit.observability import emit, logger
from tollgate.kit.remote_document import Read
from tollgate.providers.media.test import NAME as TEST

MAX_LOGGED_FAULTS = 20


def live_catalog(
    live_providers: str,
    read: Read,
    clock: Clock,
    known: Mapping[str, Collection[str]] | None = None,
    *,
    restrict_inputs: bool = True,
) -> LiveCatalog:
    """Return the catalog of the models that `live_providers` can run, a list of names with commas.

    `known` has the mappings of the media adapters; text functions need none. With `restrict_inputs`, inputs
    are limited to the fields that these mappings support (`Catalog.with_live`).
    """
    names = provider_names(live_providers)
    return LiveCatalog(
        shipped=Catalog.shipped().with_live(names, known, restrict_inputs=restrict_inputs),
        serve=lambda document: Catalog(document).with_live(names, known, restrict_inputs=restrict_inputs),
        read=read,
        clock=clock,
        reports=LoggedReports(),
    )


def provider_names(live_providers: str) -> frozenset[str]:
    """Return the names in the setting `LIVE_PROVIDERS`, and the provider that needs no credentials."""
    # The test models must exist without any provider key: in `make run`, and in a new stack.
    return frozenset({TEST} | {name.strip() for name in live_providers.split(",") if name.strip()})


class LoggedReports:
    """Logs the result of a read. A refused document also triggers the alarm `CatalogRefusedAlarm`."""

    def replaced(self, etag: str | None) -> None:
        """Log that another document is in use; `None` for the shipped data."""
        logger.info("catalog.taken", etag=etag)

    def refused(self, etag: str | None, faults: list[str]) -> None:
        """Log and count a document that is not used."""
        logger.error("catalog.refused", etag=etag, faults=faults[:MAX_LOGGED_FAULTS], count=len(faults))
        emit({"CatalogRefused": 1})

    def unavailable(self, why: str) -> None:
        """Log that the document could not be read."""
        logger.warning("catalog.unread", reason=why)
