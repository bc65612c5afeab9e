"""ModelArk of BytePlus and Volcengine: Seedance videos and Seedream images (docs/providers/ark.md).

Its images are made while it answers, so its answers may take long.
"""

from tollgate.providers.runtime.declaration import MAX_ANSWER_TIMEOUT_S, Provider

PROVIDER = Provider(
    name="ark",
    title="ModelArk (BytePlus)",
    docs="https://docs.byteplus.com/en/docs/ModelArk",
    env="ARK_API_KEY",
    simulator="/api/v3",
    base_url="https://ark.ap-southeast.bytepluses.com/api/v3",
    answer_timeout_s=MAX_ANSWER_TIMEOUT_S,
)
