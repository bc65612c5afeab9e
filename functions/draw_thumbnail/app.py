"""Trigger: `make_thumbnails` calls it with `{url}`, once a result is stored.

Decodes the file and answers a small WebP of it, or why there is none.
Never connects to an address that is not public, and may do nothing in AWS: what it decodes was not made here.
"""

from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.kit.observability import logger
from tollgate.kit.outbound import Outbound
from tollgate.kit.settings import Settings
from tollgate.probing.facts import ProbeError
from tollgate.thumbnails.drawer import Drawer
from tollgate.thumbnails.drawn import AGAIN


# As in probe_media: tollgate.composition imports the SDK, which this function's layers do not have.
@cache
def drawer() -> Drawer:
    """Join the parts of this function."""
    return Drawer(Outbound.for_media(Settings.from_env()))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Draw one thumbnail."""
    try:
        found = drawer().draw(event["url"]).body()
    # An answer and no fault: nothing is wrong here, and whoever asked asks again.
    except ProbeError as exc:
        found = {AGAIN: exc.code}
    logger.info("draw_thumbnail.done", none=found.get("none"), again=found.get(AGAIN))
    return found
