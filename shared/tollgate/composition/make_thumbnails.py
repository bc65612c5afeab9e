"""Creates the parts of `functions/make_thumbnails`."""

from dataclasses import dataclass

from tollgate.composition.parts import part
from tollgate.kit.aws import sdk
from tollgate.kit.settings import Settings
from tollgate.thumbnails.service import ThumbnailService


@dataclass(frozen=True, kw_only=True)
class MakeThumbnailsSettings(Settings):
    """Settings of `functions/make_thumbnails`."""

    draw_function: str
    media_bucket: str
    storage_url: str


@part
def thumbnail_service() -> ThumbnailService:
    """Create the parts of `functions/make_thumbnails`."""
    settings = MakeThumbnailsSettings.from_env()
    return ThumbnailService(
        sdk.s3(),
        sdk.lambda_for_thumbnails,
        settings.draw_function,
        settings.media_bucket,
        settings.storage_url,
    )
