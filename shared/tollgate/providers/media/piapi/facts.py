"""PiAPI's own words.

Sources: providers.md §14b; PiAPI's documentation, "Midjourney API" (imagine, describe, upscale, reroll) and
"Kling 3.0 API", whose fields are INFERRED for Kling 4.0.
"""

TASK_PATH = "/api/v1/task"

OK = 200
"""The envelope's own `code`; an error may come with another one inside HTTP 200."""
WAITING = frozenset({"pending", "staged", "processing"})
COMPLETED = "completed"
FAILED = "failed"
"""Statuses are compared without regard to capitals (providers.md §14b)."""

KLING = "kling"
VIDEO_GENERATION = "video_generation"
MIDJOURNEY = "midjourney"
