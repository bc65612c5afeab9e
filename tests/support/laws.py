"""How many examples a law gets."""

import os

CHOICE = os.environ.get("TOLLGATE_ALL_EXAMPLES")
"""`1` in `make laws`; `money` in `.ci/run`."""
PART = 1 if CHOICE == "1" else 5
"""All examples in `make laws`, a fifth elsewhere."""


def examples(count: int) -> int:
    """Return how many examples to try of `count`.

    Most laws run once for each model or provider: a fifth of each is still hundreds.
    """
    return -(-count // PART)


def money_examples(count: int) -> int:
    """Return how many examples of `count` to try for money, keys or a task's life: all in `.ci/run` too."""
    return count if CHOICE else examples(count)


def is_tried(number: int) -> bool:
    """Return whether to try a case of a law about money: all in `.ci/run`, each fifth in `make test`."""
    return bool(CHOICE) or number % PART == 0
