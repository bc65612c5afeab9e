"""How many functions an account may run at once, and what of that a stack may keep for itself.

Lambda leaves `UNRESERVED` places to functions without a reservation, and refuses a reservation that takes one
of them (PutFunctionConcurrency in Lambda's API reference). A new account has fewer places than that. It can
reserve nothing: the refusal names the account's own limit then ("below its minimum value of [10]").
"""

UNRESERVED = 100
# What AWS gives an account that has been there a while.
GOOD_LIMIT = 1000
# Places that `ReserveConcurrency` keeps, by function.
KEPT = {"SweepFunction": 2, "DispatchChangesFunction": 4}


def reservable(limit: int, reserved_by_others: int = 0) -> int:
    """Return how many places a stack may reserve in an account of `limit`."""
    return max(0, limit - reserved_by_others - UNRESERVED)


def advised(limit: int, reserved_by_others: int = 0) -> dict[str, str]:
    """Return the parameters that keep room for the timer and the dispatcher, and that AWS takes.

    Text gets four fifths of the places, or what may be reserved. It stays without a bound of its own if the
    bound would be less than half of the places.
    """
    kept = sum(KEPT.values())
    left = reservable(limit, reserved_by_others) - kept
    if left < 0:
        return {}
    text = min(limit * 4 // 5, left)
    bound = {"TextConcurrency": str(text)} if text * 2 >= limit else {}
    return {"ReserveConcurrency": "true", **bound}
