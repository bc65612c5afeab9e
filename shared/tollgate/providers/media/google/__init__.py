"""Google's images and videos on the Gemini API (docs/providers/google.md)."""

from tollgate.providers.runtime.declaration import (
    MAX_ANSWER_TIMEOUT_S,
    MAX_INLINE_ANSWER_BYTES,
    About,
    Auth,
    Provider,
)

PROVIDER = Provider(
    name="google",
    about=About("Google (Gemini API)", "https://ai.google.dev/api"),
    env="GEMINI_API_KEY",
    simulator="/v1",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    text_paths=("/openai",),
    auth=Auth("x-goog-api-key", scheme=""),
    # For the Interactions API; the other APIs ignore it.
    headers={"api-revision": "2026-05-20"},
    # The response to a submit comes when the image is done, and contains it.
    answer_timeout_s=MAX_ANSWER_TIMEOUT_S,
    max_answer_bytes=MAX_INLINE_ANSWER_BYTES,
)
