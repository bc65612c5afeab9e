"""The custom-model object of the contract: tracks for training a customer's own music engine."""

from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Many, Text
from tollgate.catalog.media import MediaRule
from tollgate.catalog.profiles.base import AudioUrl, Profile, field


class CustomModel(Profile):
    """`name` and 6–24 tracks, MP3, WAV or M4A (docs/contract.md#music)."""

    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule("audioUrls", "audio", containers=("mp3", "wav", "m4a")),
    )

    name: Annotated[str, Text(100)] = field("Name", "Name of the engine.", required=True)
    audioUrls: Annotated[list[AudioUrl], Many(6, 24)] = field(
        "Tracks", "6 to 24 tracks: MP3, WAV or M4A.", required=True
    )
