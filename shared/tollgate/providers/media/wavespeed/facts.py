"""WaveSpeed's names and codes (docs/providers/wavespeed.md)."""

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

WAITING = frozenset({"created", "processing"})
COMPLETED = "completed"
# The terminal failures of its client besides `failed`.
FAILED = frozenset({"failed", "cancelled", "timeout", "deleted"})

# The `code` of a failed prediction (its page "Error Codes").
CODES: Codes = {
    "1200": RejectionKind.CONTENT,
    "1400": RejectionKind.INPUT,
    "1401": RejectionKind.INPUT,
    # It could not read a file that Tollgate has read, so another provider may.
    "1402": FailureKind.PROVIDER_ERROR,
    "5004": FailureKind.TIMED_OUT,
}
