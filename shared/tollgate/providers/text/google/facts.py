"""Google's names and codes (docs/providers/google.md#chats-with-images; types: `google.genai.types`)."""

NAME = "google"
WHOLE_PATH = "/models/{model}:generateContent"
STREAM_PATH = "/models/{model}:streamGenerateContent?alt=sse"
KEY_HEADER = "x-goog-api-key"

# The media types of images that the models read.
IMAGE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif")

# OpenAI's finish reason for each of Google's; `stop` for the others.
FINISHES = {
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        (
            *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "ESCALATION"),
            *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "MODEL_ARMOR"),
        ),
        "content_filter",
    ),
}
# A response that failed at Google. The second status is about our account there.
FAULTY_FINISHES = {
    **dict.fromkeys(("MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE"), 503),
    "PUP_LIMITED_DISABLED": 403,
}
UNSPECIFIED = "FINISH_REASON_UNSPECIFIED"
# The reason in an error with HTTP status 400, if our key is not valid.
CODE_STATUSES = {"FAILED_PRECONDITION": 403}
INVALID_KEY = b"API_KEY_INVALID"
REFUSED_PROMPT = "The provider refused the prompt."
REFUSED_IMAGE = "The provider refused to answer with this content."

# The bytes of an event of a stream, or of a whole response: about 5 MB of images. They are in the memory of
# the function several times (docs/cost.md).
MAX_ANSWER_BYTES = 7 * 1024 * 1024
