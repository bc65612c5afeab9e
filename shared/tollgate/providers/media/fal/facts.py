"""fal's names and codes (docs/providers/fal.md)."""

WAITING = frozenset({"IN_QUEUE", "IN_PROGRESS"})
# The only terminal status, also for failures: the result's HTTP status shows which one it is.
COMPLETED = "COMPLETED"

# Statuses of a result request that do not show how the run ended.
NOT_THE_RUN = frozenset({401, 402, 403, 404, 408, 429})

CONTENT_ERRORS = frozenset({"content_policy_violation"})
# Error types of the model that are the provider's fault, not the request's.
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
# The resolutions of Kling in the contract; each has its own endpoints.
KLING_TIERS = ("720p", "1080p", "4k")
# In the ids of Kling O3, whose first frame has another name than in Kling 3.0.
O3_PATH = "/o3/"
# The end of the id of a FLUX 3 video endpoint for drafts (docs/providers/fal.md).
DRAFT_PATH = "/draft"
# In the ids of MiniMax H3 Max, which requires a prompt setting that H3 does not have.
H3_MAX_PATH = "/h3-max/"
GROK_15_IMAGE_PATH = "/v1.5/image-to-video"
