"""xAI's images and videos (docs/providers/xai.md); its text is in `openai_compatible`.

An image is made while it answers, so its answers may take long.
"""

from tollgate.providers.runtime.declaration import MAX_ANSWER_TIMEOUT_S, Provider

PROVIDER = Provider(
    name="xai",
    title="xAI",
    docs="https://docs.x.ai",
    env="XAI_API_KEY",
    simulator="/v1",
    base_url="https://api.x.ai/v1",
    answer_timeout_s=MAX_ANSWER_TIMEOUT_S,
)
