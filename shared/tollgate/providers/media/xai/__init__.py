"""xAI's images and videos (docs/providers/xai.md); its text is in `openai_compatible`."""

from tollgate.providers.runtime.declaration import MAX_ANSWER_TIMEOUT_S, About, Provider

PROVIDER = Provider(
    name="xai",
    about=About("xAI", "https://docs.x.ai"),
    base_url="https://api.x.ai/v1",
    # The response to a submit of images comes when they are done.
    answer_timeout_s=MAX_ANSWER_TIMEOUT_S,
)
