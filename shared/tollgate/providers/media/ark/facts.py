"""ModelArk's names and codes. The ids in the catalog are for the region of this base URL.

Source: docs/providers/ark.md.
"""

from collections.abc import Mapping

from tollgate.providers.runtime.outcomes import FailureKind, RejectionKind

TASKS_PATH = "/contents/generations/tasks"
IMAGES_PATH = "/images/generations"

WAITING = frozenset({"queued", "running"})
SUCCEEDED = "succeeded"
# States without a file; the code of the error may be more exact.
ENDED: Mapping[str, FailureKind] = {
    "failed": FailureKind.PROVIDER_ERROR,
    "cancelled": FailureKind.PROVIDER_ERROR,
    "expired": FailureKind.TIMED_OUT,
}

# Codes that are more exact than the HTTP status. Some in that source are from memory.
CODES: Mapping[str, RejectionKind | FailureKind] = {
    # In the input or in the result; in text, images, videos or sound.
    "*SensitiveContent*": RejectionKind.CONTENT,
    # The named or detected kind of job does not fit. This is no statement about the input.
    "*TaskTypeMismatch*": FailureKind.PROVIDER_ERROR,
    # An id that was retired, or that our account has not opened.
    "InvalidEndpoint*": FailureKind.NOT_CONFIGURED,
    "ModelNotOpen*": FailureKind.NOT_CONFIGURED,
    "InvalidParameter*": RejectionKind.INPUT,
    "MissingParameter*": RejectionKind.INPUT,
    # These two come with 429, but waiting does not help.
    "QuotaExceeded*": FailureKind.REFUSED_US,
    "SetLimitExceeded*": FailureKind.REFUSED_US,
    "AccountOverdueError*": FailureKind.REFUSED_US,
}

# Tollgate's kinds of omni jobs, and ModelArk's: it has none for references, and detects them.
TASK_TYPES: Mapping[str, str] = {"auto": "auto", "reference": "auto", "extend": "extend"}
# With steps of 16, 21:9 at 1K would be below Seedream 4.0's minimum (921 600 pixels).
SEEDREAM_STEP_PX = 8
