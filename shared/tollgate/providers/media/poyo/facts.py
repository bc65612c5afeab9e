"""PoYo's names and codes. Sources: docs/providers/poyo.md; PoYo's public API manual."""

SUBMIT_PATH = "/api/generate/submit"
STATUS_PATH = "/api/generate/status"
# For the jobs of Suno's models, with `?task_id=`; only this path has their files (music series).
MUSIC_PATH = "/api/generate/detail/music"
MUSIC_MAPPING = "suno"

WAITING = frozenset({"not_started", "running"})
FINISHED = "finished"
FAILED = "failed"

# The envelope's own `code`; HTTP 200 may contain an error.
ENVELOPE_OK = 200
# `error.type` of a request that PoYo rejects.
INVALID_REQUEST = "invalid_request_error"

# Tollgate's names of the engines, and PoYo's, which has no older engines.
MUSIC_ENGINES = {"v4.0": "V4", "v4.5": "V4_5", "v4.5+": "V4_5PLUS", "v5.0": "V5", "v5.5": "V5_5"}
VOCAL_GENDERS = {"Male": "m", "Female": "f"}
# The shortest limit of a title among its engines.
TITLE_CHARS = 80

# For a Wan image by ratio: the vendor's default tier, 2K. PoYo's names for sizes are unknown.
WAN_IMAGE_AREA_PX = 2_048**2
# The default of FLUX 3.
SAFETY_TOLERANCE = 2
KLING_26_PROMPT_CHARS = 1_000
SEEDANCE_MIN_PROMPT_CHARS = 3
