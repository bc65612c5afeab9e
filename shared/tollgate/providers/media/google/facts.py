"""Google's names and codes (docs/providers/google.md).

Media by URL: Google's guide "File input methods". A rejected video that is `completed` with only text, and
the duration as text: recorded responses in a public client of the Interactions API.
"""

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

# Values of `error.status`, the `reason` of its details, `finishReason` and `blockReason`, which overlap; and
# a message about the way in which Tollgate names a file, which comes with the status of an invalid input.
#
# `API_KEY_INVALID` is from memory.
CODES: Codes = {
    "*HTTP video input is not supported*": FailureKind.NOT_CONFIGURED,
    # Both come with HTTP 400: an invalid key, or an account or country without permission.
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
    # It waits for a request that no one sends.
    "requires_continuation": FailureKind.PROVIDER_ERROR,
    CANCELLED: FailureKind.PROVIDER_ERROR,
    "budget_exceeded": FailureKind.REFUSED_US,
}

# In a completed edit without a video: Omni does not edit in some regions, for any input.
REGION_WORDS = ("european economic area", "switzerland", "united kingdom", "your region", "your country")

FILE_PROCESSING = "PROCESSING"
# The end of a file's URL for its bytes; without it, the URL returns the file's state.
DOWNLOAD = ":download"

IMAGE_SIZES = {"512px": "512", "1K": "1K", "2K": "2K", "4K": "4K"}
# `error.code` of an operation (google.rpc.Code).
INVALID_ARGUMENT = 3

# The length of every Veo video in the catalog.
VEO_SECONDS = 8
# By the end of a URL.
MEDIA_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "mp4": "video/mp4",
    "mov": "video/mov",
    "webm": "video/webm",
}
