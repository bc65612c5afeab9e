"""Replicate's names and codes (docs/providers/replicate.md).

The `error` of a failed prediction is free text (its HTTP reference). The texts for moderation are from
several public clients, which separate it from faults.
"""

WAITING = frozenset({"starting", "processing"})
SUCCEEDED = "succeeded"
FAILED = "failed"
# Spelled with one l; an `aborted` prediction was cancelled before it started.
CANCELLED = frozenset({"canceled", "aborted"})

MODERATION_WORDS = ("flagged as sensitive", "(e005)", "nsfw", "content policy")
