"""PoYo's own words. Sources: catalog.md "Provider call shapes"; PoYo's public API manual."""

BASE_URL = "https://api.poyo.ai"
SUBMIT_PATH = "/api/generate/submit"
STATUS_PATH = "/api/generate/status"

WAITING = frozenset({"not_started", "running"})
FINISHED = "finished"
FAILED = "failed"

ENVELOPE_OK = 200
"""The envelope's own `code`; errors may come with it inside HTTP 200."""
INVALID_REQUEST = "invalid_request_error"
"""`error.type` of a request that PoYo refuses for what it is."""

MUSIC_ENGINES = {"v4.0": "V4", "v4.5": "V4_5", "v4.5+": "V4_5PLUS", "v5.0": "V5", "v5.5": "V5_5"}
"""Our engine names in PoYo's; it has none older."""
VOCAL_GENDERS = {"Male": "m", "Female": "f"}
