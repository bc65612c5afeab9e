"""The rows of quotes in DynamoDB: `BudgetsTable` has them beside the budgets of their account."""

from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.expressions import Equals
from tollgate.kit.dynamodb.writes import Write, put_new
from tollgate.ledger.hourly_counts import count_in_hour
from tollgate.ledger.reservations import quote_key
from tollgate.quotes.errors import QuoteLimitReachedError
from tollgate.quotes.views import QuoteStatus, SavedQuote

# Quotes are free and stored, so their number is limited: 64 KB each, for two days.
MAX_QUOTES_PER_HOUR = 1_000
_COUNTS = "quotes#"


class StaleQuoteError(Exception):
    """Another request has used or cancelled the quote since it was read; nothing was written."""


class QuoteRepository(OneTable):
    """Reads and writes quotes."""

    def get(self, account_id: str, quote_id: str) -> SavedQuote | None:
        """Return a quote as it is now, or `None`."""
        return self._find(quote_key(account_id, quote_id), SavedQuote.from_item)

    def add(self, quote: SavedQuote) -> None:
        """Store a new quote. Raises `QuoteLimitReachedError`."""
        most = f"This account has created {MAX_QUOTES_PER_HOUR:,} quotes in this hour, the most allowed."
        counted = count_in_hour(
            self._table,
            quote.account_id,
            _COUNTS,
            quote.made_at_ms,
            most=MAX_QUOTES_PER_HOUR,
            refused=lambda _: QuoteLimitReachedError(most),
        )
        self._db.transact([counted, self.added(quote)])

    def added(self, quote: SavedQuote) -> Write:
        """Return the write of a new quote."""
        used = "a new id was used before"
        return put_new(self._table, quote.to_item(), "item", lambda _: AssertionError(used))

    def changed(self, quote: SavedQuote, *, was: QuoteStatus) -> Write:
        """Return the write of a quote that had another status. Refused: `StaleQuoteError`."""
        return Write(
            self._table,
            item=quote.to_item(),
            condition=Equals("status", str(was)),
            refused=lambda _: StaleQuoteError(quote.quote_id),
        )

    def change(self, quote: SavedQuote, *, was: QuoteStatus) -> None:
        """Write a quote that had another status. Raises `StaleQuoteError`."""
        self._db.write(self.changed(quote, was=was))
