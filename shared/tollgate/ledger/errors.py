"""The errors of a charge that the ledger refuses."""

from typing import Any

from tollgate.kit.errors import TollgateError
from tollgate.kit.money import dollars, usd_of_micro


class InsufficientBalanceError(TollgateError, status=402, code="insufficient_balance"):
    """The balance does not cover the charge; nothing was charged."""

    def __init__(
        self,
        balance_cents: int,
        required_cents: int,
        *,
        waiting_helps: bool | None = None,
        is_taken_back: bool = False,
    ) -> None:
        has, needs = dollars(balance_cents), dollars(required_cents)
        message = f"The balance of {has} does not cover this request, which costs {needs}."
        step = "Add credit in the dashboard, or ask the operator of this service for it."
        if waiting_helps:
            step = "Repeat it after your running requests have ended, or add credit in the dashboard."
        if is_taken_back:
            message = f"The sub-account has a free balance of {has}, and {needs} are to be taken back."
            step = f"Take back at most {has}. Money that running requests hold is not free."
        super().__init__(message, step)
        self.balance_cents = balance_cents
        self.required_cents = required_cents
        self.waiting_helps = waiting_helps

    def extra(self) -> dict[str, Any]:
        """Return balance, required and shortfall, in cents; for text also whether waiting can help."""
        shown = {
            "balanceCents": self.balance_cents,
            "requiredCents": self.required_cents,
            "shortfallCents": self.required_cents - self.balance_cents,
        }
        return shown if self.waiting_helps is None else {**shown, "waitingHelps": self.waiting_helps}


class SpendingCapReachedError(TollgateError, status=402, code="spending_cap_reached"):
    """The key's own spending cap does not cover the charge; nothing was charged."""

    def __init__(
        self,
        cap_cents: int,
        spent_cents: int,
        required_cents: int,
        *,
        resets_at: str,
        waiting_helps: bool | None = None,
    ) -> None:
        helps = "Repeat it after your running requests have ended, wait" if waiting_helps else "Wait"
        super().__init__(
            f"This API key has spent {dollars(spent_cents)} of its spending cap of {dollars(cap_cents)}, "
            f"and this request costs {dollars(required_cents)}.",
            f"{helps} until {resets_at}, raise the cap, or use another key.",
        )
        self.cap_cents = cap_cents
        self.spent_cents = spent_cents
        self.required_cents = required_cents
        self.resets_at = resets_at
        self.waiting_helps = waiting_helps

    def extra(self) -> dict[str, Any]:
        """Cap, spent and required in cents, and the time when the cap resets; `waitingHelps` as for 402."""
        shown = {
            "capCents": self.cap_cents,
            "spentCents": self.spent_cents,
            "requiredCents": self.required_cents,
            "resetsAt": self.resets_at,
        }
        return shown if self.waiting_helps is None else {**shown, "waitingHelps": self.waiting_helps}


class BudgetReachedError(TollgateError, status=402, code="budget_reached"):
    """A budget of the account does not cover the charge; nothing was charged."""

    def __init__(
        self,
        budget_id: str,
        name: str,
        limit_cents: int,
        left_cents: int,
        required_cents: int,
        *,
        scope: str,
        value: str,
        resets_at: str | None,
    ) -> None:
        is_run = scope == "run"
        what = f"run token {name}" if is_run else f"budget {name}{f' for {scope} {value}' if value else ''}"
        then = "" if resets_at is None else f"Wait until {resets_at}, or "
        raised = f"{then}{'ask' if then else 'Ask'} the owner of the account to raise the budget."
        super().__init__(
            f"The {what} has {dollars(left_cents)} of {dollars(limit_cents)} left, "
            f"and this request costs {dollars(required_cents)}.",
            "Continue with a new run token." if is_run else raised,
        )
        self._shown = {
            "budgetId": budget_id,
            "budgetName": name,
            "scope": scope,
            "value": value,
            "limitCents": limit_cents,
            "leftCents": left_cents,
            "requiredCents": required_cents,
            "resetsAt": resets_at,
        }

    def extra(self) -> dict[str, Any]:
        """Return the budget, its limit, its rest and the required amount in cents, and when it resets."""
        return self._shown


class QuoteExhaustedError(TollgateError, status=402, code="quote_exhausted"):
    """The money that a quote has reserved does not cover the request; nothing was charged."""

    next_step = "Send the request without the quote, or with a lower limit of output tokens."

    def __init__(self, quote_id: str, left_micro_usd: int, required_micro_usd: int) -> None:
        super().__init__(
            f"The quote {quote_id} has {usd_of_micro(left_micro_usd)} left, "
            f"and this request can cost {usd_of_micro(required_micro_usd)}."
        )
        self._shown = {
            "quoteId": quote_id,
            "leftMicroUsd": left_micro_usd,
            "requiredMicroUsd": required_micro_usd,
        }

    def extra(self) -> dict[str, Any]:
        """Return the rest of the reserved money, and the most that the request can cost."""
        return self._shown


class AccountSuspendedError(TollgateError, status=403, code="account_suspended"):
    """An operator suspended the account; nothing was started or charged."""

    default_message = "This account is suspended."
    next_step = "Contact the operator of this service."


class QuoteNotFoundError(TollgateError, status=404, code="quote_not_found"):
    """The quote does not exist, or belongs to another account or to another key."""

    default_message = "Quote not found."


class KeyLimitReachedError(TollgateError, status=409, code="key_limit_reached"):
    """The account has the maximum number of API keys."""

    repeat_is_useless = True
    next_step = "Revoke an unused key."


class SubaccountClosedError(TollgateError, status=409, code="subaccount_closed"):
    """The sub-account was closed, so it cannot be changed."""

    repeat_is_useless = True
    default_message = "This sub-account is closed."
    next_step = "Create another sub-account."


class QuoteEndedError(TollgateError, status=409, code="quote_ended"):
    """The quote has expired, was cancelled, or its reserved money was released; nothing was charged."""

    repeat_is_useless = True
    next_step = "Create a new quote."

    def __init__(self, quote_id: str, why: str) -> None:
        super().__init__(f"The quote {quote_id} {why}.")


class QuoteNotCreatedError(TollgateError, status=409, code="quote_not_created"):
    """The requests of the quote are not created yet, so it has no reserved money; nothing was charged."""

    repeat_is_useless = True

    def __init__(self, quote_id: str) -> None:
        super().__init__(
            f"The requests of the quote {quote_id} are not created yet.",
            f"Send POST /api/v1/quotes/{quote_id}/create first.",
        )


class RateLimitedError(TollgateError, status=429, code="rate_limited"):
    """The account made the maximum number of requests for this minute."""

    retry_after_s = 60
    next_step = f"Repeat it after {retry_after_s} seconds."

    def __init__(self, limit: int) -> None:
        super().__init__(f"This account made {limit} requests in this minute, which is the limit.")
