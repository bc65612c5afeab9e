"""The providers there are, and how each is made from its credentials. The one list of names."""

from collections.abc import Callable, Mapping

from tollgate.providers.apimart import client as apimart
from tollgate.providers.apimart.media import ApimartMedia
from tollgate.providers.ark import client as ark
from tollgate.providers.ark.media import ArkMedia
from tollgate.providers.base import MediaProvider
from tollgate.providers.bfl import client as bfl
from tollgate.providers.bfl.media import BflMedia
from tollgate.providers.dashscope import client as dashscope
from tollgate.providers.dashscope.media import DashScopeMedia
from tollgate.providers.fal import client as fal
from tollgate.providers.fal.media import FalMedia
from tollgate.providers.google import client as google
from tollgate.providers.google.media import GoogleMedia
from tollgate.providers.http import ProviderHttp
from tollgate.providers.kie import client as kie
from tollgate.providers.kie.media import KieMedia
from tollgate.providers.kling import client as kling
from tollgate.providers.kling.media import KlingMedia
from tollgate.providers.mappings import mappings
from tollgate.providers.minimax import client as minimax
from tollgate.providers.minimax.media import MiniMaxMedia
from tollgate.providers.mjproxy import client as mjproxy
from tollgate.providers.mjproxy.media import MjProxyMedia
from tollgate.providers.muapi import client as muapi
from tollgate.providers.muapi.media import MuapiMedia
from tollgate.providers.openai import client as openai
from tollgate.providers.openai.media import OpenAiMedia
from tollgate.providers.piapi import client as piapi
from tollgate.providers.piapi.media import PiapiMedia
from tollgate.providers.pixverse import client as pixverse
from tollgate.providers.pixverse.media import PixVerseMedia
from tollgate.providers.poyo import client as poyo
from tollgate.providers.poyo.media import PoyoMedia
from tollgate.providers.replicate import client as replicate
from tollgate.providers.replicate.media import ReplicateMedia
from tollgate.providers.xai import client as xai
from tollgate.providers.xai.media import XaiMedia

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
    """Give the providers that have a key and an address.

    `base_urls` points some elsewhere (the simulator), and tells where the self-hosted ones are.
    """
    elsewhere = base_urls or {}
    there = (MAKERS.keys() - SELF_HOSTED) | elsewhere.keys()
    return {
        name: make(keys[name], elsewhere.get(name))
        for name, make in MAKERS.items()
        if keys.get(name) and name in there
    }
