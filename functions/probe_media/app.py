"""Trigger: `api` calls it with `{url}` before it charges for a request with media, and `text` with
`{url, isRecording}` before it holds money for a transcription.

Reads the header of the file and returns its properties, or the reason why they are unknown. Never reads a
whole file, never connects to a private address, and has no permissions in AWS, because it parses files from
third parties.
"""

from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.kit.http.outbound import Outbound
from tollgate.kit.observability import logger
from tollgate.kit.settings import Settings
from tollgate.probing.reader import MediaReader


# Not in tollgate.composition, because its imports of boto3 and the catalog would be most of the cold start.
@cache
def reader() -> MediaReader:
    """Join the parts of this function."""
    return MediaReader(Outbound.for_media(Settings.from_env()))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Probe one URL."""
    found = reader().probe(event["url"], is_recording=event.get("isRecording") is True).body()
    # Without the URL, because it may contain a signature.
    logger.info("probe_media.done", container=found.get("container"), error=found.get("error"))
    return found
