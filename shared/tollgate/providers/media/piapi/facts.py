"""PiAPI's own words.

Source: docs/providers/piapi.md.
"""

TASK_PATH = "/api/v1/task"

# The envelope's own `code`; an error may come with another one inside HTTP 200.
OK = 200
# Statuses are compared without regard to capitals (docs/providers/piapi.md).
WAITING = frozenset({"pending", "staged", "processing"})
COMPLETED = "completed"
FAILED = "failed"

KLING = "kling"
VIDEO_GENERATION = "video_generation"
MIDJOURNEY = "midjourney"
