"""DashScope's names and codes (docs/providers/dashscope.md; limits also from its documentation).

The minimum of 768² pixels for Wan images, and the codes of unpaid bills, are from memory.
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

# Codes that are more exact than the HTTP status, and codes of failed tasks.
CODES: Mapping[str, RejectionKind | FailureKind] = {
    "DataInspectionFailed*": RejectionKind.CONTENT,
    "data_inspection_failed": RejectionKind.CONTENT,
    "IPInfringementSuspect": RejectionKind.CONTENT,
    "InvalidParameter*": RejectionKind.INPUT,
    "InvalidURL*": RejectionKind.INPUT,
    # Unpaid bills: the first comes with 400, the others with 429.
    "Arrearage": FailureKind.REFUSED_US,
    "PrepaidBillOverdue": FailureKind.REFUSED_US,
    "PostpaidBillOverdue": FailureKind.REFUSED_US,
    "CommodityNotPurchased": FailureKind.REFUSED_US,
    "Throttling*": FailureKind.LIMITED,
    "InternalError.Timeout": FailureKind.TIMED_OUT,
}

# Images and videos together.
MAX_WAN_REFERENCES = 5
# The longest side of an image, divided by the shortest.
ASPECT_LIMIT = 8
# The fewest and the most pixels of a Wan image; the larger model allows more without references.
WAN_IMAGE_PX = (768**2, 2_048**2)
# Of a Qwen image: up to the 1K of its price list, the size for the catalog's prices.
QWEN_IMAGE_PX = (512**2, 2_250_000)
