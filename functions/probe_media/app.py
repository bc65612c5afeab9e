"""Trigger: `api` calls it with `{url}`, before it charges for a request with media.

Reads the header of the file and answers what it is, or why that cannot be told.
Never reads a whole file, never connects to an address that is not public, and may do nothing in AWS: what it
parses was made by strangers.
"""

from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.kit.observability import logger
from tollgate.kit.outbound import Outbound
from tollgate.kit.settings import Settings
from tollgate.probing.reader import MediaReader


# Not in tollgate.composition: that imports boto3 and the catalog, most of what this would cost to start.
@cache
def reader() -> MediaReader:
    """Join the parts of this function."""
    return MediaReader(Outbound.for_media(Settings.from_env()))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Probe one URL."""
    found = reader().probe(event["url"]).body()
    # Not the URL: it may carry a signature.
    logger.info("probe_media.done", container=found.get("container"), error=found.get("error"))
    return found
