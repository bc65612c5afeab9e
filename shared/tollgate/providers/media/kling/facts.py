"""Kling's names and codes (docs/providers/kling.md)."""

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

# The start of the paths in the older generation.
CLASSIC = "v1/"
TEXT_PATH, IMAGE_PATH = "v1/videos/text2video", "v1/videos/image2video"
TASKS_PATH = "/tasks"

# Between the access key and the secret key, if the key is such a pair.
PAIR_MARK = ":"
# The lifetime of a pair's token, and how far its start is in the past.
TOKEN_S, SKEW_S = 1_800, 5

# The envelope's own `code`; HTTP 200 may contain an error.
OK = 0
CODES: Codes = {
    "100?": FailureKind.REFUSED_US,
    "110?": FailureKind.REFUSED_US,
    "1200": RejectionKind.INPUT,
    "1201": RejectionKind.INPUT,
    "1202": FailureKind.NOT_CONFIGURED,
    "1203": FailureKind.NOT_CONFIGURED,
    "1300": RejectionKind.CONTENT,
    "1301": RejectionKind.CONTENT,
    "1302": FailureKind.LIMITED,
    "1303": FailureKind.LIMITED,
    "1304": FailureKind.REFUSED_US,
    "5001": FailureKind.LIMITED,
    "5002": FailureKind.TIMED_OUT,
}
# A missing job or model.
MISSING = 1203

WAITING = frozenset({"submitted", "processing"})
# The status in the older generation, and in the newer one.
SUCCEEDED = frozenset({"succeed", "succeeded"})
FAILED = "failed"

CLASSIC_MODES = {"720p": "std", "1080p": "pro", "4k": "4k"}
