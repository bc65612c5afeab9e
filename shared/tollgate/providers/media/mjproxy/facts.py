"""The dialect's own words (docs/providers/mjproxy.md)."""

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

# A task is asked for below this one, whatever the speed it was made at.
TASK_PATH = "/mj/task"

# `code` of a submit that is taken: now, before, or into the queue.
TAKEN = (1, 21, 22)
# Of one that is not: the queue is full, a banned word. All others are told apart in words only.
CODES: Codes = {"23": FailureKind.LIMITED, "24": RejectionKind.CONTENT}

# `MODAL` waits for more input. Of what we send, only a variation and a reroll come to it, where the account
# is in remix mode; some servers answer for us then, and a task does not tell whether this one does. To give
# up would be to pay twice if it moves after all, so it waits, at most until the task's deadline.
WAITING = frozenset({"NOT_START", "SUBMITTED", "IN_PROGRESS", "MODAL"})
SUCCEEDED = "SUCCESS"
FAILED = frozenset({"FAILURE", "CANCEL"})
# `action` of a task that makes a video; beside its `videoUrl` it may show the image it began with.
VIDEO = "VIDEO"

# What can be done to an earlier task that is named by its id and an image's number alone.
CHANGES = {"upscale": "UPSCALE", "variation": "VARIATION", "reroll": "REROLL"}
RATIO_FLAG = "ar"
