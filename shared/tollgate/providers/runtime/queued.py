"""Taking back a job that still waits in a provider's queue."""

from tollgate.providers.runtime.base import Unknown
from tollgate.providers.runtime.http import ProviderHttp, send_poll

QUEUED = "queued"
CANCELLED = "cancelled"


def drop(http: ProviderHttp, task_path: str, drop_path: str, status: tuple[str, ...]) -> bool:
    """Delete a job that waits; tell whether the provider says that it is cancelled.

    `status` is where the answer at `task_path` says how the job is. The same request deletes the record of a
    job that has ended (docs/providers/ark.md, docs/providers/minimax.md), so it goes out for one that waits
    only.
    """

    def said() -> str | None:
        reply = send_poll(lambda: http.call("GET", task_path))
        return None if isinstance(reply, Unknown) else reply.string(*status)

    if said() != QUEUED:
        return False
    send_poll(lambda: http.call("DELETE", drop_path))
    return said() == CANCELLED
