"""xAI's names and codes for images and videos (docs/providers/xai.md).

Its errors have no code for a bad key or for moderation, only text. The texts below are from recorded
responses in public repositories.
"""

IMAGE_PATH = "/images/generations"
EDIT_PATH = "/images/edits"
VIDEO_PATH = "/videos/generations"
VIDEO_STATUS_PATH = "/videos"

# The HTTP status of a poll while the video is generated, also without a body.
ACCEPTED = 202
# The HTTP status of a poll for a video that was generated and rejected: it is billed, and has no result.
ENDED_BADLY = 400
PENDING = "pending"
DONE = "done"
EXPIRED = "expired"
FAILED = "failed"
# `error.code` of a video that failed because of its input.
INVALID = "invalid_argument"

MODERATION_WORDS = ("content moderation", "usage guidelines")
# In an HTTP 400 that is about the operator's key and not about the request.
KEY_WORDS = ("api key",)
