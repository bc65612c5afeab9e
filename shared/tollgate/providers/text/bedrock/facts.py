"""Bedrock's names and codes (docs/providers/bedrock.md; shapes: botocore's model `bedrock-runtime`)."""

SERVICE = "bedrock"
HOST = "bedrock-runtime.{region}.amazonaws.com"
CONVERSE, CONVERSE_STREAM = "converse", "converse-stream"
# Contains an exception's name, and optionally more after a colon.
ERROR_HEADER = "x-amzn-errortype"

# HTTP status by exception; in a stream, the names begin with a small letter.
STATUSES = {
    "ValidationException": 400,
    # The operator's quota, not the request: equivalent to a 429.
    "ServiceQuotaExceededException": 429,
    "AccessDeniedException": 403,
    # A model that the operator's account does not have there: the next request would fail too.
    "ResourceNotFoundException": 503,
    "ModelTimeoutException": 408,
    "ConflictException": 409,
    "ModelErrorException": 424,
    "ModelStreamErrorException": 424,
    "ThrottlingException": 429,
    "ModelNotReadyException": 429,
    "InternalServerException": 500,
    "ServiceUnavailableException": 503,
}

# Stop reasons that Anthropic does not have, and the nearest of Anthropic's (INFERRED).
STOPS = {
    "guardrail_intervened": "refusal",
    "content_filtered": "refusal",
    "malformed_model_output": "end_turn",
    "malformed_tool_use": "end_turn",
}

IMAGE_FORMATS = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
DOCUMENT_FORMATS = {"application/pdf": "pdf"}


def status_of(exception: str, otherwise: int = 500) -> int:
    """Return the HTTP status of an exception, by its name in a response or in a stream."""
    return STATUSES.get(f"{exception[:1].upper()}{exception[1:]}", otherwise)
