"""Kling's own words (docs/providers/kling.md)."""

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

CLASSIC = "v1/"
"""How the paths of the older generation begin."""
TEXT_PATH, IMAGE_PATH = "v1/videos/text2video", "v1/videos/image2video"
TASKS_PATH = "/tasks"

PAIR_MARK = ":"
"""Between the access key and the secret key, where our key is such a pair."""
TOKEN_S, SKEW_S = 1_800, 5
"""How long a token of a pair is good, and since when."""

OK = 0
"""The envelope's own `code`; an error may come with another inside HTTP 200."""
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
MISSING = 1203
"""There is no such job, or no such model."""

WAITING = frozenset({"submitted", "processing"})
SUCCEEDED = frozenset({"succeed", "succeeded"})
"""The older generation's word, and the newer one's."""
FAILED = "failed"

CLASSIC_MODES = {"720p": "std", "1080p": "pro", "4k": "4k"}
