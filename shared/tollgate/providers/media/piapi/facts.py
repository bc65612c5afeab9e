"""PiAPI's own words.

Source: docs/providers/piapi.md.
"""

TASK_PATH = "/api/v1/task"

OK = 200
"""The envelope's own `code`; an error may come with another one inside HTTP 200."""
WAITING = frozenset({"pending", "staged", "processing"})
COMPLETED = "completed"
FAILED = "failed"
"""Statuses are compared without regard to capitals (docs/providers/piapi.md)."""

KLING = "kling"
VIDEO_GENERATION = "video_generation"
MIDJOURNEY = "midjourney"
