"""Values that many tests start from; each changes what it is about."""

from dataclasses import replace
from typing import Any, Final

from tests.support.clock import START_MS
from tollgate.artifacts.models import StoredFile
from tollgate.tasks.models import Task, TaskStatus

PAID_IMAGE = "z-image"
"""The cheapest model that a provider sells: for tests of money, of attempts and of providers' faults."""
PAID_IMAGE_CENTS = 1
PAID_BODY: Final = {"model": PAID_IMAGE, "input": {"prompt": "a lighthouse", "size": "1:1"}}

FILE = StoredFile("https://files.test/media/task_1/a-0.png", "image", "image/png", 1234, "ab" * 32)


def finished_task(**fields: Any) -> Task:
    """Return a test-image task of one cent that finished with one file, three seconds after it was made."""
    task = Task(
        task_id="task_1",
        account_id="usr_1",
        model="test-image",
        values={"prompt": "a lighthouse"},
        charge_micro_usd=10_000,
        price_version="v1",
        created_at_ms=START_MS,
        deadline_at_ms=START_MS + 300_000,
        status=TaskStatus.FINISHED,
        seq=5,
        progress=100,
        files=(FILE,),
        finished_at_ms=START_MS + 3_000,
    )
    return replace(task, **fields)
