"""Creates the parts of `functions/visit_service`."""

import time
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from tollgate.composition.parts import part
from tollgate.kit.aws import sdk
from tollgate.kit.settings import Settings
from tollgate.visits.visitor import VisitError, Visitor


@dataclass(frozen=True, kw_only=True)
class VisitSettings(Settings):
    """Settings of `functions/visit_service`: the address, and the name of the parameter with the key."""

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
