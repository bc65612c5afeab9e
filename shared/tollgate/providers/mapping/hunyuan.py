"""Hunyuan 3D at all providers, which have the same fields except the image's. Pure.

Sources: fal's type definitions and PoYo's machine-readable catalogue (docs/providers/).
"""

from tollgate.providers.mapping.fields import Family, FieldTarget, Mapper, Values
from tollgate.providers.mapping.targets import ignored
from tollgate.providers.runtime.base import Job, Mapped


def _variant(values: Values) -> str:
    return f"{values['quality']}-{'image' if values.get('imageUrls') else 'text'}"


def hunyuan_3d(image: FieldTarget) -> Mapper:
    """Return the mapper of a provider; `image` is its target of the image."""
    family = Family(
        {
            "prompt": "prompt",
            "imageUrls": image,
            # Part of the id.
            "quality": ignored,
            "texture": ignored,
            "pbr": "enable_pbr",
        },
        _variant,
    )

    def mapper(job: Job) -> Mapped:
        mapped = family(job)
        if job.values["texture"]:
            return mapped
        # Each quality has its own field for a shape without a texture.
        is_pro = job.values["quality"] == "pro"
        bare = {"generate_type": "Geometry"} if is_pro else {"enable_geometry": True}
        return Mapped(mapped.upstream, mapped.body | bare)

    return mapper
