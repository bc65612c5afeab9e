"""xAI's own words for images and videos (docs/providers/xai.md).

Its errors have no code of their own for a bad key or for moderation, only words; the ones below were seen
in recorded answers of public repositories.
"""

IMAGE_PATH = "/images/generations"
EDIT_PATH = "/images/edits"
VIDEO_PATH = "/videos/generations"
VIDEO_STATUS_PATH = "/videos"

ACCEPTED = 202
"""The HTTP status of a poll while the video is being made, also without a body."""
ENDED_BADLY = 400
"""The HTTP status of a poll for a video that was made and refused: it is billed, and nothing follows."""
PENDING = "pending"
DONE = "done"
EXPIRED = "expired"
FAILED = "failed"
INVALID = "invalid_argument"
"""`error.code` of a video that failed for its input."""

MODERATION_WORDS = ("content moderation", "usage guidelines")
KEY_WORDS = ("api key",)
"""Of an HTTP 400 that is about us and not about the request."""
