"""The rows of run tokens in DynamoDB: `BudgetsTable` has their terms and spending (`ledger/runs.py`)."""

from collections.abc import Iterator
from itertools import groupby, islice

from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Between, Equals, Exists, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, TransactWrite, Write, put_new
from tollgate.ledger.budget_rows import budget_of
from tollgate.ledger.hourly_counts import count_in_hour
from tollgate.ledger.runs import PREFIX, Run, run_of
from tollgate.ledger.wallets import MAX_WALLETS
from tollgate.run_tokens.errors import TokenLimitReachedError, TokenNotFoundError

# Tokens that one account creates in an hour. Each lives a day at most, so it has 25 times as many at once.
MAX_TOKENS_PER_HOUR = 5_000
_COUNTS = "tokens#"


class RunTokenRepository:
    """Reads and writes the rows of run tokens."""

    def __init__(self, db: Database, budgets_table: str) -> None:
        self._db = db
        self._table = budgets_table

    def opened(self, run: Run) -> list[TransactWrite]:
        """Return the writes of a new token. Refused: `TokenLimitReachedError`."""
        row, used = run.to_item(), "a new id was used before"
        return [self._counted(run), put_new(self._table, row, "item", lambda _: AssertionError(used))]

    def _counted(self, run: Run) -> CountingWrite:
        most = f"This account has created {MAX_TOKENS_PER_HOUR:,} run tokens in this hour, the most allowed."
        return count_in_hour(
            self._table,
            run.account_id,
            _COUNTS,
            run.created_at_ms,
            most=MAX_TOKENS_PER_HOUR,
            refused=lambda _: TokenLimitReachedError(most),
        )

    def revoked(self, run: Run, now_ms: int) -> Write:
        """Return the write of a token's end. Refused: `TokenNotFoundError`."""
        is_there = Exists("run")
        return Write(
            self._table,
            key={"account_id": run.account_id, "item": run.use.item()},
            update=(Set("revoked_at_ms", now_ms),),
            condition=is_there,
            refused=lambda _: TokenNotFoundError(),
        )

    def page(self, account_id: str, limit: int, after: str | None) -> list[Run]:
        """Return up to `limit` tokens older than the token `after`, the newest first."""
        # A token's rows have the longer sort keys, so its own rows are not below its id.
        among = Between("item", f"{PREFIX}_", after or f"{PREFIX}~")
        rows = self._db.query(self._table, Equals("account_id", account_id) & among, newest_first=True)
        return list(islice(self._runs(islice(rows, limit * MAX_WALLETS)), limit))

    def _runs(self, rows: Iterator[Item]) -> Iterator[Run]:
        for _, some in groupby(rows, key=lambda row: budget_of(row["item"])):
            run = run_of(list(some))
            # A row without terms: money that came back to a token that was dropped.
            if run is not None:
                yield run
