"""The rights of one key over another: it cannot create or manage a stronger key (decision 0017). Pure.

The check covers the whole resulting key, not only the fields in the request: a limit that a change leaves
as it is also grants something.
"""

from collections.abc import Sequence

from tollgate.accounts.models import ApiKey
from tollgate.accounts.networks import is_inside
from tollgate.kit.errors import ForbiddenError
from tollgate.ledger.budgets import NO_BUDGETS, Budgets
from tollgate.ledger.caps import SpendingCap

# The fields of a key that describe its permissions.
GRANTS = ("scopes", "models", "networks", "expires_at_ms", "cap", "project_id", "routing")
_SHOWN = {"expires_at_ms": "expiresAt", "cap": "spendingCap", "project_id": "projectId"}
# The spending of another key would be additional to both limits.
_ONLY_ITSELF = (
    "A key that has a spending cap, or is the value of a budget, manages only itself. "
    "Use another key, or the dashboard."
)


def check_new_key(by: ApiKey, made: ApiKey, budgets: Budgets) -> None:
    """Raise `ForbiddenError`, naming each field in which a key that `by` creates exceeds `by`.

    `budgets` are the budgets of the account.
    """
    _check(by, made, "An API key cannot grant more permissions than it has", budgets=budgets)


def check_new_token(by: ApiKey, token: ApiKey) -> None:
    """Raise `ForbiddenError`, naming each field in which a run token that `by` creates exceeds `by`.

    The cap, the networks and the budgets of `by` apply to its tokens in any case (`ApiKey.within`).
    """
    _check(by, token, "A run token cannot exceed the key that creates it", ("models", "expires_at_ms"))
    if not token.scopes:
        message = "A run token needs a key with the scope media or text."
        raise ForbiddenError(message, "Use another key, or ask an owner of the account to add the scope.")


def check_control(by: ApiKey, key: ApiKey, budgets: Budgets) -> None:
    """Raise `ForbiddenError` unless `by` may change, rotate and revoke a key: itself, or no stronger key."""
    if by.key_id != key.key_id:
        message = "An API key cannot change, rotate or revoke a key with more permissions"
        _check(by, key, message, budgets=budgets)


def check_change(by: ApiKey, key: ApiKey, changed: ApiKey, budgets: Budgets) -> None:
    """Raise `ForbiddenError` unless `by` may change a key to `changed`."""
    check_control(by, key, budgets)
    check_new_key(by, changed, budgets)


def _check(
    by: ApiKey, key: ApiKey, message: str, grants: Sequence[str] = GRANTS, budgets: Budgets = NO_BUDGETS
) -> None:
    beyond = [_SHOWN.get(name, name) for name in grants if _is_beyond(by, key, name)]
    if by.key_id != key.key_id and budgets.bind_key(by.key_id):
        beyond.append("budget")
    if beyond:
        limited = by.cap is not None or "budget" in beyond
        next_step = _ONLY_ITSELF if limited else "Use a key with these permissions, or the dashboard."
        raise ForbiddenError(f"{message}: {', '.join(beyond)}.", next_step)


def _is_beyond(by: ApiKey, key: ApiKey, name: str) -> bool:
    own, value = getattr(by, name), getattr(key, name)
    if own is None:
        return False
    match name:
        case "scopes":
            beyond = not value <= own
        case "models":
            beyond = value is None or not value <= own
        case "networks":
            beyond = value is None or not all(is_inside(one, own) for one in value)
        case "expires_at_ms":
            beyond = value is None or value > own
        case "routing":
            beyond = not value.narrows(own)
        case "project_id":
            # Otherwise the budgets of the project would not count it.
            beyond = value != own
        case _:
            # Another key's spending would be additional to the cap, no matter how low its own cap is.
            beyond = by.key_id != key.key_id or _spends_more(own, value)
    return beyond


def _spends_more(cap: SpendingCap, changed: SpendingCap | None) -> bool:
    """Return whether a key may spend more after a change of its cap: a new period starts at 0."""
    return changed is None or changed.per is not cap.per or changed.limit_micro_usd > cap.limit_micro_usd
