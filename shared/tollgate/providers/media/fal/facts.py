"""fal's own words (docs/providers/fal.md)."""

WAITING = frozenset({"IN_QUEUE", "IN_PROGRESS"})
# The only terminal status, also for failures: the result's own HTTP status tells which.
COMPLETED = "COMPLETED"

# Statuses of a result request that tell nothing about how the run ended.
NOT_THE_RUN = frozenset({401, 402, 403, 404, 408, 429})

CONTENT_ERRORS = frozenset({"content_policy_violation"})
# Types of the model's error shape that are the provider's fault, not the request's.
PROVIDER_ERRORS = frozenset({"generation_timeout", "downstream_service_error", "no_media_generated"})

RETRYABLE_HEADER = "x-fal-retryable"
IMAGE_SIZES = {
    "1:1": "square_hd",
    "4:3": "landscape_4_3",
    "3:4": "portrait_4_3",
    "16:9": "landscape_16_9",
    "9:16": "portrait_16_9",
}

NANO_BANANA_TIERS = {"512px": "0.5K", "1K": "1K", "2K": "2K", "4K": "4K"}
# Our resolutions of Kling, each of which has endpoints of its own.
KLING_TIERS = ("720p", "1080p", "4k")
# In the ids of Kling O3, whose first frame is called otherwise than that of Kling 3.0.
O3_PATH = "/o3/"
# After the id of a FLUX 3 video endpoint (docs/providers/fal.md).
DRAFT_PATH = "/draft"
# In the ids of MiniMax H3 Max, which wants a word about the prompt that H3 does not.
H3_MAX_PATH = "/h3-max/"
