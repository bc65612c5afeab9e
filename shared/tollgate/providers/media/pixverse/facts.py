"""PixVerse's names and codes.

Source: docs/providers/pixverse.md; the fields of V6 are from its documentation and public clients.
"""

from collections.abc import Mapping

from tollgate.providers.runtime.outcomes import FailureKind, RejectionKind

UPLOAD_PATH = "/image/upload"
RESULT_PATH = "/video/result"
# Each request needs a new id: an id that was used gets the response of the earlier request.
TRACE_HEADER = "ai-trace-id"

# For all uploads but the last, so that uploads and submit together stay within the lease (150 s).
UPLOADS_TIMEOUT_S = 50.0

OK = 0
SUCCESS = 1
DELETED, MODERATED, FAILED = 6, 7, 8
# Generating; public clients also have states for queued and started.
WAITING = frozenset({5, 9, 10})

# By `ErrCode`, which comes with any HTTP status. Some in that source are from memory.
CODES: Mapping[str, RejectionKind | FailureKind] = {
    "500054": RejectionKind.CONTENT,
    "500063": RejectionKind.CONTENT,
    # Parameters, lengths, images.
    "4000*": RejectionKind.INPUT,
    # The key.
    "1000*": FailureKind.REFUSED_US,
    # Permission, quota, credits.
    "500020": FailureKind.REFUSED_US,
    "500060": FailureKind.REFUSED_US,
    "500090": FailureKind.REFUSED_US,
    # Concurrent jobs, load.
    "500044": FailureKind.LIMITED,
    "500069": FailureKind.LIMITED,
}

MODEL = "v6"
MAX_REFERENCES = 7
