"""What one key may do to another: nothing to or with a key that is more than itself (decision 0017). Pure.

Judged is the whole key that results, never the fields that a request names: a limit that a change leaves
alone is a grant too.
"""

from tollgate.accounts.models import ApiKey
from tollgate.accounts.networks import is_inside
from tollgate.kit.errors import ForbiddenError
from tollgate.ledger.caps import SpendingCap

# The fields of a key that say what it may do.
GRANTS = ("scopes", "models", "networks", "expires_at_ms", "cap")
_SHOWN = {"expires_at_ms": "expiresAt", "cap": "spendingCap"}


def check_gift(by: ApiKey, made: ApiKey) -> None:
    """Raise `ForbiddenError`, naming each field in which a key that `by` makes is more than `by`."""
    _check(by, made, "An API key cannot make another one more than it is itself")


def check_control(by: ApiKey, key: ApiKey) -> None:
    """Raise `ForbiddenError` unless `by` may change, rotate and revoke a key: itself, or no stronger one."""
    if by.key_id != key.key_id:
        _check(by, key, "An API key cannot change, rotate or revoke one that may do more than itself")


def check_change(by: ApiKey, key: ApiKey, changed: ApiKey) -> None:
    """Raise `ForbiddenError` unless `by` may make a key what it is in `changed`."""
    check_control(by, key)
    check_gift(by, changed)


def _check(by: ApiKey, key: ApiKey, message: str) -> None:
    beyond = [name for name in GRANTS if _is_beyond(by, key, name)]
    if beyond:
        names = ", ".join(_SHOWN.get(name, name) for name in beyond)
        raise ForbiddenError(f"{message}: {names}.")


def _is_beyond(by: ApiKey, key: ApiKey, name: str) -> bool:
    own, value = getattr(by, name), getattr(key, name)
    match name:
        case "scopes":
            return not value <= own
        case "models":
            return own is not None and (value is None or not value <= own)
        case "networks":
            return own is not None and (value is None or not all(is_inside(one, own) for one in value))
        case "expires_at_ms":
            return own is not None and (value is None or value > own)
        case _ if by.key_id == key.key_id:
            return _spends_more(own, value)
        case _:
            # What another key spends would come on top of the cap, however low its own is.
            return own is not None


def _spends_more(cap: SpendingCap | None, changed: SpendingCap | None) -> bool:
    """Return whether a key may spend more after a change of its own cap: a new period starts at nothing."""
    if cap is None or changed == cap:
        return False
    return changed is None or changed.per is not cap.per or changed.limit_micro_usd > cap.limit_micro_usd
