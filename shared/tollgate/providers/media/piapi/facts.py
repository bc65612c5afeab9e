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
TEXT_TO_VIDEO = "text_to_video"
# The `service_mode` of a request that is paid per task. Kling 4 requires it.
PAY_AS_YOU_GO = "public"
# PiAPI's modes of Kling. `std` is the 720p tier; that `pro` is the 1080p tier is INFERRED from Kling 3.0.
KLING_MODES = {"720p": "std", "1080p": "pro"}
MIDJOURNEY = "midjourney"
