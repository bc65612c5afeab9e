"""Vendors whose adapters are tested alike: a job for each way that they have of answering."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from local.service import PROVIDERS
from tests.unit.providers.mapping_support import A, job_of
from tests.unit.providers.support import connected
from tollgate.providers.runtime.base import Handle, Job, MediaProvider

MODELS: Mapping[str, tuple[str, str, dict[str, Any]]] = {
    "ark videos": ("ark", "seedance-2.0", {"imageUrls": [A]}),
    "ark images": ("ark", "seedream-4.0", {}),
    "dashscope videos": ("dashscope", "wan-3.0", {}),
    "dashscope images": ("dashscope", "wan-2.7-image", {}),
    "dashscope images at once": ("dashscope", "qwen-image-3", {}),
    "minimax": ("minimax", "minimax-h3", {}),
    "pixverse": ("pixverse", "pixverse-v6", {"imageUrls": [A]}),
}
MJ_PLACES = {"relax": "mj-relax/mj", "fast": "mj-fast/mj", "turbo": "mj-turbo/mj"}
BY_HAND: Mapping[str, tuple[str, Job]] = {
    "minimax hailuo": (
        "minimax",
        Job("task_1", "hailuo", {"default": "MiniMax-Hailuo-2.3"}, {"duration": 6, "resolution": "768p"}),
    ),
    "mjproxy images": (
        "mjproxy",
        Job("task_1", "midjourney", MJ_PLACES, {"action": "imagine", "speed": "relax"}),
    ),
    "mjproxy videos": (
        "mjproxy",
        Job("task_1", "midjourney-video", {"video": "mj-fast/mj"}, {"imageUrls": [A], "motion": "high"}),
    ),
}
"""Ways that no model of the shipped catalog goes: an operator can push one that does."""
WAYS = (*MODELS, *BY_HAND)
HANDLES: Mapping[str, Handle] = {
    **{way: {"task_id": "t-1", "video_id": 7} for way in WAYS},
    "minimax hailuo": {"task_id": "t-1", "version": 1},
}
AT_ONCE = ("ark images", "dashscope images at once")
"""What answers a submit with the result itself."""


def provider_of(way: str) -> str:
    """Return the provider's name."""
    return (MODELS[way] if way in MODELS else BY_HAND[way])[0]


def vendor_job(way: str, prompt: str = "a fox") -> Job:
    """Return a job for a vendor's way of answering."""
    if way in BY_HAND:
        _, job = BY_HAND[way]
        return replace(job, values={"prompt": prompt, **job.values})
    provider, model, more = MODELS[way]
    return job_of(provider, model, {"prompt": prompt, **more})


@cache
def vendor(way: str, base_url: str) -> MediaProvider:
    """Return the adapter for a way, at an API that is told what to answer."""
    provider = provider_of(way)
    return connected(provider, base_url)


def simulated(way: str, simulator_url: str) -> MediaProvider:
    """Return the adapter for a way, at the simulator."""
    provider = provider_of(way)
    return vendor(way, simulator_url + PROVIDERS[provider].simulator_path)
