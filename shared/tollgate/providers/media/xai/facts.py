"""xAI's own words for images and videos (docs/providers/xai.md).

Its errors have no code of their own for a bad key or for moderation, only words; the ones below were seen
in recorded answers of public repositories.
"""

IMAGE_PATH = "/images/generations"
EDIT_PATH = "/images/edits"
VIDEO_PATH = "/videos/generations"
VIDEO_STATUS_PATH = "/videos"

# The HTTP status of a poll while the video is being made, also without a body.
ACCEPTED = 202
# The HTTP status of a poll for a video that was made and refused: it is billed, and nothing follows.
ENDED_BADLY = 400
PENDING = "pending"
DONE = "done"
EXPIRED = "expired"
FAILED = "failed"
# `error.code` of a video that failed for its input.
INVALID = "invalid_argument"

MODERATION_WORDS = ("content moderation", "usage guidelines")
# Of an HTTP 400 that is about us and not about the request.
KEY_WORDS = ("api key",)
