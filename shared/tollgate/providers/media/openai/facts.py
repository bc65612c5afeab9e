"""OpenAI's names and codes for images (docs/providers/openai.md).

Edits by URL: `EditImageBodyJsonParam` of OpenAI's published OpenAPI document. `billing_hard_limit_reached`
and `billing_not_active`: OpenAI's guide to its error codes.
"""

from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

GENERATE_PATH = "/images/generations"
EDIT_PATH = "/images/edits"

# Values of `error.code`, which is more exact than the status.
CODES: Codes = {
    "moderation_blocked": RejectionKind.CONTENT,
    "content_policy_violation": RejectionKind.CONTENT,
    # Problems of the operator's account; they come with 429 and with 400.
    "insufficient_quota": FailureKind.REFUSED_US,
    "billing_hard_limit_reached": FailureKind.REFUSED_US,
    "billing_not_active": FailureKind.REFUSED_US,
}
