"""MiniMax's names and codes (docs/providers/minimax.md; limits from public copies of its documentation)."""

from collections.abc import Mapping

from tollgate.providers.runtime.outcomes import FailureKind, RejectionKind

CREATE_PATH = "/v2/video_generation"
QUERY_PATH = "/v2/query/video_generation"

WAITING = frozenset({"queued", "running"})
SUCCEEDED = "succeeded"
# States without a file; the code of the error may be more exact.
ENDED: Mapping[str, FailureKind] = {
    "failed": FailureKind.PROVIDER_ERROR,
    "cancelled": FailureKind.PROVIDER_ERROR,
    "expired": FailureKind.TIMED_OUT,
}

# `error.type` of a refused request.
ERROR_TYPES: Mapping[str, RejectionKind | FailureKind] = {
    "bad_request_error": RejectionKind.INPUT,
    # For moderation; all other invalid input is a bad request.
    "unprocessable_entity_error": RejectionKind.CONTENT,
    "authorized_error": FailureKind.REFUSED_US,
    "insufficient_balance_error": FailureKind.REFUSED_US,
    "rate_limit_error": FailureKind.LIMITED,
    "server_error": FailureKind.PROVIDER_ERROR,
}
# The first version's numbers: `base_resp.status_code`. In the second, `error.code` of a failed task.
CODES: Mapping[str, RejectionKind | FailureKind] = {
    "1000": FailureKind.PROVIDER_ERROR,
    "1001": FailureKind.TIMED_OUT,
    "1002": FailureKind.LIMITED,
    "1004": FailureKind.REFUSED_US,
    "1008": FailureKind.REFUSED_US,
    "1013": FailureKind.PROVIDER_ERROR,
    # Moderation of the prompt, and of the result.
    "1026": RejectionKind.CONTENT,
    "1027": RejectionKind.CONTENT,
    "1039": FailureKind.LIMITED,
    "2013": RejectionKind.INPUT,
    "2049": FailureKind.REFUSED_US,
}

PROMPT_CHARS = 7_000
# The model that changes the prompt by default.
H3_MAX = "MiniMax-H3-Max"

# The mapping of the models that exist only in the first version.
HAILUO = "hailuo"
FIRST_CREATE_PATH = "/v1/video_generation"
FIRST_QUERY_PATH = "/v1/query/video_generation"
FILE_PATH = "/v1/files/retrieve"
# Its `base_resp.status_code` for success; HTTP 200 may contain an error with another one.
FIRST_OK = 0
FIRST_WAITING = frozenset({"Preparing", "Queueing", "Processing"})
FIRST_SUCCEEDED, FIRST_FAILED = "Success", "Fail"

HAILUO_02, HAILUO_FAST = "MiniMax-Hailuo-02", "MiniMax-Hailuo-2.3-Fast"
HAILUO_PROMPT_CHARS = 2_000
HAILUO_SECONDS = (6, 10)
HAILUO_LOW, HAILUO_HIGH = "512P", "1080P"
HAILUO_RESOLUTIONS = {"512p": HAILUO_LOW, "768p": "768P", "1080p": HAILUO_HIGH}
