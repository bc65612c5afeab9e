"""Google's images and videos on the Gemini API (docs/providers/google.md).

An image comes in the answer itself, hence the time and the size that one may have.
"""

from tollgate.providers.runtime.declaration import (
    MAX_ANSWER_TIMEOUT_S,
    MAX_INLINE_ANSWER_BYTES,
    Auth,
    Provider,
)

PROVIDER = Provider(
    name="google",
    title="Google (Gemini API)",
    docs="https://ai.google.dev/api",
    env="GEMINI_API_KEY",
    simulator="/v1",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    text_paths=("/openai",),
    auth=Auth("x-goog-api-key", scheme=""),
    # Of the Interactions API; the other surfaces do not look at it.
    headers={"api-revision": "2026-05-20"},
    answer_timeout_s=MAX_ANSWER_TIMEOUT_S,
    max_answer_bytes=MAX_INLINE_ANSWER_BYTES,
)
