"""Creates the parts of `functions/visit_service`."""

import time
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from tollgate.composition.database import database
from tollgate.composition.parts import clock, part
from tollgate.kit.aws import sdk
from tollgate.kit.settings import Settings
from tollgate.status.repository import StatusRepository
from tollgate.status.service import VisitRecorder
from tollgate.visits.visitor import VisitError, Visitor


@dataclass(frozen=True, kw_only=True)
class VisitSettings(Settings):
    """Settings of `functions/visit_service`: the address, and the name of the parameter with the key."""

    usage_table: str
    public_url: str
    visitor_parameter: str


@part
def visitor() -> Visitor:
    """Create the parts of `functions/visit_service`. Each visit reads the key again."""
    settings = VisitSettings.from_env()

    def read_key() -> str:
        try:
            found = sdk.ssm().get_parameter(Name=settings.visitor_parameter, WithDecryption=True)
        except ClientError as exc:
            raise VisitError(f"the key cannot be read: {exc.response['Error']['Code']}") from exc
        except BotoCoreError as exc:
            raise VisitError(f"the key cannot be read: {type(exc).__name__}") from exc
        return found["Parameter"]["Value"]

    return Visitor(settings.public_url, read_key, time.sleep)


@part
def visit_recorder() -> VisitRecorder:
    """Create the part that records visits for the status page."""
    return VisitRecorder(StatusRepository(database(), VisitSettings.from_env().usage_table), clock())
