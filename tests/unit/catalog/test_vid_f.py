"""VID-F, sentence by sentence (docs/contract.md#input-schemas)."""

from tests.unit.catalog.cases import URL, Case, problem_paths
from tollgate.catalog.checking import check
from tollgate.catalog.profiles.vid_f import VidF

P = {"prompt": "a cat"}
FIRST = {"url": URL, "role": "first_frame"}
F = "imageWithRoles"
LAST = {"url": URL, "role": "last_frame"}

CASES: list[Case] = [
    ("prompt alone is enough", P, []),
    ("prompt max 4000: 4000 characters", {"prompt": "x" * 4000}, []),
    ("prompt max 4000: 4001 characters", {"prompt": "x" * 4001}, ["prompt"]),
    ("prompt required without an image", {}, ["prompt"]),
    ("prompt required without an image: an empty array is none", {"imageUrls": []}, ["prompt"]),
    ("prompt required without an image: blank is none", {"prompt": "  "}, ["prompt"]),
    ("prompt may be left out beside imageUrls", {"imageUrls": [URL]}, []),
    ("prompt may be blank beside imageUrls", {"imageUrls": [URL], "prompt": ""}, []),
    ("prompt may be left out beside imageWithRoles", {"imageWithRoles": [FIRST]}, []),
    ("duration in 4, 8, 12: 4", {**P, "duration": 4}, []),
    ("duration in 4, 8, 12: 12", {**P, "duration": 12}, []),
    ("duration in 4, 8, 12: not 5", {**P, "duration": 5}, ["duration"]),
    ("duration in 4, 8, 12: not '4'", {**P, "duration": "4"}, ["duration"]),
    ("duration in 4, 8, 12: not true", {**P, "duration": True}, ["duration"]),
    ("size: 21:9", {**P, "size": "21:9"}, []),
    ("size: not adaptive", {**P, "size": "adaptive"}, ["size"]),
    ("resolution: 1080p", {**P, "resolution": "1080p"}, []),
    ("resolution: not 4k", {**P, "resolution": "4k"}, ["resolution"]),
    ("seed: 0", {**P, "seed": 0}, []),
    ("seed: 2^32 - 1", {**P, "seed": 4294967295}, []),
    ("seed: not 2^32", {**P, "seed": 4294967296}, ["seed"]),
    ("seed: not -1", {**P, "seed": -1}, ["seed"]),
    ("seed: not 1.5", {**P, "seed": 1.5}, ["seed"]),
    ("generateAudio boolean", {**P, "generateAudio": "true"}, ["generateAudio"]),
    ("imageUrls max 9: 9", {"imageUrls": [URL] * 9}, []),
    ("imageUrls max 9: 10", {"imageUrls": [URL] * 10}, ["imageUrls"]),
    ("imageUrls: each reported", {"imageUrls": [5, URL, "x"]}, ["imageUrls/0", "imageUrls/2"]),
    ("imageWithRoles max 2: first and last", {"imageWithRoles": [FIRST, LAST]}, []),
    ("imageWithRoles max 2: in any order", {"imageWithRoles": [LAST, FIRST]}, []),
    ("imageWithRoles max 2: 3", {"imageWithRoles": [FIRST, LAST, FIRST]}, [F]),
    ("imageWithRoles: two first frames", {"imageWithRoles": [FIRST, FIRST]}, [F + "/1/role"]),
    ("imageWithRoles: a last frame alone", {"imageWithRoles": [LAST]}, [F]),
    ("imageWithRoles: role of two", {"imageWithRoles": [{**FIRST, "role": "x"}]}, [F + "/0/role"]),
    ("imageWithRoles: role required", {"imageWithRoles": [{"url": URL}]}, [F + "/0/role"]),
    ("imageWithRoles: no other keys", {"imageWithRoles": [{**FIRST, "x": 1}]}, [F + "/0/x"]),
    ("imageWithRoles: objects", {"imageWithRoles": [URL]}, [F + "/0"]),
    ("imageWithRoles not with imageUrls", {"imageWithRoles": [FIRST], "imageUrls": [URL]}, [F]),
    ("imageWithRoles beside empty imageUrls", {"imageWithRoles": [FIRST], "imageUrls": []}, []),
    ("cameraFixed boolean", {**P, "cameraFixed": 0}, ["cameraFixed"]),
]  # fmt: skip


class TestNormalisation:
    def test_defaults_are_those_in_brackets(self) -> None:
        assert check(VidF, P).values == {
            "prompt": "a cat",
            "duration": 4,
            "size": "16:9",
            "resolution": "480p",
            "generateAudio": True,
            "cameraFixed": False,
        }

    def test_a_whole_number_may_come_as_a_float(self) -> None:
        values = check(VidF, {**P, "duration": 8.0, "seed": 3.0}).values
        assert (repr(values["duration"]), repr(values["seed"])) == ("8", "3")

    def test_given_names_what_the_customer_set(self) -> None:
        checked = check(VidF, {"prompt": "", "imageUrls": [URL], "duration": 4})
        assert checked.given == {"imageUrls", "duration"}
        assert "prompt" not in checked.values

    def test_a_rule_waits_for_valid_fields_and_the_others_do_not(self) -> None:
        # The prompt is invalid, so nobody knows whether it is missing; the frames are valid and wrong.
        source = {"prompt": 5, "imageWithRoles": [LAST]}
        assert problem_paths("VID-F", source) == ["/input/imageWithRoles", "/input/prompt"]
