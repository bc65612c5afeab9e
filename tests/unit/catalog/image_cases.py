"""The image profiles, sentence by sentence (docs/contract.md#input-schemas); IMG-F is in test_img_f.py."""

from tests.unit.catalog.cases import URL, Case

P = {"prompt": "a cat"}
LONG = "x" * 20_000

IMG_A: list[Case] = [
    ("prompt: required", {}, ["prompt"]),
    ("prompt: required, so not blank", {"prompt": " "}, ["prompt"]),
    ("urls up to 10: 10", {**P, "urls": [URL] * 10}, []),
    ("urls up to 10: 11", {**P, "urls": [URL] * 11}, ["urls"]),
    ("size: auto", {**P, "size": "auto"}, []),
    ("size: 7:5 and 5:7", {**P, "size": "5:7"}, []),
    ("size: not 1:8", {**P, "size": "1:8"}, ["size"]),
    ("resolution: 768SQ", {**P, "resolution": "768SQ"}, []),
    ("resolution: 1.5K", {**P, "resolution": "1.5K"}, []),
    ("resolution: not 1k", {**P, "resolution": "1k"}, ["resolution"]),
    ("grounding boolean", {**P, "grounding": False}, []),
    ("grounding boolean: not 0", {**P, "grounding": 0}, ["grounding"]),
    ("unknown fields are rejected", {**P, "seed": 1}, ["seed"]),
]

IMG_B: list[Case] = [
    ("prompt: required", {"size": "1:1"}, ["prompt"]),
    ("prompt has a bound: 20000 characters", {"prompt": LONG}, []),
    ("prompt has a bound: 20001 characters", {"prompt": LONG + "x"}, ["prompt"]),
    ("size: 9:21", {**P, "size": "9:21"}, []),
    ("size: not 9:22", {**P, "size": "9:22"}, ["size"]),
    ("resolution: 4k", {**P, "resolution": "4k"}, []),
    ("resolution: not 4K", {**P, "resolution": "4K"}, ["resolution"]),
    ("1:3 requires 2k or 4k: 2k", {**P, "size": "1:3", "resolution": "2k"}, []),
    ("3:1 requires 2k or 4k: 4k", {**P, "size": "3:1", "resolution": "4k"}, []),
    ("1:3 requires 2k or 4k: not 1k", {**P, "size": "1:3", "resolution": "1k"}, ["resolution"]),
    ("3:1 requires 2k or 4k: not the default", {**P, "size": "3:1"}, ["resolution"]),
    ("2:1 requires nothing", {**P, "size": "2:1"}, []),
    ("urls: 16", {**P, "urls": [URL] * 16}, []),
    ("urls: 17", {**P, "urls": [URL] * 17}, ["urls"]),
]

IMG_C: list[Case] = [
    ("prompt: required", {}, ["prompt"]),
    ("size default", P, []),
    ("size: 2:3", {**P, "size": "2:3"}, []),
    ("size: not 4:3", {**P, "size": "4:3"}, ["size"]),
    ("size: a string", {**P, "size": 1}, ["size"]),
    ("urls max 1: 1", {**P, "urls": [URL]}, []),
    ("urls max 1: 2", {**P, "urls": [URL, URL]}, ["urls"]),
    ("urls max 1: none in the array", {**P, "urls": []}, []),
    ("urls are URLs", {**P, "urls": ["cat.png"]}, ["urls/0"]),
    ("no resolution", {**P, "resolution": "1K"}, ["resolution"]),
]

IMG_D: list[Case] = [
    ("prompt: required", {"prompt": ""}, ["prompt"]),
    ("size: 8:1", {**P, "size": "8:1"}, []),
    ("size: 1:4", {**P, "size": "1:4"}, []),
    ("size: not auto", {**P, "size": "auto"}, ["size"]),
    ("size: not 2:1", {**P, "size": "2:1"}, ["size"]),
    ("resolution: 512px", {**P, "resolution": "512px"}, []),
    ("resolution: 4K", {**P, "resolution": "4K"}, []),
    ("resolution: not 512", {**P, "resolution": "512"}, ["resolution"]),
    ("urls: 14", {**P, "urls": [URL] * 14}, []),
    ("urls: 15", {**P, "urls": [URL] * 15}, ["urls"]),
    ("every problem at once", {"size": "x", "resolution": "x"}, ["prompt", "size", "resolution"]),
]

IMG_E: list[Case] = [
    ("prompt: required", {}, ["prompt"]),
    ("urls max 14: 14", {**P, "urls": [URL] * 14}, []),
    ("urls max 14: 15", {**P, "urls": [URL] * 15}, ["urls"]),
    ("size: auto", {**P, "size": "auto"}, []),
    ("size: not 5:4", {**P, "size": "5:4"}, ["size"]),
    ("resolution: 3K", {**P, "resolution": "3K"}, []),
    ("resolution: not 8K", {**P, "resolution": "8K"}, ["resolution"]),
    ("outputFormat: png", {**P, "outputFormat": "png"}, []),
    ("outputFormat: not webp", {**P, "outputFormat": "webp"}, ["outputFormat"]),
    ("promptOptimizeMode: fast", {**P, "promptOptimizeMode": "fast"}, []),
    ("promptOptimizeMode: not slow", {**P, "promptOptimizeMode": "slow"}, ["promptOptimizeMode"]),
    ("watermark boolean", {**P, "watermark": "false"}, ["watermark"]),
]

IMG_G: list[Case] = [
    ("prompt max 5000: 5000 characters", {"prompt": "x" * 5000}, []),
    ("prompt max 5000: 5001 characters", {"prompt": "x" * 5001}, ["prompt"]),
    ("urls 1-4: 1", {**P, "urls": [URL]}, []),
    ("urls 1-4: 4", {**P, "urls": [URL] * 4}, []),
    ("urls 1-4: 5", {**P, "urls": [URL] * 5}, ["urls"]),
    ("urls 1-4: not 0", {**P, "urls": []}, ["urls"]),
    ("size: 2:3", {**P, "size": "2:3"}, []),
    ("size: not 21:9", {**P, "size": "21:9"}, ["size"]),
    ("width, height given together", {**P, "width": 1280, "height": 720}, []),
    ("width, height given together: not width alone", {**P, "width": 1280}, ["height"]),
    ("width, height given together: not height alone", {**P, "height": 720}, ["width"]),
    ("width, height override size", {**P, "width": 64, "height": 4096, "size": "1:1"}, []),
    ("width in pixels: whole", {**P, "width": 99.5, "height": 99}, ["width"]),
    ("height in pixels: bounded", {**P, "width": 4096, "height": 4097}, ["height"]),
    ("seed number", {**P, "seed": 7}, []),
    ("seed number: not -1", {**P, "seed": -1}, ["seed"]),
    ("seed 0-2147483647: 2147483647", {**P, "seed": 2147483647}, []),
    ("seed 0-2147483647: 2147483648", {**P, "seed": 2147483648}, ["seed"]),
]
