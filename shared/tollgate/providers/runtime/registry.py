"""The providers there are, and how each is made from its credentials. The one list of names."""

from collections.abc import Callable, Mapping

from tollgate.providers.media.apimart import client as apimart
from tollgate.providers.media.apimart.media import ApimartMedia
from tollgate.providers.media.ark import client as ark
from tollgate.providers.media.ark.media import ArkMedia
from tollgate.providers.media.bfl import client as bfl
from tollgate.providers.media.bfl.media import BflMedia
from tollgate.providers.media.dashscope import client as dashscope
from tollgate.providers.media.dashscope.media import DashScopeMedia
from tollgate.providers.media.fal import client as fal
from tollgate.providers.media.fal.media import FalMedia
from tollgate.providers.media.google import client as google
from tollgate.providers.media.google.media import GoogleMedia
from tollgate.providers.media.kie import client as kie
from tollgate.providers.media.kie.media import KieMedia
from tollgate.providers.media.kling import client as kling
from tollgate.providers.media.kling.media import KlingMedia
from tollgate.providers.media.minimax import client as minimax
from tollgate.providers.media.minimax.media import MiniMaxMedia
from tollgate.providers.media.mjproxy import client as mjproxy
from tollgate.providers.media.mjproxy.media import MjProxyMedia
from tollgate.providers.media.muapi import client as muapi
from tollgate.providers.media.muapi.media import MuapiMedia
from tollgate.providers.media.openai import client as openai
from tollgate.providers.media.openai.media import OpenAiMedia
from tollgate.providers.media.piapi import client as piapi
from tollgate.providers.media.piapi.media import PiapiMedia
from tollgate.providers.media.pixverse import client as pixverse
from tollgate.providers.media.pixverse.media import PixVerseMedia
from tollgate.providers.media.poyo import client as poyo
from tollgate.providers.media.poyo.media import PoyoMedia
from tollgate.providers.media.replicate import client as replicate
from tollgate.providers.media.replicate.media import ReplicateMedia
from tollgate.providers.media.xai import client as xai
from tollgate.providers.media.xai.media import XaiMedia
from tollgate.providers.runtime.base import MediaProvider
from tollgate.providers.runtime.http import ProviderHttp
from tollgate.providers.runtime.mappings import mappings

__all__ = ["MAKERS", "SELF_HOSTED", "Maker", "make_providers", "mappings"]

Maker = Callable[[str, str | None], MediaProvider]
"""Makes a provider from its key and, where it is not the provider's own, a base URL."""


def _made(media: Callable[[ProviderHttp], MediaProvider], client: Callable[..., ProviderHttp]) -> Maker:
    return lambda key, base_url: media(client(key, base_url) if base_url else client(key))


MAKERS: Mapping[str, Maker] = {
    "fal": _made(FalMedia, fal.client),
    "poyo": _made(PoyoMedia, poyo.client),
    "kie": _made(KieMedia, kie.client),
    "apimart": _made(ApimartMedia, apimart.client),
    "piapi": _made(PiapiMedia, piapi.client),
    "ark": _made(ArkMedia, ark.client),
    "dashscope": _made(DashScopeMedia, dashscope.client),
    "minimax": _made(MiniMaxMedia, minimax.client),
    "pixverse": _made(PixVerseMedia, pixverse.client),
    "openai": _made(OpenAiMedia, openai.client),
    "google": _made(GoogleMedia, google.client),
    "xai": _made(XaiMedia, xai.client),
    "replicate": _made(ReplicateMedia, replicate.client),
    "bfl": _made(BflMedia, bfl.client),
    "muapi": _made(MuapiMedia, muapi.client),
    "kling": _made(KlingMedia, kling.client),
    "mjproxy": _made(MjProxyMedia, mjproxy.client),
}
SELF_HOSTED = frozenset({"mjproxy"})
"""Those without a public address: they are there only where their credentials name one."""


def make_providers(
    keys: Mapping[str, str], base_urls: Mapping[str, str] | None = None
) -> dict[str, MediaProvider]:
    """Return the providers that have a key and an address.

    `base_urls` points some elsewhere (the simulator), and tells where the self-hosted ones are.
    """
    elsewhere = base_urls or {}
    there = (MAKERS.keys() - SELF_HOSTED) | elsewhere.keys()
    return {
        name: make(keys[name], elsewhere.get(name))
        for name, make in MAKERS.items()
        if keys.get(name) and name in there
    }
