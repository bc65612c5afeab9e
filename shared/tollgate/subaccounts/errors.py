"""The errors of sub-accounts."""

from tollgate.kit.errors import TollgateError


class SubaccountNotFoundError(TollgateError, status=404, code="subaccount_not_found"):
    """The sub-account does not exist or belongs to another account."""

    default_message = "Sub-account not found."


class SubaccountLimitReachedError(TollgateError, status=409, code="subaccount_limit_reached"):
    """The account has the maximum number of sub-accounts."""

    next_step = "Close a sub-account first."
