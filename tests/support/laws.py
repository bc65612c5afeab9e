"""How many examples a law gets."""

import os

ALL = bool(os.environ.get("TOLLGATE_ALL_EXAMPLES"))
"""Set by `make laws`."""
PART = 3


def examples(count: int) -> int:
    """Return how many examples to try of `count`: all in `make laws`, a third in `make test`.

    Most laws run once for each model or provider: a third of each is still hundreds.
    """
    return count if ALL else -(-count // PART)
