"""OpenAI's images (docs/providers/openai.md); its text is in `openai_compatible`.

An image comes in the answer itself, hence the time and the size that one may have.
"""

from tollgate.providers.runtime.declaration import MAX_ANSWER_TIMEOUT_S, MAX_INLINE_ANSWER_BYTES, Provider

PROVIDER = Provider(
    name="openai",
    title="OpenAI",
    docs="https://platform.openai.com/docs",
    env="OPENAI_API_KEY",
    simulator="/v1",
    base_url="https://api.openai.com/v1",
    answer_timeout_s=MAX_ANSWER_TIMEOUT_S,
    max_answer_bytes=MAX_INLINE_ANSWER_BYTES,
)
