"""Kling's own words (docs/providers/kling.md)."""

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

# How the paths of the older generation begin.
CLASSIC = "v1/"
TEXT_PATH, IMAGE_PATH = "v1/videos/text2video", "v1/videos/image2video"
TASKS_PATH = "/tasks"

# Between the access key and the secret key, where our key is such a pair.
PAIR_MARK = ":"
# How long a token of a pair is good, and since when.
TOKEN_S, SKEW_S = 1_800, 5

# The envelope's own `code`; an error may come with another inside HTTP 200.
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
# There is no such job, or no such model.
MISSING = 1203

WAITING = frozenset({"submitted", "processing"})
# The older generation's word, and the newer one's.
SUCCEEDED = frozenset({"succeed", "succeeded"})
FAILED = "failed"

CLASSIC_MODES = {"720p": "std", "1080p": "pro", "4k": "4k"}
