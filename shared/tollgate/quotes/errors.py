"""The errors of quotes. `ledger/errors.py` has the errors of a request that uses a quote."""

from typing import Any

from tollgate.kit.errors import TollgateError


class QuotePriceChangedError(TollgateError, status=409, code="quote_price_changed"):
    """A price has changed since the quote; nothing was charged."""

    repeat_is_useless = True
    next_step = "Create a new quote."

    def __init__(self, quote_id: str, quoted_micro_usd: int, now_micro_usd: int) -> None:
        super().__init__(f"The prices have changed since the quote {quote_id}.")
        self._shown = {"quotedMicroUsd": quoted_micro_usd, "nowMicroUsd": now_micro_usd}

    def extra(self) -> dict[str, Any]:
        """Return the sum of the quote, and the sum of now."""
        return self._shown


class QuoteLimitReachedError(TollgateError, status=409, code="quote_limit_reached"):
    """The account has created the maximum number of quotes in this hour."""

    next_step = "Use the existing quotes, or wait for the next hour."
