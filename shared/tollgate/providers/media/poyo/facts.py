"""PoYo's own words. Sources: docs/providers/poyo.md; PoYo's public API manual."""

SUBMIT_PATH = "/api/generate/submit"
STATUS_PATH = "/api/generate/status"
# For the jobs of Suno's models, with `?task_id=`; their files are told nowhere else (music series).
MUSIC_PATH = "/api/generate/detail/music"
MUSIC_MAPPING = "suno"

WAITING = frozenset({"not_started", "running"})
FINISHED = "finished"
FAILED = "failed"

# The envelope's own `code`; errors may come with it inside HTTP 200.
ENVELOPE_OK = 200
# `error.type` of a request that PoYo refuses for what it is.
INVALID_REQUEST = "invalid_request_error"

# Our engine names in PoYo's; it has none older.
MUSIC_ENGINES = {"v4.0": "V4", "v4.5": "V4_5", "v4.5+": "V4_5PLUS", "v5.0": "V5", "v5.5": "V5_5"}
VOCAL_GENDERS = {"Male": "m", "Female": "f"}
# The shortest bound of a title among its engines.
TITLE_CHARS = 80

# Of a Wan image by ratio: the vendor's own default tier, 2K. Its names for sizes were not read.
WAN_IMAGE_AREA_PX = 2_048**2
# Of FLUX 3, where nothing is said.
SAFETY_TOLERANCE = 2
KLING_26_PROMPT_CHARS = 1_000
SEEDANCE_MIN_PROMPT_CHARS = 3
