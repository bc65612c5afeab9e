"""All mappings of the catalog that APIMart has, and the section of its API for each."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.media.apimart import facts, images, midjourney, music, videos

_SECTIONS: Mapping[str, Mapping[str, Mapper]] = {
    facts.IMAGES: images.MAPPINGS,
    facts.VIDEOS: videos.MAPPINGS,
    facts.MIDJOURNEY: midjourney.MAPPINGS,
    facts.MUSIC: music.MAPPINGS,
}
# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    name: mapper for known in _SECTIONS.values() for name, mapper in known.items()
}
SECTION_OF: Mapping[str, str] = {name: section for section, known in _SECTIONS.items() for name in known}
