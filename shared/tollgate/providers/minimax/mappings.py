"""Videos on MiniMax: all mappings of the catalog that it has (providers.md §8)."""

from collections.abc import Mapping

from tollgate.providers.base import Job, Mapped
from tollgate.providers.content import CONTENT, content
from tollgate.providers.fields import Body, Family, Mapper, at_most, upper
from tollgate.providers.minimax import facts

_H3 = Family(
    {
        **CONTENT,
        "prompt": at_most("text", facts.PROMPT_CHARS),
        "aspectRatio": "ratio",
        "resolution": upper("resolution"),
        "duration": "duration",
    }
)


def _h3(job: Job) -> Mapped:
    said = _H3(job)
    # The customer's own words are kept.
    told: Body = {"extra": {"prompt_expansion_mode": "disabled"}} if said.upstream == facts.H3_MAX else {}
    return Mapped(said.upstream, content(said.body) | told)


MAPPINGS: Mapping[str, Mapper] = {"minimax-h3": _h3}
"""How each is said, by the name that the catalog's routes have."""
