"""DashScope's own words (docs/providers/dashscope.md; bounds also from its documentation).

That Wan images take from 768² pixels on, and how the codes of unpaid bills are spelled, is from memory.
"""

from collections.abc import Mapping

from tollgate.providers.runtime.outcomes import FailureKind, RejectionKind

VIDEO_PATH = "/api/v1/services/aigc/video-generation/video-synthesis"
IMAGE_PATH = "/api/v1/services/aigc/image-generation/generation"
IMAGE_AT_ONCE_PATH = "/api/v1/services/aigc/multimodal-generation/generation"
TASKS_PATH = "/api/v1/tasks"
ASYNC = {"x-dashscope-async": "enable"}

WAITING = frozenset({"PENDING", "RUNNING", "SUSPENDED"})
SUCCEEDED = "SUCCEEDED"
FAILED = "FAILED"
CANCELED = "CANCELED"

# What says more than the HTTP status, and of a task that failed.
CODES: Mapping[str, RejectionKind | FailureKind] = {
    "DataInspectionFailed*": RejectionKind.CONTENT,
    "data_inspection_failed": RejectionKind.CONTENT,
    "IPInfringementSuspect": RejectionKind.CONTENT,
    "InvalidParameter*": RejectionKind.INPUT,
    "InvalidURL*": RejectionKind.INPUT,
    # Unpaid bills: this one comes with 400, the others with 429.
    "Arrearage": FailureKind.REFUSED_US,
    "PrepaidBillOverdue": FailureKind.REFUSED_US,
    "PostpaidBillOverdue": FailureKind.REFUSED_US,
    "CommodityNotPurchased": FailureKind.REFUSED_US,
    "Throttling*": FailureKind.LIMITED,
    "InternalError.Timeout": FailureKind.TIMED_OUT,
}

# Images and videos together.
MAX_WAN_REFERENCES = 5
# No side of an image is more than this many times the other.
ASPECT_LIMIT = 8
# The fewest and the most pixels of a Wan image; the larger model takes more without references.
WAN_IMAGE_PX = (768**2, 2_048**2)
# Of a Qwen image: up to what its price list calls 1K, which the prices in the catalog are for.
QWEN_IMAGE_PX = (512**2, 2_250_000)
