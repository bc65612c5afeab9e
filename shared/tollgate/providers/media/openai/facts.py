"""OpenAI's own words for images (docs/providers/openai.md).

Edits by URL: `EditImageBodyJsonParam` of OpenAI's published OpenAPI document. `billing_hard_limit_reached`
and `billing_not_active`: OpenAI's guide to its error codes.
"""

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

GENERATE_PATH = "/images/generations"
EDIT_PATH = "/images/edits"

# `error.code`, which tells more than the status.
CODES: Codes = {
    "moderation_blocked": RejectionKind.CONTENT,
    "content_policy_violation": RejectionKind.CONTENT,
    # Our account's trouble, whatever the status: these come as 429 and as 400.
    "insufficient_quota": FailureKind.REFUSED_US,
    "billing_hard_limit_reached": FailureKind.REFUSED_US,
    "billing_not_active": FailureKind.REFUSED_US,
}
