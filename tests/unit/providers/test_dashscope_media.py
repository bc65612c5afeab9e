"""DashScope: its answers in ours (docs/providers/dashscope.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.tables import ABSENT, cancels, done, each, invalid, moderated, polls, says, submits
from tollgate.providers.runtime.outcomes import FailureKind, Lost, Pending, Submitted, Unknown
from tollgate.providers.runtime.registry import providers

SERVICES = "POST /api/v1/services/aigc"
URL = "https://a.test/1.png"
P = {"prompt": "a fox"}
TAKEN = {"output": {"task_id": "t-1", "task_status": "PENDING"}}


def error(code: str, message: str = "no") -> dict[str, Any]:
    return {"code": code, "message": message, "request_id": "r"}


def choices(*parts: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": list(parts)}}]}


def state(status: Any, **more: Any) -> dict[str, Any]:
    return {"request_id": "r", "output": {"task_status": status, **more}}


FAULTS = (
    says(
        "our account is empty",
        FailureKind.REFUSED_US,
        (400, error("Arrearage")),
        (429, error("PrepaidBillOverdue")),
    ),
    says("a model we have not bought", FailureKind.REFUSED_US, (403, error("AccessDenied.Unpurchased"))),
    says("a model it does not have", FailureKind.NOT_CONFIGURED, (404, error("ModelNotFound"))),
    says(
        "too many requests",
        FailureKind.LIMITED,
        (429, error("Throttling.BurstRate")),
        (429, error("Throttling.AllocationQuota")),
    ),
    says("out of time", FailureKind.TIMED_OUT, (500, error("InternalError.Timeout"))),
    says(
        "its own fault",
        FailureKind.PROVIDER_ERROR,
        (503, error("ModelServingError")),
        (500, error("SystemError")),
        (200, error("InternalError")),
        (400, "<html>"),
    ),
    says("no result", Lost, {"output": {}}, {"output": {"task_id": 5}}, {"output": choices({"text": "x"})}),
)
VIDEOS = submits(
    job_of("dashscope", "wan-3.0", P),
    says(
        "a video is a task",
        Submitted({"task_id": "t-1"}),
        TAKEN,
        sent=f"{SERVICES}/video-generation/video-synthesis",
        headers={"x-dashscope-async": "enable"},
    ),
    says(
        "moderation",
        moderated("Not this."),
        *((n, error("DataInspectionFailed", "Not this.")) for n in (200, 400)),
        *((n, error("data_inspection_failed", "Not this.")) for n in (200, 400)),
    ),
    says(
        "an invalid input",
        invalid("Not this."),
        *((n, error("InvalidParameter.DataInspection", "Not this.")) for n in (200, 400)),
        *((n, error("InvalidParameter", "Not this.")) for n in (200, 400)),
        (400, error("BadRequest.TooLarge", "Not this.")),
    ),
    *FAULTS,
)
IMAGES = submits(
    job_of("dashscope", "wan-2.7-image", P),
    says(
        "an image is a task",
        Submitted({"task_id": "t-1"}),
        TAKEN,
        sent=f"{SERVICES}/image-generation/generation",
        headers={"x-dashscope-async": "enable"},
    ),
)
AT_ONCE = submits(
    job_of("dashscope", "qwen-image-3", P),
    says(
        "a model that answers at once is asked without a task",
        done(URL),
        {"output": choices({"image": URL}, {"text": "done"})},
        sent=f"{SERVICES}/multimodal-generation/generation",
        headers={"x-dashscope-async": ABSENT},
        fields={"model": "qwen-image-3.0"},
    ),
    *FAULTS,
)
POLLS = polls(
    {"task_id": "t/1"},
    says(
        "under way",
        Pending(),
        *map(state, ("PENDING", "RUNNING", "SUSPENDED")),
        sent="GET /api/v1/tasks/t%2F1",
    ),
    says(
        "its file",
        done(URL),
        state("SUCCEEDED", video_url=URL),
        state("SUCCEEDED", **choices({"type": "image", "image": URL})),
    ),
    says(
        "moderation after all",
        moderated("Not this."),
        state("FAILED", code="DataInspectionFailed", message="Not this."),
    ),
    says(
        "its own fault",
        FailureKind.PROVIDER_ERROR,
        state("FAILED", code="InternalError.Algo"),
        state("FAILED"),
        state("CANCELED"),
    ),
    says("out of time", FailureKind.TIMED_OUT, state("FAILED", code="InternalError.Timeout")),
    says("a status that it does not know or have", Unknown, *map(state, ("UNKNOWN", "", None, 5))),
)
CANCELS = cancels(
    {"task_id": "t-1"},
    says("a task that waits", True, {"request_id": "r"}, sent="POST /api/v1/tasks/t-1/cancel"),
    says("another task", False, (400, error("UnsupportedOperation")), error("X")),
)
test_answers = each("dashscope", VIDEOS, IMAGES, AT_ONCE, POLLS, CANCELS)


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", "https://dashscope.aliyuncs.com"),
        ("https://dashscope.aliyuncs.com", "https://dashscope.aliyuncs.com"),
        ("http://127.0.0.1:1/dashscope/v1", "http://127.0.0.1:1/dashscope"),
    ],
)
def test_the_base_url_of_text_is_that_of_media_too(given: str, used: str) -> None:
    assert providers()["dashscope"].media_url(given) == used
