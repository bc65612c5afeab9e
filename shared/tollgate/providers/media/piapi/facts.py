"""PiAPI's names and codes.

Source: docs/providers/piapi.md.
"""

TASK_PATH = "/api/v1/task"

# The envelope's own `code`; HTTP 200 may contain an error with another one.
OK = 200
# Statuses may be in upper or lower case (docs/providers/piapi.md).
WAITING = frozenset({"pending", "staged", "processing"})
COMPLETED = "completed"
FAILED = "failed"

KLING = "kling"
VIDEO_GENERATION = "video_generation"
MIDJOURNEY = "midjourney"
