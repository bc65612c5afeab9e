"""MiniMax's own words (providers.md §8; bounds from its documentation as a public report quotes it)."""

from collections.abc import Mapping

from tollgate.providers.base import FailureKind, RejectionKind

BASE_URL = "https://api.minimax.io"
TEXT_PATH = "/v1"
"""At the end of the base URL that text has."""
CREATE_PATH = "/v2/video_generation"
QUERY_PATH = "/v2/query/video_generation"

WAITING = frozenset({"queued", "running"})
SUCCEEDED = "succeeded"
ENDED: Mapping[str, FailureKind] = {
    "failed": FailureKind.PROVIDER_ERROR,
    "cancelled": FailureKind.PROVIDER_ERROR,
    "expired": FailureKind.TIMED_OUT,
}
"""Ends without a file, unless the error's code says more."""

ERROR_TYPES: Mapping[str, RejectionKind | FailureKind] = {
    "bad_request_error": RejectionKind.INPUT,
    # What its moderation refuses; all else that is invalid is a bad request.
    "unprocessable_entity_error": RejectionKind.CONTENT,
    "authorized_error": FailureKind.REFUSED_US,
    "insufficient_balance_error": FailureKind.REFUSED_US,
    "rate_limit_error": FailureKind.LIMITED,
    "server_error": FailureKind.PROVIDER_ERROR,
}
"""`error.type` of a request that it does not take."""
TASK_CODES: Mapping[str, RejectionKind | FailureKind] = {
    # Of the prompt, of the result.
    "1026": RejectionKind.CONTENT,
    "1027": RejectionKind.CONTENT,
    "2013": RejectionKind.INPUT,
    "1001": FailureKind.TIMED_OUT,
    "1002": FailureKind.LIMITED,
    "1039": FailureKind.LIMITED,
    "1008": FailureKind.REFUSED_US,
}
"""`error.code` of a task that failed: the codes of the API's first version."""

PROMPT_CHARS = 7_000
H3_MAX = "MiniMax-H3-Max"
"""The model that reworks the prompt unless told otherwise."""
