"""kie's names and codes.

Sources: docs/providers/kie.md; kie's documentation, mirrored in public repositories: the page "Get Task
Details" (states, `resultJson`) and the pages of the models (codes of the envelope, fields).
"""

from collections.abc import Mapping

from tollgate.providers.runtime.outcomes import FailureKind, RejectionKind

SUBMIT_PATH = "/api/v1/jobs/createTask"
STATUS_PATH = "/api/v1/jobs/recordInfo"

WAITING = frozenset({"waiting", "queuing", "generating"})
SUCCESS = "success"
FAIL = "fail"

# The envelope's own `code` is the status; HTTP 200 may contain an error.
OK = 200
Codes = Mapping[int, FailureKind | RejectionKind]
# Codes about the request, about kie or about the operator; all others are a fault of kie.
CODES: Codes = {
    400: RejectionKind.INPUT,
    422: RejectionKind.INPUT,
    401: FailureKind.REFUSED_US,
    402: FailureKind.REFUSED_US,
    403: FailureKind.REFUSED_US,
    # A limit on the operator's key.
    433: FailureKind.REFUSED_US,
    # Also the response for a model that kie does not have.
    404: FailureKind.NOT_CONFIGURED,
    # A disabled feature.
    505: FailureKind.NOT_CONFIGURED,
    408: FailureKind.TIMED_OUT,
    429: FailureKind.LIMITED,
    # Maintenance.
    455: FailureKind.PROVIDER_ERROR,
    503: FailureKind.PROVIDER_ERROR,
}
# For the paths of music, which have their own codes.
MUSIC_CODES: Codes = {
    **CODES,
    # A missing earlier task or track. A missing path has no code (INFERRED).
    404: RejectionKind.INPUT,
    405: FailureKind.LIMITED,
    413: RejectionKind.INPUT,
    # Not enough credits; too many requests are 430 (docs/providers/kie.md#music).
    429: FailureKind.REFUSED_US,
    430: FailureKind.LIMITED,
    451: RejectionKind.CONTENT,
}

VEO_MAPPING, VEO_PATH = "veo-3.1", "/api/v1/veo"
VEO_HD_PATH = f"{VEO_PATH}/get-1080p-video"
VEO_WAITING, VEO_SUCCESS, VEO_FAILED = 0, 1, (2, 3)
# Codes of the request for 1080p until that video exists.
VEO_NOT_YET = (400, 404)
HD = "1080p"
MUSIC_MAPPING = "suno"
MUSIC_PATH = "/api/v1"
RECORD = "record-info"
# A voice takes two steps: a phrase to sing, and the voice that sang it.
VOICE, VOICE_PHRASE = "voice", "voice-phrase"
PHRASE_RECORD = "validate-info"
# The phrase is ready in the first state of `VOICE_WAITING`, in which a voice is still being checked.
PHRASE_READY = "wait_validating"
VOICE_WAITING = frozenset({PHRASE_READY, "wait_processing", "processing_validate"})
VOICE_SUCCESS = "success"
# The recording is not the phrase, or not by the same voice.
VOICE_REJECTED = "processing_validate_fail"
VOICE_FAILED = "fail"
MUSIC_WAITING = frozenset({"PENDING", "TEXT_SUCCESS", "FIRST_SUCCESS"})
MUSIC_SUCCESS = "SUCCESS"
MUSIC_REJECTED = "SENSITIVE_WORD_ERROR"
# The callback failed, but there may be a result.
CALLBACK_FAILED = "CALLBACK_EXCEPTION"
MUSIC_FAILED = frozenset(
    {"CREATE_TASK_FAILED", "GENERATE_AUDIO_FAILED", "GENERATE_LYRICS_FAILED", CALLBACK_FAILED}
)
# Tollgate's names of the engines, and kie's, which has no older engines.
MUSIC_ENGINES = {"v4.0": "V4", "v4.5": "V4_5", "v4.5+": "V4_5PLUS", "v5.0": "V5", "v5.5": "V5_5"}
VOCAL_GENDERS = {"Male": "m", "Female": "f"}
# The shortest limit of a title among its engines.
TITLE_CHARS = 80

GROK_PROMPT_CHARS = 8_000
MINIMAX_PROMPT_CHARS = 7_000
# Images and videos together.
MAX_WAN_REFERENCES = 5

NANO_BANANA_LITE = "nano-banana-2-lite"
SEEDREAM_40_PRESETS = {
    "1:1": "square_hd",
    "4:3": "landscape_4_3",
    "3:4": "portrait_4_3",
    "3:2": "landscape_3_2",
    "2:3": "portrait_3_2",
    "16:9": "landscape_16_9",
    "9:16": "portrait_16_9",
    "21:9": "landscape_21_9",
}
# For Seedream from 4.5 on.
RATIOS = ("1:1", "4:3", "3:4", "16:9", "9:16", "2:3", "3:2", "21:9")
WAN_RATIOS = ("1:1", "16:9", "4:3", "21:9", "3:4", "9:16", "8:1", "1:8")
# Five are documented; the values are INFERRED.
QWEN_RATIOS = ("1:1", "4:3", "3:4", "16:9", "9:16")
KLING_MODES = {"720p": "std", "1080p": "pro", "4k": "4K"}
