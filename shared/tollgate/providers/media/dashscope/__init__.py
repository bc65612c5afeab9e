"""DashScope (Alibaba Model Studio): Wan videos and images, Qwen images (docs/providers/dashscope.md)."""

from tollgate.providers.runtime.declaration import MAX_ANSWER_TIMEOUT_S, About, Provider

PROVIDER = Provider(
    name="dashscope",
    about=About("DashScope (Alibaba Model Studio)", "https://www.alibabacloud.com/help/en/model-studio"),
    simulator="/v1",
    base_url="https://dashscope-intl.aliyuncs.com",
    text_paths=("/v1", "/compatible-mode"),
    # The response to a submit of some images comes when they are done.
    answer_timeout_s=MAX_ANSWER_TIMEOUT_S,
)
