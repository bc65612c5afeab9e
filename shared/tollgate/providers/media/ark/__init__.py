"""ModelArk of BytePlus and Volcengine: Seedance videos and Seedream images (docs/providers/ark.md)."""

from tollgate.providers.runtime.declaration import MAX_ANSWER_TIMEOUT_S, About, Provider

PROVIDER = Provider(
    name="ark",
    about=About("ModelArk (BytePlus)", "https://docs.byteplus.com/en/docs/ModelArk"),
    names=("byteplus",),
    base_url="https://ark.ap-southeast.bytepluses.com/api/v3",
    # The response to a submit of images comes when they are done.
    answer_timeout_s=MAX_ANSWER_TIMEOUT_S,
)
