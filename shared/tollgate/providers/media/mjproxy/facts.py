"""The dialect's names and codes (docs/providers/mjproxy.md)."""

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

# The path to poll a task of any speed.
TASK_PATH = "/mj/task"

# `code` of an accepted submit: now, before, or into the queue.
TAKEN = (1, 21, 22)
# `code` of a refused submit: the queue is full, a banned word. All others differ only in their text.
CODES: Codes = {"23": FailureKind.LIMITED, "24": RejectionKind.CONTENT}

# `MODAL` waits for more input. Of Tollgate's jobs, only a variation and a reroll can get this state, if the
# account is in remix mode. Some servers then continue automatically, but a task does not show whether this
# server does. A failover would pay twice if it continues, so it waits, at most until the task's deadline.
WAITING = frozenset({"NOT_START", "SUBMITTED", "IN_PROGRESS", "MODAL"})
SUCCEEDED = "SUCCESS"
FAILED = frozenset({"FAILURE", "CANCEL"})
# `action` of a video task; beside its `videoUrl` it may contain the image that it started from.
VIDEO = "VIDEO"

# The follow-ups that need only the id of an earlier task and an image's number.
CHANGES = {"upscale": "UPSCALE", "variation": "VARIATION", "reroll": "REROLL"}
RATIO_FLAG = "ar"
