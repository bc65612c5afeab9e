"""Joins the live catalog, for `bootstrap.py` and `bootstrap_text.py`: they differ only in how it is read."""

from aws_lambda_powertools import single_metric

from tollgate.catalog.loader import Catalog
from tollgate.catalog.source import LiveCatalog
from tollgate.kit.clock import Clock
from tollgate.kit.document import Read
from tollgate.kit.observability import NAMESPACE, SERVICE, MetricUnit, logger
from tollgate.providers.mappings import mappings

MAX_LOGGED_FAULTS = 20


def live_catalog(live_providers: str, read: Read, clock: Clock) -> LiveCatalog:
    """Give the catalog of the models that `live_providers`, names with commas between, can run."""
    names = frozenset(name.strip() for name in live_providers.split(",") if name.strip())
    known = mappings()
    return LiveCatalog(
        shipped=Catalog.shipped().with_live(names, known),
        serve=lambda document: Catalog(document).with_live(names, known),
        read=read,
        clock=clock,
        reports=CatalogReports(),
    )


class CatalogReports:
    """Logs what became of a read; a refused document also rings the alarm `CatalogRefusedAlarm`."""

    def taken(self, etag: str | None) -> None:
        """Log that another document is in use; `None` for the shipped data."""
        logger.info("catalog.taken", etag=etag)

    def refused(self, etag: str | None, faults: list[str]) -> None:
        """Log and count a document that is not used."""
        logger.error("catalog.refused", etag=etag, faults=faults[:MAX_LOGGED_FAULTS], count=len(faults))
        # Written at once: not every function writes metrics when an invocation ends.
        with single_metric(
            "CatalogRefused",
            MetricUnit.Count,
            1,
            namespace=NAMESPACE,
            default_dimensions={"service": SERVICE},
        ):
            pass

    def unread(self, why: str) -> None:
        """Log that the document could not be read."""
        logger.warning("catalog.unread", reason=why)
