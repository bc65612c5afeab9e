"""The profiles of the contract, by name. A profile's module is imported at its first use.

base.py     the base of every profile; `frames.py`: images with a role in a video
img_*.py    IMG-A and so on; `vid_*.py`: VID-A and so on
music*.py   Music, its actions, and `custom_model.py`: a customer's own engine
midjourney*.py   images and videos
upscale.py  larger images and videos; `cutout.py`: without a background; `talking.py`: people who speak
shape.py    3D
"""

from importlib import import_module

from tollgate.catalog.errors import CatalogError
from tollgate.catalog.profiles.base import Profile

PROFILES = {
    **{f"IMG-{letter}": (f"img_{letter.lower()}", f"Img{letter}") for letter in "ABCDEFG"},
    **{f"VID-{letter}": (f"vid_{letter.lower()}", f"Vid{letter}") for letter in "ABCDEFGHIJKLMNOP"},
    "Upscale-image": ("upscale", "UpscaleImage"),
    "Upscale-video": ("upscale", "UpscaleVideo"),
    "Cutout": ("cutout", "Cutout"),
    "Avatar": ("talking", "Avatar"),
    "Lip-sync": ("talking", "LipSync"),
    "3D": ("shape", "Shape3D"),
    "Midjourney-image": ("midjourney", "Midjourney"),
    "Midjourney-video": ("midjourney_video", "MidjourneyVideo"),
    "Music": ("music", "Music"),
    "Custom-model": ("custom_model", "CustomModel"),
}


def profile_named(name: str) -> type[Profile]:
    """Return the profile of the contract called `name`; raises `CatalogError` for one there is not."""
    if name not in PROFILES:
        raise CatalogError(f"no profile {name!r}; there are {', '.join(PROFILES)}")
    module_name, class_name = PROFILES[name]
    found: type[Profile] = getattr(import_module(f"{__name__}.{module_name}"), class_name)
    return found
