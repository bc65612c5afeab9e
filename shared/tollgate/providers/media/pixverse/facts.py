"""PixVerse's own words.

Source: docs/providers/pixverse.md; what V6 takes from its documentation and public clients.
"""

from collections.abc import Mapping

from tollgate.providers.runtime.outcomes import FailureKind, RejectionKind

UPLOAD_PATH = "/image/upload"
RESULT_PATH = "/video/result"
# New for each request: a used one gets the answer of the request that had it first.
TRACE_HEADER = "ai-trace-id"

# For all uploads but the last, so that they and the submit keep within its lease (150 s).
UPLOADS_TIMEOUT_S = 50.0

OK = 0
SUCCESS = 1
DELETED, MODERATED, FAILED = 6, 7, 8
# Generating; queued and started were seen by others.
WAITING = frozenset({5, 9, 10})

# By `ErrCode`, which comes with any HTTP status. In part from memory there.
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
    # Jobs at once, load.
    "500044": FailureKind.LIMITED,
    "500069": FailureKind.LIMITED,
}

MODEL = "v6"
MAX_REFERENCES = 7
