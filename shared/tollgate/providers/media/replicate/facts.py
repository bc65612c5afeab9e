"""Replicate's own words (docs/providers/replicate.md).

Its `error` of a failed prediction is free text (its HTTP reference); that these words in it are moderation,
in several public clients that had to tell it from faults.
"""

WAITING = frozenset({"starting", "processing"})
SUCCEEDED = "succeeded"
FAILED = "failed"
# Spelled with one l; `aborted` is one that was dropped before it began.
CANCELLED = frozenset({"canceled", "aborted"})

MODERATION_WORDS = ("flagged as sensitive", "(e005)", "nsfw", "content policy")
