"""Resets a process that was restored from a snapshot (SnapStart).

Lambda imports the handler once, stores a snapshot of the process, and starts many processes from it, also
days later: https://docs.aws.amazon.com/lambda/latest/dg/snapstart-uniqueness.html
"""

import random

from snapshot_restore_py import register_after_restore

from tollgate.composition.parts import forget


def reset_after_restore() -> None:
    """Register `reset_process` to run after each restore. Called by handlers with SnapStart."""
    register_after_restore(reset_process)


def reset_process() -> None:
    """Discard the snapshot's state: parts with their caches, clients with their credentials, random state.

    Importing creates no part, so there is little to discard. But Python seeds its random generator at import.
    Otherwise all processes of one snapshot would choose the same rows of an account, and would retry at the
    same times.
    """
    forget()
    random.seed()
