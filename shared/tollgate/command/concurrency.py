"""How many functions an account may run at once, and how many of these places a stack may reserve.

Lambda keeps `UNRESERVED` places for functions without a reservation, and refuses a reservation beyond that
(PutFunctionConcurrency in Lambda's API reference). A new account has fewer places in all, so it can reserve
nothing. The refusal then names the account's own limit ("below its minimum value of [10]").
"""

UNRESERVED = 100
# AWS's limit for an established account.
GOOD_LIMIT = 1000
# Places that `ReserveConcurrency` keeps, by function.
KEPT = {"SweepFunction": 2, "DispatchChangesFunction": 4}


def reservable_concurrency(limit: int, reserved_by_others: int = 0) -> int:
    """Return how many places a stack may reserve in an account of `limit`."""
    return max(0, limit - reserved_by_others - UNRESERVED)


def recommended(limit: int, reserved_by_others: int = 0) -> dict[str, str]:
    """Return parameters that AWS accepts and that reserve places for the timer and the dispatcher.

    Text gets four fifths of the places, or the number that may be reserved if that is lower. It gets no limit
    if that would be less than half of the places.
    """
    kept = sum(KEPT.values())
    left = reservable_concurrency(limit, reserved_by_others) - kept
    if left < 0:
        return {}
    text = min(limit * 4 // 5, left)
    bound = {"TextConcurrency": str(text)} if text * 2 >= limit else {}
    return {"ReserveConcurrency": "true", **bound}
