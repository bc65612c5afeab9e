"""Videos on ModelArk: Seedance (docs/providers/ark.md)."""

from collections.abc import Mapping

from tollgate.providers.mapping.content import CONTENT, content
from tollgate.providers.mapping.fields import Family, FieldMap, Mapper
from tollgate.providers.mapping.frames import by_order, frames_or_references
from tollgate.providers.mapping.targets import ignored, translated
from tollgate.providers.media.ark import facts
from tollgate.providers.runtime.base import Job, Mapped

_SEEDANCE: FieldMap = {
    **CONTENT,
    "size": "ratio",
    "resolution": "resolution",
    "duration": "duration",
    "generateAudio": "generate_audio",
    "seed": "seed",
}
_FAMILIES: Mapping[str, Family] = {
    "seedance-1.5-pro": Family({**_SEEDANCE, "cameraFixed": "camera_fixed"}, prepare=by_order),
    "seedance-2": Family(
        {
            **_SEEDANCE,
            # ModelArk always checks.
            "nsfwCheck": ignored,
            "returnLastFrame": "return_last_frame",
            "tools": "tools",
            "watermark": "watermark",
            "outputFormat": "output_format",
            "omniReferenceTaskType": translated("omni_reference_task_type", facts.TASK_TYPES),
        },
        prepare=frames_or_references,
    ),
}


def _mapper(family: Family) -> Mapper:
    def mapped(job: Job) -> Mapped:
        said = family(job)
        return Mapped(said.upstream, content(said.body))

    return mapped


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {name: _mapper(family) for name, family in _FAMILIES.items()}
