"""Videos on MiniMax: H3, and Hailuo at the API's first version (docs/providers/minimax.md)."""

from collections.abc import Mapping

from tollgate.providers.mapping.content import CONTENT, content
from tollgate.providers.mapping.fields import Body, Family, Mapper, Values
from tollgate.providers.mapping.frames import by_order, shaped_by_its_image
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.targets import accept_only, at_most, one_of, translated, upper
from tollgate.providers.media.minimax import facts
from tollgate.providers.runtime.base import Job, Mapped

_H3 = Family(
    {
        **CONTENT,
        "prompt": at_most("text", facts.PROMPT_CHARS),
        "aspectRatio": "ratio",
        "resolution": upper("resolution"),
        "duration": "duration",
    }
)


def _frames(values: Values) -> Values:
    return by_order(shaped_by_its_image(values))


_HAILUO = Family(
    {
        "prompt": at_most("prompt", facts.HAILUO_PROMPT_CHARS),
        "firstFrame": "first_frame_image",
        "lastFrame": "last_frame_image",
        "duration": one_of("duration", *facts.HAILUO_SECONDS),
        "resolution": translated("resolution", facts.HAILUO_RESOLUTIONS),
        "aspectRatio": accept_only("16:9"),
        "generateAudio": accept_only(False),
    },
    # The customer's prompt is kept, because the contract has no field to change it.
    fixed={"prompt_optimizer": False},
    prepare=_frames,
)


def _h3(job: Job) -> Mapped:
    said = _H3(job)
    # The customer's prompt is kept.
    told: Body = {"extra": {"prompt_expansion_mode": "disabled"}} if said.upstream == facts.H3_MAX else {}
    return Mapped(said.upstream, content(said.body) | told)


def _hailuo(job: Job) -> Mapped:
    said = _HAILUO(job)
    for reason, is_so in _impossible(said).items():
        if is_so:
            raise CannotMapError(reason)
    return said


def _impossible(said: Mapped) -> Mapping[str, bool]:
    """Return combinations that Hailuo does not support, and whether the job has them."""
    resolution, is_02 = said.body.get("resolution"), said.upstream == facts.HAILUO_02
    has_first, has_last = "first_frame_image" in said.body, "last_frame_image" in said.body
    is_long = said.body.get("duration") == max(facts.HAILUO_SECONDS)
    is_low = resolution == facts.HAILUO_LOW
    return {
        "the highest resolution for the longer time": is_long and resolution == facts.HAILUO_HIGH,
        "the lowest resolution but from one image, of Hailuo 02": is_low
        and (has_last or not has_first or not is_02),
        "a last frame without a first one": has_last and not has_first,
        "a last frame but of Hailuo 02": has_last and not is_02,
        "the fast model without an image": said.upstream == facts.HAILUO_FAST and not has_first,
    }


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {"minimax-h3": _h3, facts.HAILUO: _hailuo}
