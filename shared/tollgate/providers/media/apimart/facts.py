"""APIMart's own words.

Sources: docs/providers/apimart.md; APIMart's documentation
(docs.apimart.ai, as public copies have it): "Get Task Status", the pages of Midjourney, and those of Suno
for the engines up to v5.5. Since September 2026 the latter name version 6 only; that APIMart still runs the
engines that it has prices for (2026-09-21) is INFERRED. It has no callbacks and cannot cancel.
"""

from collections.abc import Mapping

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

# Its four sections: each has its own way to say a job, and the last two their own answers.
IMAGES, VIDEOS, MIDJOURNEY, MUSIC = "images", "videos", "midjourney", "music"
# Where the model is a field of the body. In the other sections it is the path below `/v1/`.
SUBMIT_PATHS: Mapping[str, str] = {
    IMAGES: "/v1/images/generations",
    VIDEOS: "/v1/videos/generations",
}
STATUS_PATHS: Mapping[str, str] = {
    IMAGES: "/v1/tasks",
    VIDEOS: "/v1/tasks",
    MIDJOURNEY: "/v1/midjourney",
    MUSIC: "/v1/music/tasks",
}

WAITING = frozenset({"not_start", "submitted", "queued", "pending", "in_progress", "processing", "running"})
SUCCEEDED = frozenset({"completed", "succeeded", "success"})
FAILED = frozenset({"failed", "failure", "cancelled", "canceled"})
DESCRIBE = "DESCRIBE"
# A Midjourney action that waits for its answer: the `modal` action, with a mask or a prompt.
MODAL = "modal"

# The envelope's own `code`; an error may come with another one inside HTTP 200.
OK = 200
# What `error.code` or `error.type` says; all but `payment_required` are INFERRED from relays of its kind.
CODES: Codes = {
    "content_policy_violation": RejectionKind.CONTENT,
    "sensitive_words_detected": RejectionKind.CONTENT,
    "prompt_blocked": RejectionKind.CONTENT,
    # An earlier task that is not there (any more): it keeps them for three days.
    "task_not_exist": RejectionKind.INPUT,
    "task_not_found": RejectionKind.INPUT,
    # Our credit, whatever the HTTP status.
    "payment_required": FailureKind.REFUSED_US,
    "insufficient_*quota": FailureKind.REFUSED_US,
}
# Of a job that failed. A refused submit has its HTTP status besides, which tells more than this.
JOB_CODES: Codes = {**CODES, "invalid_*": RejectionKind.INPUT}

# Our names of Suno's engines in APIMart's.
ENGINES: Mapping[str, str] = {
    "v3.5": "v3.5",
    "v4.0": "v4",
    "v4.5": "v4.5",
    "v4.5+": "v4.5+",
    "v5.0": "v5",
    "v5.5": "v5.5",
}
SUNO = "suno"
# More than a job makes: all stems of a song are about two dozen.
MAX_TRACKS = 64
# Keys are spelled with sharps only.
SHARP_OF = {
    "Cb": "B",
    "Db": "C#",
    "Eb": "D#",
    "E#": "F",
    "Fb": "E",
    "Gb": "F#",
    "Ab": "G#",
    "Bb": "A#",
    "B#": "C",
}
# It wants a description of a mashup, also where the customer gives none.
MASHED_UP = "a mashup of both songs"

GROK_SECONDS = (6, 15)
MAX_GROK_IMAGES = 7
KLING_TURBO_PROMPT_CHARS = 3_072
