"""The results of a task in OpenAI's protocol. Pure."""

from collections.abc import Mapping
from typing import Any

from tollgate.kit.errors import UploadNotFoundError
from tollgate.tasks.errors import ContentBlockedError, GenerationFailedError, InputRejectedError
from tollgate.tasks.models import TaskErrorCode

_REJECTIONS = {
    TaskErrorCode.CONTENT_REJECTED: ContentBlockedError,
    TaskErrorCode.INPUT_REJECTED: InputRejectedError,
}


def files_of(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the files of a task as its status shows it; none while it has not ended.

    Raises `GenerationFailedError` if it ended without a result: `ContentBlockedError` or `InputRejectedError`
    if a provider rejected the request. Raises `UploadNotFoundError` if its files are gone.
    """
    if "error" in task:
        failure = _REJECTIONS.get(task["error"]["code"], GenerationFailedError)
        raise failure(task["taskId"], task["error"]["message"])
    if "filesDeletedAt" in task:
        raise UploadNotFoundError(f"The files of {task['taskId']} were deleted.")
    files: list[dict[str, Any]] = task.get("files", [])
    return files
