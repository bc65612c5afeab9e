"""How a customer waits for a task: the next poll, and the longest wait for one answer."""

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem
from tollgate.tasks.models import TERMINAL, Task

# Of a status: clients time out sooner than the gateway.
MAX_WAIT_S = 20
# For an image in OpenAI's protocol, which has no answer for "not ready". The gateway cuts a streamed
# answer after 300 s without data; the create before the wait takes up to twice 29 s.
MAX_HELD_S = 240
# Between two looks at the task: short at first, then longer and longer.
FIRST_PAUSE_S, LAST_PAUSE_S = 0.25, 2.0
# Between two polls: an image takes seconds, and a result must not be a minute late.
SOONEST_S, LATEST_S = 2, 15
SHARE = 10


def read_pauses(wait: str) -> list[float]:
    """Return the pauses between looks that make up `wait` seconds. Raises `InvalidInputError`."""
    wait_s = digits(wait, 0, MAX_WAIT_S)
    if wait_s is None:
        allowed = f"0 to {MAX_WAIT_S}"
        raise InvalidInputError([Problem("/wait", f"Must be whole seconds, {allowed}.", allowed)])
    return pauses_within(wait_s)


def pauses_within(wait_s: int) -> list[float]:
    """Return the pauses between looks that make up `wait_s` seconds."""
    left, pause_s, pauses = float(wait_s), FIRST_PAUSE_S, []
    while left > 0:
        pauses.append(min(pause_s, left))
        left -= pauses[-1]
        pause_s = min(pause_s * 2, LAST_PAUSE_S)
    return pauses


def poll_after_s(task: Task, now_ms: int) -> int | None:
    """Return after how many seconds the next poll is useful, `None` for a task that has ended.

    A tenth of the time that it has taken, like the worker's polls of providers: a customer is at most a tenth
    late, and the number of polls grows with the logarithm of the time.
    """
    if task.status in TERMINAL:
        return None
    taken_s = (now_ms - task.created_at_ms) // MS_PER_S
    return min(max(taken_s // SHARE, SOONEST_S), LATEST_S)
