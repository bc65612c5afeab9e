"""OpenAI's images (docs/providers/openai.md); its text is in `openai_compatible`."""

from tollgate.providers.runtime.declaration import (
    MAX_ANSWER_TIMEOUT_S,
    MAX_INLINE_ANSWER_BYTES,
    About,
    Provider,
)

PROVIDER = Provider(
    name="openai",
    about=About("OpenAI", "https://platform.openai.com/docs"),
    base_url="https://api.openai.com/v1",
    # The response to a submit comes when the image is done, and contains it.
    answer_timeout_s=MAX_ANSWER_TIMEOUT_S,
    max_answer_bytes=MAX_INLINE_ANSWER_BYTES,
)
