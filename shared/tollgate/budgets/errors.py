"""The errors of budgets."""

from tollgate.kit.errors import TollgateError


class BudgetNotFoundError(TollgateError, status=404, code="budget_not_found"):
    """The budget does not exist or belongs to another account."""

    default_message = "Budget not found."


class BudgetLimitReachedError(TollgateError, status=409, code="budget_limit_reached"):
    """The account has the maximum number of budgets."""

    next_step = "Delete a budget first."
