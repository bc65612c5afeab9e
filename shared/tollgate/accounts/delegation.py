"""What one key may give another: nothing that it has not itself (decision 0017). Pure."""

from collections.abc import Mapping
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.accounts.networks import is_inside
from tollgate.kit.errors import ForbiddenError

GRANTS = ("scopes", "models", "networks", "expires_at_ms", "cap")
"""The fields of a key that say what it may do."""
_SHOWN = {"expires_at_ms": "expiresAt", "cap": "spendingCap"}


def check_grant(by: ApiKey, wanted: Mapping[str, Any]) -> None:
    """Raise `ForbiddenError`, naming each field of `wanted` in which it is more than `by` has."""
    beyond = [name for name in GRANTS if name in wanted and _is_beyond(by, name, wanted[name])]
    if beyond:
        names = ", ".join(_SHOWN.get(name, name) for name in beyond)
        raise ForbiddenError(f"This API key cannot give another key more than it has itself: {names}.")


def grants_of(key: ApiKey) -> dict[str, Any]:
    """Return all that a key may do, as `check_grant` takes it."""
    return {name: getattr(key, name) for name in GRANTS}


def _is_beyond(by: ApiKey, name: str, value: Any) -> bool:
    match name:
        case "scopes":
            return not value <= by.scopes
        case "models":
            return by.models is not None and (value is None or not value <= by.models)
        case "networks":
            own = by.networks
            return own is not None and (value is None or not all(is_inside(one, own) for one in value))
        case "expires_at_ms":
            return by.expires_at_ms is not None and (value is None or value > by.expires_at_ms)
        case _:
            # What another key spends would come on top of the cap, however low its own is.
            return by.cap is not None
