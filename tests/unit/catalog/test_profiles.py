"""Every profile, sentence by sentence, and its published JSON Schema on the same cases."""

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.unit.catalog import image_cases, later_video_cases, midjourney_cases, tool_cases, video_cases
from tests.unit.catalog.cases import Case, pointers, problem_paths
from tests.unit.catalog.music_cases import CUSTOM_MODEL, MUSIC
from tests.unit.catalog.test_img_f import CASES as IMG_F
from tests.unit.catalog.test_vid_f import CASES as VID_F
from tollgate.catalog.params import schema_of
from tollgate.catalog.profiles import PROFILES, profile_named

TABLES: dict[str, list[Case]] = {
    **{
        name.replace("_", "-"): cases
        for module in (image_cases, video_cases, later_video_cases)
        for name, cases in vars(module).items()
        if name.startswith(("IMG_", "VID_"))
    },
    "IMG-F": IMG_F,
    "VID-F": VID_F,
    "Upscale-image": tool_cases.UPSCALE_IMAGE,
    "Upscale-video": tool_cases.UPSCALE_VIDEO,
    "Cutout": tool_cases.CUTOUT,
    "Avatar": tool_cases.AVATAR,
    "Lip-sync": tool_cases.LIP_SYNC,
    "3D": tool_cases.SHAPE,
    "Midjourney-image": midjourney_cases.MIDJOURNEY_IMAGE,
    "Midjourney-video": midjourney_cases.MIDJOURNEY_VIDEO,
    "Music": MUSIC,
    "Custom-model": CUSTOM_MODEL,
}

BEYOND_JSON_SCHEMA = {
    "IMG-F: size required for text-to-image",
    "Midjourney-image: blend: no prompt",
    "Midjourney-image: dimensions: of a blend",
    "Midjourney-image: imagine: nothing earlier",
    "Midjourney-image: inpaint: its mask goes to modal",
    "Midjourney-image: repeat is for imagine",
    "Midjourney-image: upscale: no flags",
    "Music: bpm: no stemType",
    "Music: endS > startS: not equal",
    "Music: lyrics: no styles, no instrumental",
    "Music: music-cover: a task, not a track",
    "Music: music: no audioUrls",
    "Music: music: no bpm",
    "Music: stems: no lyrics to write",
    "Music: styleWeight 0.00-1.00: not 0.655",
    "VID-E: max 30 across both image fields: 31",
    "VID-L: images+elements at most 15: 16",
    "VID-L: multiShots totalling 3-30 s: 2",
    "VID-L: multiShots totalling 3-30 s: 31",
    "VID-L: or 14 with source video: 15",
    "VID-L: startImageIndex: of an image",
    "VID-P: generationType frame: not three",
}
"""Refused inputs that the published schema accepts: sums, comparisons of two fields, decimal places;
and, for its length, which fields each action cannot use."""


@pytest.mark.parametrize("profile", TABLES)
class TestProfile:
    def test_each_sentence_has_its_problems(self, profile: str) -> None:
        cases = TABLES[profile]
        found = {sentence: problem_paths(profile, source) for sentence, source, _ in cases}
        assert found == {sentence: pointers(fields) for sentence, _, fields in cases}
        assert len(found) == len(cases), "two cases have one name"

    def test_the_schema_accepts_the_same_as_far_as_it_can_say(self, profile: str) -> None:
        validator = Draft202012Validator(schema_of(profile_named(profile)))
        accepted = {case[0] for case in TABLES[profile] if validator.is_valid(case[1])}
        beyond = {
            name.removeprefix(f"{profile}: ") for name in BEYOND_JSON_SCHEMA if name.startswith(profile)
        }
        assert accepted == {case[0] for case in TABLES[profile] if not case[2]} | beyond


def test_every_profile_has_ten_cases() -> None:
    assert TABLES.keys() == PROFILES.keys()
    assert min(map(len, TABLES.values())) >= 10
