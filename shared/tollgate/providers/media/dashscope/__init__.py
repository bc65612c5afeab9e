"""DashScope (Alibaba Model Studio): Wan videos and images, Qwen images (docs/providers/dashscope.md).

Some images are made while it answers, so its answers may take long.
"""

from tollgate.providers.runtime.declaration import MAX_ANSWER_TIMEOUT_S, Provider

PROVIDER = Provider(
    name="dashscope",
    title="DashScope (Alibaba Model Studio)",
    docs="https://www.alibabacloud.com/help/en/model-studio",
    env="DASHSCOPE_API_KEY",
    simulator="/v1",
    base_url="https://dashscope-intl.aliyuncs.com",
    text_paths=("/v1", "/compatible-mode"),
    answer_timeout_s=MAX_ANSWER_TIMEOUT_S,
)
