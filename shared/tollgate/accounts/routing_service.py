"""The routing policy of an account: which providers may get its requests."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.key_request import read_policy
from tollgate.accounts.models import ApiKey
from tollgate.accounts.views import RoutingView, routing_view
from tollgate.audit.events import OWNER, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.errors import ForbiddenError
from tollgate.kit.retry import retry_change
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.budgets import StaleBudgetsError
from tollgate.routing.facts import KnownProviders
from tollgate.routing.wishes import NO_WISHES

SUBJECT = "Routing policy"


@dataclass(frozen=True, slots=True)
class RoutingPolicies:
    """Shows and changes the policy. Each change applies to the next request, and is in the audit log.

    It has the version of the account's budgets, because each hold and each charge requires that version.
    """

    budgets: BudgetRepository
    audit: AuditLog
    known: KnownProviders

    def show(self, account_id: str) -> RoutingView:
        """Return the policy; empty if the account has none."""
        return routing_view(self.budgets.routing(account_id))

    def change(
        self, account_id: str, body: Mapping[str, Any], by: ApiKey | None, who: str = OWNER
    ) -> RoutingView:
        """Replace the policy; an empty body removes it. `by` is the calling key; without one, `who` is.

        Raises `InvalidInputError`, `UserNotFoundError`, `ConcurrencyLimitedError`, and `ForbiddenError` for a
        key that has a policy.
        """
        if by is not None and by.routing != NO_WISHES:
            message = "An API key with a routing policy cannot change the policy of its account."
            raise ForbiddenError(message, "Use another key.")
        wishes = read_policy(dict(body), self.known, "")

        def change() -> RoutingView:
            read = self.budgets.read(account_id)
            if self.budgets.routing(account_id) != wishes:
                actor = who if by is None else by.actor
                words = ", ".join(sorted(wishes.to_item())) or "none"
                noted = self.audit.note(account_id, actor, Action.ROUTING_CHANGED, SUBJECT, words)
                policy = self.budgets.policy_write(account_id, wishes)
                self.budgets.change(account_id, read, read, policy, noted)
            return routing_view(wishes)

        return retry_change(change, StaleBudgetsError, what="The routing policy of this account is")
