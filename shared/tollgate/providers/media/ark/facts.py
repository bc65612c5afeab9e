"""ModelArk's own words. The ids in the catalog are those of this base URL's region.

Source: docs/providers/ark.md.
"""

from collections.abc import Mapping

from tollgate.providers.runtime.outcomes import FailureKind, RejectionKind

TASKS_PATH = "/contents/generations/tasks"
IMAGES_PATH = "/images/generations"

WAITING = frozenset({"queued", "running"})
SUCCEEDED = "succeeded"
# Ends without a file, unless the error's code says more.
ENDED: Mapping[str, FailureKind] = {
    "failed": FailureKind.PROVIDER_ERROR,
    "cancelled": FailureKind.PROVIDER_ERROR,
    "expired": FailureKind.TIMED_OUT,
}

# What says more than the HTTP status. In part from memory there.
CODES: Mapping[str, RejectionKind | FailureKind] = {
    # Of the input or of the result, of words, images, videos or sound.
    "*SensitiveContent*": RejectionKind.CONTENT,
    # The kind of job that we named, or that it took this for, does not fit: not a word about the input.
    "*TaskTypeMismatch*": FailureKind.PROVIDER_ERROR,
    "InvalidParameter*": RejectionKind.INPUT,
    "MissingParameter*": RejectionKind.INPUT,
    # These two come with 429, and waiting does not help.
    "QuotaExceeded*": FailureKind.REFUSED_US,
    "SetLimitExceeded*": FailureKind.REFUSED_US,
    "AccountOverdueError*": FailureKind.REFUSED_US,
}

# Kinds of omni jobs there by ours: it has no word for references, and sees them by itself.
TASK_TYPES: Mapping[str, str] = {"auto": "auto", "reference": "auto", "extend": "extend"}
# With steps of 16, 21:9 at 1K is under the fewest pixels that Seedream 4.0 takes (921 600).
SEEDREAM_STEP_PX = 8
# In the ids of the one version that has a fast prompt optimizer and, with 4.5, no choice of file types.
SEEDREAM_40 = "seedream-4-0"
SEEDREAM_45 = "seedream-4-5"
