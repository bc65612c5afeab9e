"""The providers there are, and how each is made from its credentials. The one list of names."""

from collections.abc import Callable, Mapping

from tollgate.providers.base import MediaProvider
from tollgate.providers.fal import client as fal
from tollgate.providers.fal.media import FalMedia
from tollgate.providers.kie import client as kie
from tollgate.providers.kie.media import KieMedia
from tollgate.providers.mappings import mappings
from tollgate.providers.poyo import client as poyo
from tollgate.providers.poyo.media import PoyoMedia

__all__ = ["MAKERS", "Maker", "make_providers", "mappings"]

Maker = Callable[[str, str | None], MediaProvider]
"""Makes a provider from its key and, where it is not the provider's own, a base URL."""


def _fal(key: str, base_url: str | None) -> MediaProvider:
    return FalMedia(fal.client(key, base_url) if base_url else fal.client(key))


def _poyo(key: str, base_url: str | None) -> MediaProvider:
    return PoyoMedia(poyo.client(key, base_url) if base_url else poyo.client(key))


def _kie(key: str, base_url: str | None) -> MediaProvider:
    return KieMedia(kie.client(key, base_url) if base_url else kie.client(key))


MAKERS: Mapping[str, Maker] = {"fal": _fal, "poyo": _poyo, "kie": _kie}


def make_providers(
    keys: Mapping[str, str], base_urls: Mapping[str, str] | None = None
) -> dict[str, MediaProvider]:
    """Give the providers that have a key. `base_urls` points some elsewhere (the simulator)."""
    elsewhere = base_urls or {}
    return {name: make(keys[name], elsewhere.get(name)) for name, make in MAKERS.items() if keys.get(name)}
