"""The errors of run tokens."""

from tollgate.kit.errors import TollgateError


class TokenNotFoundError(TollgateError, status=404, code="token_not_found"):
    """The run token does not exist or belongs to another account."""

    default_message = "Run token not found."


class TokenLimitReachedError(TollgateError, status=409, code="token_limit_reached"):
    """The account has created the maximum number of run tokens in this hour."""

    next_step = "Use the existing tokens, or wait for the next hour."
