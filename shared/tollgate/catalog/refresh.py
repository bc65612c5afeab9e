"""The source of the catalog while the service runs: the shipped data, or one document that replaces it.

`loader.compiled` creates the document. It is read repeatedly, and replaced only as a whole (`validation.py`).
Callers keep the catalog that they hold, so no caller sees half a change.
"""

from collections.abc import Callable, Collection, Mapping
from threading import Lock
from typing import Protocol

from tollgate.catalog.errors import RefusedDocumentError
from tollgate.catalog.loader import AnyModel, Catalog, Document, Raw
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.kit.clock import MS_PER_S, Clock, utc_day
from tollgate.kit.remote_document import Fetched, Found, Nothing, Read

DOCUMENT_KEY = "catalog.json"
# A new document is in use at most this much later, in every process that is used.
REREAD_MS = 60 * MS_PER_S
# No request waits longer for a read.
READ_TIMEOUT_S = 2.0


class Reports(Protocol):
    """Receives the result of each read."""

    def replaced(self, etag: str | None) -> None:
        """Note that another document is in use; `None` for the shipped data."""

    def refused(self, etag: str | None, faults: list[str]) -> None:
        """Note, at every read, that the document has faults and is not in use."""

    def unavailable(self, why: str) -> None:
        """Note that the document could not be read, and that nothing changed."""


class LiveCatalog:
    """The newest good catalog. Keep one for the life of the process.

    `shipped` is used while there is no document, `serve` builds the catalog of a good document, and `read`
    has its own bound on time. Thread-safe: all callers wait for the first read, and a later read delays only
    its caller.
    """

    def __init__(
        self,
        shipped: Catalog,
        serve: Callable[[Document], Catalog],
        read: Read,
        clock: Clock,
        reports: Reports,
    ) -> None:
        self.current = shipped.on(utc_day(clock.now_ms()))
        """The catalog as it was at the last read, on the day of its last use."""
        self._shipped = shipped
        self._serve = serve
        self._read = read
        self._clock = clock
        self._reports = reports
        self._lock = Lock()
        self._read_at_ms: int | None = None
        # Of the document that was read last, good or not: the same one is not looked at twice.
        self._etag: str | None = None
        self._faults: list[str] = []

    @property
    def was_never_read(self) -> bool:
        """Return whether the document was never looked for."""
        return self._read_at_ms is None

    def is_due(self) -> bool:
        """Return whether it is time to look for another document."""
        return self._read_at_ms is None or self._clock.now_ms() - self._read_at_ms >= REREAD_MS

    def expire(self) -> None:
        """Look for another document at the next use. Called after writing one."""
        self._read_at_ms = None

    def catalog(self) -> Catalog:
        """Return the current catalog, after reading the document if that is due. Never raises."""
        # Callers wait only for the first read. Later, a caller that finds the lock taken uses the current
        # catalog.
        if self.is_due() and self._lock.acquire(timeout=READ_TIMEOUT_S if self.was_never_read else 0):
            try:
                # The previous holder of the lock may have read it.
                if self.is_due():
                    self._look()
            finally:
                self._lock.release()
        self.follow_days()
        return self.current

    def follow_days(self) -> None:
        """Replace the catalog if one of its prices, routes or models changes today. Reads nothing."""
        today, change = self._today(), self.current.next_change
        if change is not None and change <= today:
            self.current = self.current.on(today)

    def _today(self) -> str:
        return utc_day(self._clock.now_ms())

    def _look(self) -> None:
        try:
            self._take(self._read(self._etag))
        except Exception as exc:  # noqa: BLE001 - the boundary: no request fails because of the document
            self._reports.unavailable(f"{type(exc).__name__}: {exc}")
        finally:
            # After a failure too, so that an unavailable bucket is called once a minute, not by every
            # request.
            self._read_at_ms = self._clock.now_ms()

    def _take(self, fetched: Fetched) -> None:
        match fetched:
            case Found():
                self._check(fetched)
            # Taken away by an operator (`tollgate catalog reset`).
            case Nothing.MISSING if self._etag is not None:
                self.current, self._etag, self._faults = self._shipped.on(self._today()), None, []
                self._reports.replaced(None)
            case Nothing.UNCHANGED if self._faults:
                # Said again, so that the alarm rings for as long as it is there.
                self._reports.refused(self._etag, self._faults)
            case _:
                return

    def _check(self, found: Found) -> None:
        # Noted before it is looked at: a faulty document is not fetched and parsed again every minute.
        self._etag = found.etag
        # With pydantic, which the shipped data is read without.
        from tollgate.catalog.validation import preloaded, read_document  # noqa: PLC0415 - see above

        try:
            served = self._serve(read_document(found.body, self._today()))
            self.current = preloaded(served.on(self._today()))
        except RefusedDocumentError as error:
            self._faults = error.faults
        except Exception as exc:  # noqa: BLE001 - the boundary: a fault that no rule names is one all the same
            self._faults = [f"{type(exc).__name__}: {exc}"]
        else:
            self._faults = []
            self._reports.replaced(found.etag)
            return
        self._reports.refused(found.etag, self._faults)


class CurrentCatalog(Catalog):
    """Delegates every call to the current catalog."""

    def __init__(self, now: Callable[[], Catalog]) -> None:
        super().__init__(Document({}))
        self._now = now

    def with_live(
        self,
        providers: frozenset[str],
        mappings: Mapping[str, Collection[str]] | None = None,
        *,
        restrict_inputs: bool = True,
    ) -> Catalog:
        """Return the current catalog, restricted to live routes."""
        return self._now().with_live(providers, mappings, restrict_inputs=restrict_inputs)

    def find_by_name(self, name: str) -> AnyModel | None:
        """Return the model of either kind with this id or other name, or None."""
        return self._now().find_by_name(name)

    def find_by_id(self, model_id: str) -> AnyModel | None:
        """Return the model of either kind with exactly this id, or None."""
        return self._now().find_by_id(model_id)

    def document(self) -> Mapping[str, Raw]:
        """Return the data of all models, by id, with all of its days."""
        return self._now().document()

    def use_of(self, name: str) -> str | None:
        """Return the sentences that name a model's kind and endpoint, or its successor; None without it."""
        return self._now().use_of(name)

    def text_models(self) -> list[CatalogTextModel]:
        """Return every text model, by family."""
        return self._now().text_models()

    def all_models(self) -> list[AnyModel]:
        """Return every model, media first."""
        return self._now().all_models()
