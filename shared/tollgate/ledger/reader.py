"""Reads of the ledger: an account's entries by id, by time and by payment, and its balance."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby, islice
from operator import attrgetter

from tollgate.kit.dynamodb.core import MAX_KEYS
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import BeginsWith, Between, Equals
from tollgate.kit.dynamodb.rows import Item
from tollgate.ledger.audit import Line, unanswered_refunds, unpaired
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.hold_entries import text_entry_id
from tollgate.ledger.holds import Hold
from tollgate.ledger.query import END_MS, StatementQuery
from tollgate.ledger.wallet_repository import WalletRepository
from tollgate.ledger.wallets import is_wallet, merged_rows

# Entries that the proof reads at once; DynamoDB reads 1 MB a page, which is about a third of it.
LINES_AT_ONCE = 10_000
# The attributes that the proof reads; reading all of them takes three times as long.
_LINE = (
    "entry_id",
    "kind",
    "amount_micro_usd",
    "created_at_ms",
    "answers",
    "budgets",
    "markup_micro_usd",
    "peer",
)


class LedgerReader:
    """Reads the ledger."""

    def __init__(self, db: Database, accounts_table: str, ledger_table: str) -> None:
        self._db = db
        self._accounts_table = accounts_table
        self._ledger_table = ledger_table
        self.wallets = WalletRepository(db, accounts_table)

    def entries(self, account_id: str) -> Iterator[Entry]:
        """Return all entries of an account, in the order of their ids."""
        rows = self._db.query(self._ledger_table, Equals("account_id", account_id))
        return (Entry.from_item(row) for row in rows)

    def account_ids(self, after: str | None = None) -> Iterator[str]:
        """Return the ids of all accounts, or of the accounts after one, in the table's own order."""
        start = None if after is None else {"account_id": after}
        rows = self._db.scan(self._accounts_table, fields=("account_id",), after=start)
        return (row["account_id"] for row in rows if not is_wallet(row["account_id"]))

    def account_row(self, account_id: str) -> Item | None:
        """Return an account's current row, including its wallets' money. If two reads are equal, no money
        moved between them.
        """
        rows = self.wallets.rows(account_id)
        return merged_rows(rows) if rows else None

    def lines_by_id(self, account_id: str) -> Iterator[tuple[list[Line], list[str]]]:
        """Return all current entries of an account, in batches, each with the ids of its wrong refunds."""
        rows = self._db.query(
            self._ledger_table,
            Equals("account_id", account_id),
            fields=_LINE,
            page_size=LINES_AT_ONCE,
        )
        return self._checked(account_id, rows)

    def lines_by_time(
        self, account_id: str, after_ms: int, through_ms: int | None
    ) -> Iterator[tuple[list[Line], list[str]]]:
        """Like `lines_by_id`, for the entries after a time and up to another. The index lags a little."""
        last_ms = END_MS if through_ms is None else through_ms
        if last_ms <= after_ms:
            return iter(())
        rows = self._db.query(
            self._ledger_table,
            Equals("account_id", account_id) & Between("created_at_ms", after_ms + 1, last_ms),
            index="TimeIndex",
            fields=_LINE,
            page_size=LINES_AT_ONCE,
        )
        return self._checked(account_id, rows)

    def _checked(self, account_id: str, rows: Iterator[Item]) -> Iterator[tuple[list[Line], list[str]]]:
        while found := list(islice(rows, LINES_AT_ONCE)):
            lines = [
                Line(
                    row["entry_id"],
                    row["kind"],
                    row["amount_micro_usd"],
                    row["created_at_ms"],
                    row.get("answers"),
                    row.get("budgets", ()),
                    row.get("markup_micro_usd", 0),
                    row.get("peer"),
                )
                for row in found
            ]
            wrong = unanswered_refunds(lines, self._charges(account_id, lines))
            yield lines, [*wrong, *unpaired(account_id, lines, self._others(lines))]

    def _others(self, lines: Sequence[Line]) -> dict[tuple[str, str], Entry]:
        """Return the other accounts' entries about money between a parent and a sub-account."""
        keys = [{"account_id": line.peer, "entry_id": line.entry_id} for line in lines if line.peer]
        found: dict[tuple[str, str], Entry] = {}
        for start in range(0, len(keys), MAX_KEYS):
            rows = self._db.get_all(self._ledger_table, keys[start : start + MAX_KEYS])
            found |= {(row["account_id"], row["entry_id"]): Entry.from_item(row) for row in rows}
        return found

    def _charges(self, account_id: str, lines: Sequence[Line]) -> dict[str, int]:
        """Return the amounts of the charges that the refunds among some entries answer, by id."""
        charges = {line.entry_id: line.amount_micro_usd for line in lines if line.kind == EntryKind.CHARGE}
        asked = {line.answers for line in lines if line.kind == EntryKind.REFUND and line.answers}
        elsewhere = sorted(asked - charges.keys())
        for start in range(0, len(elsewhere), MAX_KEYS):
            for entry in self.named(account_id, elsewhere[start : start + MAX_KEYS]):
                if entry.kind is EntryKind.CHARGE:
                    charges[entry.entry_id] = entry.amount_micro_usd
        return charges

    def by_time(self, account_id: str, wanted: StatementQuery, round_trip: int) -> Iterator[Entry]:
        """Return the entries of a period, the newest first; other filters are not applied.

        Each read gives up to `round_trip` of them.
        """
        after = None if wanted.after is None else {"account_id": account_id, **asdict(wanted.after)}
        rows = self._db.query(
            self._ledger_table,
            # `Between` includes both ends, and the query excludes the end.
            Equals("account_id", account_id) & Between("created_at_ms", wanted.first_ms, wanted.end_ms - 1),
            index="TimeIndex",
            newest_first=True,
            page_size=round_trip,
            after=after,
        )
        return (Entry.from_item(row) for row in rows)

    def oldest_first(
        self, account_id: str, first_ms: int, end_ms: int, limit: int | None = None
    ) -> Iterator[Entry]:
        """Return the entries from `first_ms` on and before `end_ms`, in the order of time and id.

        With `limit`, at most so many, and entries of one millisecond in any order. The index lags a little.
        """
        if end_ms <= first_ms:
            return
        rows = self._db.query(
            self._ledger_table,
            Equals("account_id", account_id) & Between("created_at_ms", first_ms, end_ms - 1),
            index="TimeIndex",
            limit=limit,
            page_size=LINES_AT_ONCE,
        )
        for _, together in groupby(map(Entry.from_item, rows), key=attrgetter("created_at_ms")):
            yield from sorted(together, key=attrgetter("entry_id"))

    def named(self, account_id: str, entry_ids: Sequence[str]) -> list[Entry]:
        """Return the entries with these ids, at most 100, in any order; missing entries are left out."""
        keys = [{"account_id": account_id, "entry_id": entry_id} for entry_id in entry_ids]
        return [Entry.from_item(row) for row in self._db.get_all(self._ledger_table, keys)]

    def anywhere(self, account_ids: Sequence[str], entry_ids: Sequence[str]) -> Iterator[Entry]:
        """Return the entries with these ids of any of some accounts, for operators only."""
        keys = [{"account_id": one, "entry_id": entry_id} for one in account_ids for entry_id in entry_ids]
        for start in range(0, len(keys), MAX_KEYS):
            rows = self._db.get_all(self._ledger_table, keys[start : start + MAX_KEYS])
            yield from map(Entry.from_item, rows)

    def credits(self, account_id: str, most: int) -> list[Entry]:
        """Return at most `most` credits of an account, by their ids."""
        rows = self._db.query(
            self._ledger_table,
            Equals("account_id", account_id) & BeginsWith("entry_id", f"{EntryKind.CREDIT}_"),
            limit=most,
        )
        return [Entry.from_item(row) for row in rows]

    def credit_of(self, reference: str) -> Entry | None:
        """Return the credit of a payment, by the payment provider's id; a very new credit may be missing."""
        rows = self._db.query(
            self._ledger_table,
            Equals("reference", reference),
            index="ReferenceIndex",
            limit=MAX_KEYS,
        )
        found = [entry for row in rows for entry in self.named(row["account_id"], [row["entry_id"]])]
        # Entries that take money back or give it again have the same reference, and a reason.
        return next((each for each in found if each.kind is EntryKind.CREDIT and each.reason is None), None)

    def total_funds(self, account_id: str, balance_micro_usd: int, holds: Sequence[Hold]) -> int:
        """Return a balance and the money in holds, less the part of it that is already billed."""
        if not holds:
            return balance_micro_usd
        billed = self.named(account_id, [text_entry_id(hold.request_id) for hold in holds])
        held = sum(hold.amount_micro_usd for hold in holds)
        return balance_micro_usd + held + sum(entry.amount_micro_usd for entry in billed)
