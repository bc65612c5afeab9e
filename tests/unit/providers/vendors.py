"""Vendors whose adapters are tested alike: a job for each way that they have of answering."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from local.service import PROVIDERS
from tests.unit.providers.mapping_support import A, job_of
from tests.unit.providers.support import KEY
from tollgate.providers.base import Job, MediaProvider
from tollgate.providers.registry import make_providers

MODELS: Mapping[str, tuple[str, str, dict[str, Any]]] = {
    "ark videos": ("ark", "seedance-2.0", {"imageUrls": [A]}),
    "ark images": ("ark", "seedream-4.0", {}),
    "dashscope videos": ("dashscope", "wan-3.0", {}),
    "dashscope images": ("dashscope", "wan-2.7-image", {}),
    "dashscope images at once": ("dashscope", "qwen-image-3", {}),
    "minimax": ("minimax", "minimax-h3", {}),
    "pixverse": ("pixverse", "pixverse-v6", {"imageUrls": [A]}),
}
AT_ONCE = ("ark images", "dashscope images at once")
"""What answers a submit with the result itself."""


def vendor_job(way: str, prompt: str = "a fox") -> Job:
    """Give a job for a vendor's way of answering."""
    provider, model, more = MODELS[way]
    return job_of(provider, model, {"prompt": prompt, **more})


@cache
def vendor(way: str, base_url: str) -> MediaProvider:
    """Give the adapter for a way, at an API that is told what to answer."""
    provider = MODELS[way][0]
    return make_providers({provider: KEY}, {provider: base_url})[provider]


def simulated(way: str, simulator_url: str) -> MediaProvider:
    """Give the adapter for a way, at the simulator."""
    provider = MODELS[way][0]
    return vendor(way, simulator_url + PROVIDERS[provider][1])
