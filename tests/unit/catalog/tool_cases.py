"""The profiles of kinds beyond the contract's own, sentence by sentence (docs/contract.md#upscale-image)."""

from tests.unit.catalog.cases import URL, VIDEO, Case

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

V = {"videoUrls": [VIDEO]}
S = {"audioUrls": ["https://media.example/cat.mp3"]}
P = {"prompt": "a cat"}

UPSCALE_VIDEO: list[Case] = [
    ("videoUrls exactly one", V, []),
    ("videoUrls exactly one: required", {}, ["videoUrls"]),
    ("videoUrls exactly one: not two", {"videoUrls": [VIDEO] * 2}, ["videoUrls"]),
    ("videoUrls: a URL", {"videoUrls": ["cat.mp4"]}, ["videoUrls/0"]),
    ("resolution: 1080p", {**V, "resolution": "1080p"}, []),
    ("resolution: 2k", {**V, "resolution": "2k"}, []),
    ("resolution: 4k", {**V, "resolution": "4k"}, []),
    ("resolution: not 720p", {**V, "resolution": "720p"}, ["resolution"]),
    ("no duration, because it is the video's", {**V, "duration": 5}, ["duration"]),
    ("no prompt", {**V, **P}, ["prompt"]),
]

CUTOUT: list[Case] = [
    ("imageUrls exactly one", I, []),
    ("imageUrls exactly one: required", {}, ["imageUrls"]),
    ("imageUrls exactly one: not two", {"imageUrls": [URL] * 2}, ["imageUrls"]),
    ("imageUrls exactly one: not none", {"imageUrls": []}, ["imageUrls"]),
    ("imageUrls: an array", {"imageUrls": URL}, ["imageUrls"]),
    ("imageUrls: texts", {"imageUrls": [1]}, ["imageUrls/0"]),
    ("imageUrls: a URL", {"imageUrls": ["cat.png"]}, ["imageUrls/0"]),
    ("imageUrls: not null", {"imageUrls": None}, ["imageUrls"]),
    ("no prompt", {**I, **P}, ["prompt"]),
    ("no other field", {**I, "size": "1:1"}, ["size"]),
]

AVATAR: list[Case] = [
    ("an image and a sound", {**I, **S}, []),
    ("imageUrls: required", S, ["imageUrls"]),
    ("audioUrls: required", I, ["audioUrls"]),
    ("imageUrls exactly one: not two", {"imageUrls": [URL] * 2, **S}, ["imageUrls"]),
    ("audioUrls exactly one: not two", {**I, "audioUrls": S["audioUrls"] * 2}, ["audioUrls"]),
    ("prompt up to 1500: 1500", {**I, **S, "prompt": "x" * 1500}, []),
    ("prompt up to 1500: 1501", {**I, **S, "prompt": "x" * 1501}, ["prompt"]),
    ("quality: standard", {**I, **S, "quality": "standard"}, []),
    ("quality: pro", {**I, **S, "quality": "pro"}, []),
    ("quality: not fast", {**I, **S, "quality": "fast"}, ["quality"]),
]

LIP_SYNC: list[Case] = [
    ("a video and a sound", {**V, **S}, []),
    ("videoUrls: required", S, ["videoUrls"]),
    ("audioUrls: required", V, ["audioUrls"]),
    ("videoUrls exactly one: not two", {"videoUrls": [VIDEO] * 2, **S}, ["videoUrls"]),
    ("audioUrls exactly one: not two", {**V, "audioUrls": S["audioUrls"] * 2}, ["audioUrls"]),
    ("syncMode: loop", {**V, **S, "syncMode": "loop"}, []),
    ("syncMode: bounce", {**V, **S, "syncMode": "bounce"}, []),
    ("syncMode: not cut_off, whose length is another", {**V, **S, "syncMode": "cut_off"}, ["syncMode"]),
    ("quality: pro", {**V, **S, "quality": "pro"}, []),
    ("quality: not fast", {**V, **S, "quality": "fast"}, ["quality"]),
]

SHAPE: list[Case] = [
    ("a prompt", P, []),
    ("an image", I, []),
    ("a prompt or an image", {}, ["prompt"]),
    ("not both", {**P, **I}, ["prompt"]),
    ("prompt up to 200: 201", {"prompt": "x" * 201}, ["prompt"]),
    ("imageUrls exactly one: not two", {"imageUrls": [URL] * 2}, ["imageUrls"]),
    ("quality: rapid", {**P, "quality": "rapid"}, []),
    ("quality: not fast", {**P, "quality": "fast"}, ["quality"]),
    ("texture: false", {**P, "texture": False}, []),
    ("pbr: true", {**P, "pbr": True}, []),
    ("pbr needs a texture", {**P, "pbr": True, "texture": False}, ["pbr"]),
]
