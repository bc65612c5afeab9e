"""VID-I of the contract: videos from text or keyframes, drafts, continuations of a video."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Whole
from tollgate.catalog.media import MediaRule
from tollgate.catalog.profiles.base import Bool, ImageUrl, Profile, Prompt, VideoUrl, field
from tollgate.catalog.rules import CheckedInput, Rule, at, not_together, rule
from tollgate.kit.problems import Problem


@rule(
    "draft",
    "resolution",
    schema={
        "if": {"required": ["draft"], "properties": {"draft": {"const": True}}},
        "then": {"properties": {"resolution": {"const": "720p"}}},
    },
)
def a_draft_is_small(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "draft mode 720p only" (docs/contract.md#vid-i)."""
    if checked.values["draft"] and checked.values["resolution"] != "720p":
        yield Problem(at("resolution"), "A draft must be 720p.", ["720p"])


class VidI(Profile):
    """5–20 s, eight shapes, up to ten keyframes or one video to continue (docs/contract.md#vid-i)."""

    rules: ClassVar[tuple[Rule, ...]] = (a_draft_is_small, not_together("videoUrl", "imageUrls"))
    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule("videoUrl", "video", containers=("mp4",), is_source=True),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution", "draft": "draft"}
    source_videos: ClassVar[tuple[str, ...]] = ("videoUrl",)

    prompt: Prompt = field("Prompt", "A description of the video.", required=True)
    resolution: Annotated[str, Choice(("720p", "1080p"))] = field(
        "Resolution", "The price per second depends on the resolution. A draft is 720p.", "720p"
    )
    duration: Annotated[int, Whole(5, 20)] = field("Duration", "Length in seconds.", 5)
    aspectRatio: Annotated[str, Choice(("auto", "21:9", "2:1", "16:9", "4:3", "1:1", "3:4", "9:16"))] = field(
        "Aspect ratio", "Ratio of width to height.", "auto"
    )
    imageUrls: Annotated[list[ImageUrl], Many(1, 10)] = field(
        "Keyframes", "1 to 10 images in the order of their appearance. Not with videoUrl."
    )
    videoUrl: VideoUrl = field("Video to continue", "An MP4 file. Not with imageUrls.")
    draft: Bool = field("Draft", "A faster and cheaper preview, only in 720p.", default=False)
    safetyTolerance: Annotated[int, Whole(0, 4)] = field(
        "Safety tolerance", "0 is the strictest check of the content.", 2
    )
