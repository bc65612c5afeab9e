"""The dialect's own words (docs/providers/mjproxy.md)."""

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

TASK_PATH = "/mj/task"
"""A task is asked for below this one, whatever the speed it was made at."""

TAKEN = (1, 21, 22)
"""`code` of a submit that is taken: now, before, or into the queue."""
CODES: Codes = {"23": FailureKind.LIMITED, "24": RejectionKind.CONTENT}
"""Of one that is not: the queue is full, a banned word. All others are told apart in words only."""

WAITING = frozenset({"NOT_START", "SUBMITTED", "IN_PROGRESS", "MODAL"})
"""`MODAL` waits for more input. Of what we send, only a variation and a reroll come to it, where the account
is in remix mode; some servers answer for us then, and a task does not tell whether this one does. To give up
would be to pay twice if it moves after all, so it waits, at most until the task's deadline."""
SUCCEEDED = "SUCCESS"
FAILED = frozenset({"FAILURE", "CANCEL"})
VIDEO = "VIDEO"
"""`action` of a task that makes a video; beside its `videoUrl` it may show the image it began with."""

CHANGES = {"upscale": "UPSCALE", "variation": "VARIATION", "reroll": "REROLL"}
"""What can be done to an earlier task that is named by its id and an image's number alone."""
RATIO_FLAG = "ar"
