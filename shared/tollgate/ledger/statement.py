"""The ledger as its customer sees it: entries by time, the newest first, page by page or as one table."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tollgate.kit import csv_table
from tollgate.kit.clock import iso
from tollgate.kit.dynamodb.pages import Page
from tollgate.kit.money import usd_decimal, usd_text
from tollgate.ledger.attribution import tags_text
from tollgate.ledger.entries import Entry, EntryPageView, EntryView
from tollgate.ledger.query import StatementQuery, cursor_after, read_query
from tollgate.ledger.reader import LedgerReader

DEFAULT_PAGE, MAX_PAGE = 20, 100
# Entries that one page reads at most: a rare kind gives short pages, never long waits.
MAX_READ = 1_000
# Entries in one CSV, and read for it: about 2 MB, or more with long labels (`csv_table.MAX_BYTES`).
MAX_CSV = 10_000
# Entries of one round trip if more are read than shown.
ROUND_TRIP = 1_000

COLUMNS = (
    "createdAt", "kind", "amountUsd", "amountMicroUsd", "model", "taskId", "requestId", "answers",
    "reference", "id", "keyId", "user", "tags", "projectId", "tokenId", "reason",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """Shows the ledger; changes nothing."""

    ledger: LedgerReader

    def page(self, account_id: str, query: Mapping[str, str]) -> EntryPageView:
        """Return `{entries, cursor}`, the newest first; `cursor` is missing on the last page.

        `query` may have `kind`, `taskId` or `requestId`, `key`, `user` and `tag`, `from` and `to` (ISO 8601,
        `to` itself is not in), `limit` and `cursor`. Raises `InvalidInputError`.
        """
        page = self._read(account_id, read_query(query, DEFAULT_PAGE, MAX_PAGE), MAX_READ)
        shown: EntryPageView = {"entries": [view(entry) for entry in page.rows]}
        if page.cursor is not None:
            shown["cursor"] = page.cursor
        return shown

    def table(self, account_id: str, query: Mapping[str, str]) -> str:
        """Return the same as CSV (RFC 4180), up to `MAX_CSV` entries; the last line reports a cut.

        Raises `InvalidInputError`.
        """
        page = self._read(account_id, read_query(query, MAX_CSV, MAX_CSV), MAX_CSV)
        return as_csv(page)

    def _read(self, account_id: str, wanted: StatementQuery, max_read: int) -> Page[Entry]:
        if wanted.entry_ids is not None:
            found = self.ledger.named(account_id, wanted.entry_ids)
            fitting = [entry for entry in found if wanted.matches(entry)]
            return Page(sorted(fitting, key=lambda entry: entry.created_at_ms, reverse=True), None)
        round_trip = min(ROUND_TRIP, max_read if wanted.is_selective else wanted.limit)
        rows: list[Entry] = []
        found_by_time = islice(self.ledger.by_time(account_id, wanted, round_trip), max_read)
        for read, entry in enumerate(found_by_time, start=1):
            if wanted.matches(entry):
                rows.append(entry)
            if read == max_read or len(rows) == wanted.limit:
                return Page(rows, cursor_after(entry))
        return Page(rows, None)


def view(entry: Entry) -> EntryView:
    """Return an entry as the API shows it. Amounts are signed: plus raises the balance."""
    shown: EntryView = {
        "id": entry.entry_id,
        "kind": entry.kind,
        "amountMicroUsd": entry.amount_micro_usd,
        "amountUsd": usd_text(entry.amount_micro_usd),
        "createdAt": iso(entry.created_at_ms),
    }
    if entry.model is not None:
        shown["model"] = entry.model
    if entry.task_id is not None:
        shown["taskId"] = entry.task_id
    if entry.request_id is not None:
        shown["requestId"] = entry.request_id
    if entry.answers is not None:
        shown["answers"] = entry.answers
    _add_labels(shown, entry)
    if entry.reason is not None:
        shown["reason"] = entry.reason
    if entry.reference is not None:
        shown["reference"] = entry.reference
    return shown


def _add_labels(shown: EntryView, entry: Entry) -> None:
    if entry.key_id is not None:
        shown["keyId"] = entry.key_id
    if entry.user is not None:
        shown["user"] = entry.user
    if entry.tags is not None:
        shown["tags"] = dict(entry.tags)
    if entry.project is not None:
        shown["projectId"] = entry.project
    if entry.token is not None:
        shown["tokenId"] = entry.token


def as_csv(page: Page[Entry]) -> str:
    """Return a page as CSV with a header; the last line explains how to get the next page, if any. Pure."""
    return csv_table.page_as_csv(
        COLUMNS, page.rows, page.cursor, "entries", cells_of=_cells, cursor_after=cursor_after
    )


def _cells(entry: Entry) -> list[csv_table.Cell]:
    """Return the cells of an entry, in the order of `COLUMNS`."""
    shown: Mapping[str, Any] = view(entry)
    own: Mapping[str, csv_table.Cell] = {
        "amountUsd": usd_decimal(entry.amount_micro_usd),
        "tags": tags_text(entry.tags or {}),
    }
    return [own[name] if name in own else shown.get(name, "") for name in COLUMNS]
