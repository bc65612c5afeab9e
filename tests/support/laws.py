"""How many examples a law gets that holds for each model or each provider."""

import os

ALL = bool(os.environ.get("TOLLGATE_ALL_EXAMPLES"))
"""Set by `make laws`."""
PART = 3


def examples(count: int) -> int:
    """Return how many examples to try of `count`: all in `make laws`, a third in `make test`.

    For laws that run once a model or a provider: a third of each is still hundreds.
    """
    return count if ALL else -(-count // PART)
