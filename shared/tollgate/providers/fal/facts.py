"""fal's own words (providers.md §1)."""

BASE_URL = "https://queue.fal.run"

WAITING = frozenset({"IN_QUEUE", "IN_PROGRESS"})
COMPLETED = "COMPLETED"
"""The only terminal status, also for failures: the result's own HTTP status tells which."""

NOT_THE_RUN = frozenset({401, 402, 403, 404, 408, 429})
"""Statuses of a result request that tell nothing about how the run ended."""

CONTENT_ERRORS = frozenset({"content_policy_violation"})
PROVIDER_ERRORS = frozenset({"generation_timeout", "downstream_service_error"})
"""Types of the model's error shape that are the provider's fault, not the request's."""

RETRYABLE_HEADER = "x-fal-retryable"
IMAGE_SIZES = {
    "1:1": "square_hd",
    "4:3": "landscape_4_3",
    "3:4": "portrait_4_3",
    "16:9": "landscape_16_9",
    "9:16": "portrait_16_9",
}
