"""The reconciliation of one day: read the ledger, read the reports, compare."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING

from tollgate.catalog.models import CatalogModel
from tollgate.kit.clock import MS_PER_DAY, Clock, utc_day
from tollgate.kit.dynamodb.core import MAX_KEYS
from tollgate.kit.observability import emit, logger
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.reader import LedgerReader
from tollgate.providers.runtime.accounts import media_accounts
from tollgate.providers.runtime.secret import Credentials, MalformedSecretError, read_credentials
from tollgate.reconciliation.books import Books, added, booked
from tollgate.reconciliation.client import ReportClient
from tollgate.reconciliation.comparison import compared
from tollgate.reconciliation.reports import REPORTS, ReportError
from tollgate.reconciliation.repository import Day, ReconciliationRepository
from tollgate.reconciliation.task_books import booked_tasks
from tollgate.tasks.repository import TaskRepository

if TYPE_CHECKING:
    from tollgate.catalog.loader import Catalog

# Days after which reports are complete: providers publish a day some hours after its end.
REPORTED_AFTER_DAYS = 2
# Attempts to read the reports of a day, 15 minutes apart.
MAX_ATTEMPTS = 8
NO_KEY = "no admin key is stored"

ModelOf = Callable[[str], CatalogModel | None]


@dataclass(frozen=True, slots=True)
class Reconciler:
    """Compares days. `keys` returns the secret of admin keys, `catalog` the current catalog."""

    ledger: LedgerReader
    tasks: TaskRepository
    days: ReconciliationRepository
    reports: ReportClient
    keys: Callable[[], str]
    catalog: Callable[[], "Catalog"]
    clock: Clock

    def continue_daily(self, has_time: Callable[[], bool]) -> Day | None:
        """Continue with the newest day that providers have reported; `None` if it is done.

        A finished day is logged and counted.
        """
        now = date.fromisoformat(utc_day(self.clock.now_ms()))
        day = self.days.get((now - timedelta(days=REPORTED_AFTER_DAYS)).isoformat())
        if day.done:
            return None
        day = self._with_books(day, has_time)
        # Kept before the reports are read, which may take longer than the time that is left.
        day = self.days.save(day)
        if not day.is_read or not has_time():
            return day
        day = self.days.save(self._with_reports(day))
        if day.done:
            _tell(day)
        return day

    def day(self, day: date) -> Day:
        """Compare one day now, and keep the result. A missing report is a reason in `skipped`."""
        stored = self.days.get(day.isoformat())
        read = self._with_books(Day(stored.day, seq=stored.seq), lambda: True)
        return self.days.save(replace(self._with_reports(read), done=True))

    def _with_books(self, day: Day, has_time: Callable[[], bool]) -> Day:
        if day.is_read:
            return day
        model_of = self.catalog().on(day.day).find_by_id
        start_ms = (date.fromisoformat(day.day) - date(1970, 1, 1)).days * MS_PER_DAY
        for account_id in self.ledger.account_ids(day.after):
            if not has_time():
                return day
            entries = self.ledger.oldest_first(account_id, start_ms, start_ms + MS_PER_DAY)
            books = day.books
            while some := list(islice(entries, MAX_KEYS)):
                books = added(books, booked(some, model_of))
                books = added(books, self._of_tasks(some, model_of))
            day = replace(day, after=account_id, books=books)
        return replace(day, is_read=True)

    def _of_tasks(self, entries: Sequence[Entry], model_of: ModelOf) -> Books:
        charges = {one.task_id: one for one in entries if one.kind is EntryKind.CHARGE and one.task_id}
        if not charges:
            return {}
        tasks = self.tasks.get_all(list(charges))
        return booked_tasks(((charges[task.task_id], task) for task in tasks), model_of, media_accounts())

    def _with_reports(self, day: Day) -> Day:
        keys, on = self._credentials(), date.fromisoformat(day.day)
        reported: dict[str, Mapping[str, Decimal]] = {}
        skipped = {provider: NO_KEY for provider in REPORTS if provider not in keys}
        failed = {}
        for provider, credentials in keys.items():
            try:
                reported[provider] = self.reports.costs(REPORTS[provider], credentials, on)
            except ReportError as exc:
                failed[provider] = str(exc)
                logger.warning("reconciliation.report_failed", provider=provider, reason=str(exc))
        attempts = day.attempts + 1
        return replace(
            day,
            rows=tuple(compared(day.books, reported)),
            skipped={**skipped, **failed},
            attempts=attempts,
            done=not failed or attempts >= MAX_ATTEMPTS,
        )

    def _credentials(self) -> dict[str, Credentials]:
        try:
            found = read_credentials(self.keys())
        except MalformedSecretError as exc:
            logger.error("reconciliation.bad_secret", reason=str(exc))
            return {}
        return {provider: found[provider] for provider in REPORTS if provider in found}


def _tell(day: Day) -> None:
    """Log a finished day, and count its drifts and its failed reports."""
    off = [row for row in day.rows if row.is_off]
    failed = [provider for provider, reason in day.skipped.items() if reason != NO_KEY]
    for row in off:
        logger.error(
            "reconciliation.drift",
            day=day.day,
            provider=row.provider,
            model=row.model,
            booked_micro_usd=row.booked_micro_usd,
            reported_micro_usd=row.reported_micro_usd,
        )
    logger.info("reconciliation.done", day=day.day, rows=len(day.rows), off=len(off), failed=failed)
    emit({"CostDrift": len(off) + len(failed)})
