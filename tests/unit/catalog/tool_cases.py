"""The profiles of kinds beyond the contract's own, sentence by sentence (docs/contract.md#upscale-image)."""

from tests.unit.catalog.cases import URL, Case

I = {"imageUrls": [URL]}  # noqa: E741 - as short as the rest

UPSCALE_IMAGE: list[Case] = [
    ("imageUrls exactly one", I, []),
    ("imageUrls exactly one: required", {}, ["imageUrls"]),
    ("imageUrls exactly one: not two", {"imageUrls": [URL] * 2}, ["imageUrls"]),
    ("imageUrls exactly one: not none", {"imageUrls": []}, ["imageUrls"]),
    ("imageUrls: an array", {"imageUrls": URL}, ["imageUrls"]),
    ("imageUrls: a URL", {"imageUrls": ["cat.png"]}, ["imageUrls/0"]),
    ("upscaleFactor: 1", {**I, "upscaleFactor": 1}, []),
    ("upscaleFactor: 8", {**I, "upscaleFactor": 8}, []),
    ("upscaleFactor: not 3", {**I, "upscaleFactor": 3}, ["upscaleFactor"]),
    ("upscaleFactor: a number", {**I, "upscaleFactor": "2"}, ["upscaleFactor"]),
    ("no prompt", {**I, "prompt": "a cat"}, ["prompt"]),
]
