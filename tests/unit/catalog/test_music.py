"""The music profile, sentence by sentence (interface.md, "Music profile"), and what `suno` makes of it."""

from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG, URL, problem_paths
from tollgate.kit.errors import InvalidInputError

P = {"prompt": "a song about a cat"}

CASES = [
    ("action default music", P, []),
    ("action: unknown", {**P, "action": "sing"}, ["/input/action"]),
    ("music needs words", {}, ["/input/prompt"]),
    ("music needs words: a style is not enough", {"styles": "jazz"}, ["/input/prompt"]),
    ("an instrumental needs words or a style", {"instrumental": True}, ["/input/prompt"]),
    ("an instrumental of a style", {"instrumental": True, "styles": "jazz"}, []),
    ("mv: v4.5+", {**P, "mv": "v4.5+"}, []),
    ("mv: not v6", {**P, "mv": "v6"}, ["/input/mv"]),
    ("styleWeight 0.00-1.00: 0", {**P, "styleWeight": 0}, []),
    ("styleWeight 0.00-1.00: 1", {**P, "styleWeight": 1}, []),
    ("styleWeight 0.00-1.00: 0.65", {**P, "styleWeight": 0.65}, []),
    ("styleWeight 0.00-1.00: not 0.655", {**P, "styleWeight": 0.655}, ["/input/styleWeight"]),
    ("audioWeight 0.00-1.00: not 1.01", {**P, "audioWeight": 1.01}, ["/input/audioWeight"]),
    ("weirdnessConstraint: not -1", {**P, "weirdnessConstraint": -1}, ["/input/weirdnessConstraint"]),
    ("vocalGender Male, Female", {**P, "vocalGender": "Female"}, []),
    ("vocalGender: not m", {**P, "vocalGender": "m"}, ["/input/vocalGender"]),
    ("endS > startS", {"action": "crop", "startS": 1, "endS": 1.5}, []),
    ("endS > startS: not equal", {"action": "crop", "startS": 1, "endS": 1}, ["/input/endS"]),
    ("crop needs its section", {"action": "crop"}, ["/input/endS", "/input/startS"]),
    ("speed 0.25-4: 0.25", {"action": "adjust-speed", "speed": 0.25}, []),
    ("speed 0.25-4: not 4.01", {"action": "adjust-speed", "speed": 4.01}, ["/input/speed"]),
    ("adjust-speed needs speed", {"action": "adjust-speed"}, ["/input/speed"]),
    ("sourceTaskIds exactly 2", {"action": "mashup", "sourceTaskIds": ["a", "b"]}, []),
    ("sourceTaskIds exactly 2: not 1", {**P, "sourceTaskIds": ["a"]}, ["/input/sourceTaskIds"]),
    ("audioIds parallel to sourceTaskIds", {**P, "audioIds": ["a", "b"]}, ["/input/audioIds"]),
    ("audioUrls: inspo 4", {"action": "inspo", "audioUrls": [URL] * 4}, []),
    ("audioUrls: inspo not 5", {"action": "inspo", "audioUrls": [URL] * 5}, ["/input/audioUrls"]),
    ("audioUrls: custom model 24 tracks", {**P, "audioUrls": [URL] * 24}, []),
    ("audioUrls: not 25", {**P, "audioUrls": [URL] * 25}, ["/input/audioUrls"]),
    ("backgroundColors 1-4 hex colors", {**P, "backgroundColors": ["#1a2B3c"] * 4}, []),
    ("backgroundColors: not 0", {**P, "backgroundColors": []}, ["/input/backgroundColors"]),
    ("backgroundColors: not a name", {**P, "backgroundColors": ["red"]}, ["/input/backgroundColors/0"]),
    ("voxAudioId deprecated, ignored: a string", {**P, "voxAudioId": "x"}, []),
    ("voxAudioId deprecated, ignored: whatever it holds", {**P, "voxAudioId": {"a": [None]}}, []),
]  # fmt: skip


@pytest.mark.parametrize(("source", "paths"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_music(source: dict[str, Any], paths: list[str]) -> None:
    assert problem_paths("Music", source) == paths


class TestSuno:
    def test_makes_music_only_for_now(self) -> None:
        with pytest.raises(InvalidInputError) as raised:
            CATALOG.get("suno").check({**P, "action": "extend"})
        assert [problem.allowed for problem in raised.value.problems] == [["music"]]

    def test_a_field_of_other_actions_is_unknown(self) -> None:
        with pytest.raises(InvalidInputError, match="Unknown field 'bpm'"):
            CATALOG.get("suno").check({**P, "bpm": 120})

    def test_takes_the_newest_engine_unless_told(self) -> None:
        assert CATALOG.get("suno").check({**P, "voxAudioId": 1}).values == {
            "action": "music",
            "prompt": "a song about a cat",
            "instrumental": False,
            "mv": "v5.5",
        }
