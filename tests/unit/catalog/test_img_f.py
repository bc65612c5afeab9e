"""IMG-F, sentence by sentence (docs/contract.md#input-schemas)."""

from tests.unit.catalog.cases import URL, Case, problem_paths
from tollgate.catalog.checking import check
from tollgate.catalog.profiles.img_f import ImgF

TEXT = {"prompt": "a cat", "size": "1:1"}

CASES: list[Case] = [
    ("prompt: required", {"size": "1:1"}, ["prompt"]),
    ("prompt: required, so not empty", {"prompt": "", "size": "1:1"}, ["prompt"]),
    ("prompt: required, so not blank", {"prompt": " \n\t", "size": "1:1"}, ["prompt"]),
    ("prompt: a string", {"prompt": 5, "size": "1:1"}, ["prompt"]),
    ("prompt max 1000: 1000 characters", {"prompt": "x" * 1000, "size": "1:1"}, []),
    ("prompt max 1000: characters, not bytes", {"prompt": "猫" * 1000, "size": "1:1"}, []),
    ("prompt max 1000: 1001 characters", {"prompt": "x" * 1001, "size": "1:1"}, ["prompt"]),
    ("size required for text-to-image", {"prompt": "a cat"}, ["size"]),
    ("size optional for editing", {"prompt": "a hat", "urls": [URL]}, []),
    ("size allowed for editing", {"prompt": "a hat", "urls": [URL], "size": "9:16"}, []),
    ("size in five ratios: each", {**TEXT, "size": "3:4"}, []),
    ("size in five ratios: not 21:9", {**TEXT, "size": "21:9"}, ["size"]),
    ("urls exactly one: none in the array", {**TEXT, "urls": []}, ["urls"]),
    ("urls exactly one: two", {**TEXT, "urls": [URL, URL]}, ["urls"]),
    ("urls is an array", {**TEXT, "urls": URL}, ["urls"]),
    ("urls are URLs", {**TEXT, "urls": ["cat.png"]}, ["urls/0"]),
    ("enableSafetyChecker boolean: false", {**TEXT, "enableSafetyChecker": False}, []),
    (
        "enableSafetyChecker boolean: not 1",
        {**TEXT, "enableSafetyChecker": 1},
        ["enableSafetyChecker"],
    ),
    (
        "enableSafetyChecker boolean: not a string",
        {**TEXT, "enableSafetyChecker": "false"},
        ["enableSafetyChecker"],
    ),
    ("null is not a value", {**TEXT, "urls": None}, ["urls"]),
    ("unknown fields are rejected", {**TEXT, "resolution": "1K"}, ["resolution"]),
]


class TestDefaults:
    def test_size_of_an_edit_is_square_unless_given(self) -> None:
        assert check(ImgF, {"prompt": "a hat", "urls": [URL]}).values == {
            "prompt": "a hat",
            "urls": [URL],
            "size": "1:1",
            "enableSafetyChecker": True,
        }

    def test_a_bad_prompt_and_a_missing_size_are_told_together(self) -> None:
        assert problem_paths("IMG-F", {"prompt": 5}) == ["/input/prompt", "/input/size"]
