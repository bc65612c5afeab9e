"""Trigger: `make_thumbnails` calls it with `{url}` after a result is stored.

Decodes the file and returns a small WebP image of it, or the reason why there is none. Never connects to a
private address, and has no permissions in AWS, because it decodes files from third parties.
"""

from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.kit.http.outbound import Outbound
from tollgate.kit.observability import logger
from tollgate.kit.settings import Settings
from tollgate.probing.facts import ProbeError
from tollgate.thumbnails.generator import ThumbnailGenerator
from tollgate.thumbnails.response import RETRY_REASON


# Not in tollgate.composition, because that imports the SDK, which this function's layers lack (see
# probe_media).
@cache
def generator() -> ThumbnailGenerator:
    """Join the parts of this function."""
    return ThumbnailGenerator(Outbound.for_media(Settings.from_env()))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Draw one thumbnail."""
    try:
        found = generator().generate(event["url"]).body()
    # A response, not an error: the caller repeats the call.
    except ProbeError as exc:
        found = {RETRY_REASON: exc.code}
    logger.info("draw_thumbnail.done", none=found.get("none"), again=found.get(RETRY_REASON))
    return found
