"""APIMart's names and codes.

Sources: docs/providers/apimart.md; APIMart's documentation (docs.apimart.ai, from public copies): "Get Task
Status", the pages of Midjourney, and the pages of Suno for the engines up to v5.5. Since September 2026 these
pages name only version 6. It is INFERRED that APIMart still runs the engines for which it has prices
(2026-09-21). It has no callbacks and cannot cancel.
"""

from collections.abc import Mapping

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

# The four sections of its API. Each has its own format for a job; the last two have their own responses.
IMAGES, VIDEOS, MIDJOURNEY, MUSIC = "images", "videos", "midjourney", "music"
# Paths of the sections with the model in the body. In the other sections, the model's path follows `/v1/`.
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
# The state of a Midjourney action that waits for input: the `modal` action, with a mask or a prompt.
MODAL = "modal"

# The envelope's own `code`; HTTP 200 may contain an error with another code.
OK = 200
# Values of `error.code` or `error.type`; all but `payment_required` are INFERRED from similar relays.
CODES: Codes = {
    "content_policy_violation": RejectionKind.CONTENT,
    "sensitive_words_detected": RejectionKind.CONTENT,
    "prompt_blocked": RejectionKind.CONTENT,
    # A missing earlier task: APIMart keeps tasks for three days.
    "task_not_exist": RejectionKind.INPUT,
    "task_not_found": RejectionKind.INPUT,
    # The operator's credit, with any HTTP status.
    "payment_required": FailureKind.REFUSED_US,
    "insufficient_*quota": FailureKind.REFUSED_US,
}
# For a failed job. A refused submit also has its HTTP status, which is more exact.
JOB_CODES: Codes = {**CODES, "invalid_*": RejectionKind.INPUT}

# Tollgate's names of Suno's engines, and APIMart's.
ENGINES: Mapping[str, str] = {
    "v3.5": "v3.5",
    "v4.0": "v4",
    "v4.5": "v4.5",
    "v4.5+": "v4.5+",
    "v5.0": "v5",
    "v5.5": "v5.5",
}
SUNO = "suno"
# More than the tracks of any job: all stems of a song are about two dozen.
MAX_TRACKS = 64
# APIMart spells keys only with sharps.
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
# A mashup needs a description, even if the customer gives none.
MASHED_UP = "a mashup of both songs"

GROK_SECONDS = (6, 15)
MAX_GROK_IMAGES = 7
KLING_TURBO_PROMPT_CHARS = 3_072
