"""Google's own words (docs/providers/google.md).

Media by URL: Google's guide "File input methods". A refused video that is `completed` with words alone, and
the duration as text: recorded answers in a public client of the Interactions API.
"""

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

# `error.status`, the `reason` of its details, `finishReason` and `blockReason`, which share their words.
#
# `API_KEY_INVALID` is from memory of the API.
CODES: Codes = {
    # Both come as HTTP 400: the key is none of Google's, or our account or country may not do this.
    "API_KEY_INVALID": FailureKind.REFUSED_US,
    "FAILED_PRECONDITION": FailureKind.REFUSED_US,
    "*SAFETY": RejectionKind.CONTENT,
    "*PROHIBITED_CONTENT": RejectionKind.CONTENT,
    "*RECITATION": RejectionKind.CONTENT,
    "BLOCKLIST": RejectionKind.CONTENT,
    "SPII": RejectionKind.CONTENT,
}

WAITING = frozenset({"queued", "in_progress"})
COMPLETED = "completed"
CANCELLED = "cancelled"
# Statuses of an interaction that ended without a result.
FAILED: dict[str, FailureKind] = {
    "failed": FailureKind.PROVIDER_ERROR,
    "incomplete": FailureKind.PROVIDER_ERROR,
    "requires_action": FailureKind.PROVIDER_ERROR,
    # It waits for a request that nobody sends.
    "requires_continuation": FailureKind.PROVIDER_ERROR,
    CANCELLED: FailureKind.PROVIDER_ERROR,
    "budget_exceeded": FailureKind.REFUSED_US,
}

# Of a completed edit without a video: Omni does not edit in some regions, whatever the input is.
REGION_WORDS = ("european economic area", "switzerland", "united kingdom", "your region", "your country")

FILE_PROCESSING, FILE_FAILED = "PROCESSING", "FAILED"
# After a file's address: its bytes; without it, its state.
DOWNLOAD = ":download"

IMAGE_SIZES = {"512px": "512", "1K": "1K", "2K": "2K", "4K": "4K"}
# `error.code` of an operation (google.rpc.Code).
INVALID_ARGUMENT = 3

# The length of every Veo video in the catalog.
VEO_SECONDS = 8
# By the end of an address.
MEDIA_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "mp4": "video/mp4",
    "mov": "video/mov",
    "webm": "video/webm",
}
