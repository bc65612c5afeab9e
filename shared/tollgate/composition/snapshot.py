"""What is different in a process that was restored from a snapshot (SnapStart).

Lambda imports the handler once, keeps a snapshot of that process, and starts many from it, days later:
https://docs.aws.amazon.com/lambda/latest/dg/snapstart-uniqueness.html
"""

import random

from snapshot_restore_py import register_after_restore

from tollgate.composition.parts import forget


def begin_anew_when_restored() -> None:
    """Have Lambda's runtime call `begin_anew` after each restore. For handlers with SnapStart to call."""
    register_after_restore(begin_anew)


def begin_anew() -> None:
    """Forget what the snapshot may hold: parts with their caches, clients with their credentials, chance.

    Importing builds no part, so there is little to forget. But Python seeds its generator at import: all
    processes of one snapshot would choose the same of an account's rows, and wait equally long before they
    try again, at the same time.
    """
    forget()
    random.seed()
