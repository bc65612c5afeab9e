"""Suno on APIMart: each action in its words, and its answers in ours (APIMart's documentation, Suno)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import SONG, A, S, in_words, mapped, route_of, without_words
from tollgate.providers.mapping.outputs import MAX_OUTPUT_BYTES
from tollgate.providers.media.apimart.music import ACTIONS
from tollgate.providers.media.apimart.results import of_a_task, of_midjourney, of_music
from tollgate.providers.runtime.base import Mapped
from tollgate.providers.runtime.outcomes import ResultFile, Succeeded

PATH = "music/generations"
TRACK = {"parentTaskId": "task_A", "audioId": "2"}
ITS_TRACK = {"task_id": "task_A", "audio_index": 2}
SECTION = {"startS": 1, "endS": 2.5}
ITS_SECTION = {**ITS_TRACK, "start_s": 1, "end_s": 2.5}
NEWEST = {"version": "v5.5"}

BODIES: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"prompt": "a song"}, "", {**NEWEST, "prompt": "a song", "instrumental": False, "custom": False}),
    ({"prompt": "la la", "styles": "jazz", "title": "La", "vocalGender": "Female", "mv": "v4.5+"}, "",
     {"version": "v4.5+", "prompt": "la la", "style": "jazz", "title": "La", "vocal_gender": "Female",
      "instrumental": False, "custom": True}),
    ({"prompt": "a song", "styleWeight": 0.5, "weirdnessConstraint": 0, "audioWeight": 1}, "",
     {**NEWEST, "prompt": "a song", "style_weight": 0.5, "weirdness_constraint": 0, "audio_weight": 1,
      "instrumental": False, "auto_lyrics": True, "custom": True}),
    ({"prompt": "a cat", "title": "Cat", "autoLyrics": True, "negativeTags": "drums", "mv": "v3.5"}, "",
     {"version": "v3.5", "prompt": "a cat", "title": "Cat", "auto_lyrics": True, "negative_tags": "drums",
      "instrumental": False, "custom": True}),
    ({"styles": "jazz", "instrumental": True}, "",
     {**NEWEST, "style": "jazz", "instrumental": True, "custom": True}),
    ({"action": "extend", **TRACK, "startS": 60, "prompt": "louder"}, "/extend",
     {**NEWEST, **ITS_TRACK, "continue_at": 60, "gpt_description": "louder", "custom": False}),
    ({"action": "extend", **TRACK, "startS": 60}, "/extend", {**NEWEST, **ITS_TRACK, "continue_at": 60}),
    ({"action": "cover", "audioUrl": S, "prompt": "la", "styles": "folk"}, "/uploadCover",
     {**NEWEST, "audio_url": S, "prompt": "la", "tags": "folk", "instrumental": False, "custom": True}),
    ({"action": "mashup", "sourceTaskIds": ["task_A", "task_B"], "audioIds": ["1", "2"]}, "/mashup",
     {**NEWEST, "task_ids": ["task_A", "task_B"], "audio_indexes": [1, 2],
      "gpt_description": "a mashup of both songs", "instrumental": False, "custom": False}),
    ({"action": "sample", **TRACK, **SECTION, "prompt": "a beat"}, "/sample",
     {**NEWEST, **ITS_SECTION, "gpt_description": "a beat", "instrumental": False, "custom": False}),
    ({"action": "add-stem", **TRACK, "prompt": "drums", "styles": "rock"}, "/addStem",
     {**NEWEST, **ITS_TRACK, "prompt": "drums", "tags": "rock", "custom": True}),
    ({"action": "inspo", "audioUrls": [S], "prompt": "like it", "mv": "v5.0"}, "/inspo",
     {"version": "v5", "audio_urls": [S], "prompt": "like it"}),
    ({"action": "sound", "prompt": "a door", "type": "one-shot", "bpm": 90, "key": "Bb minor"}, "/sounds",
     {**NEWEST, "prompt": "a door", "type": "one-shot", "bpm": 90, "key": "A#m"}),
    ({"action": "replace-section", **TRACK, **SECTION, "prompt": "la", "styles": "jazz", "title": "La"},
     "/replaceMusic", {**NEWEST, **ITS_SECTION, "infill_lyrics": "la", "tags": "jazz", "title": "La"}),
    ({"action": "remaster", "parentTaskId": "task_A", "variationCategory": "subtle"}, "/remaster",
     {**NEWEST, "task_id": "task_A", "variation_category": "subtle"}),
    ({"action": "lyrics", "prompt": "rain"}, "/lyrics", {"prompt": "rain"}),
    ({"action": "boost-style", "styles": "slow"}, "/upsampleTags", {"tags": "slow"}),
    ({"action": "upload", "audioUrl": S}, "/uploadTask", {"audioFilePath": S}),
    ({"action": "voice", "voiceAudioUrl": S}, "/createVoice", {"audio_url": S}),
    ({"action": "stems-all", **TRACK}, "/stemsAll", ITS_TRACK),
    ({"action": "wav", **TRACK}, "/download", {**ITS_TRACK, "formats": ["wav"]}),
    ({"action": "vox", **TRACK, **SECTION}, "/vox", {**ITS_TRACK, "vocal_start_s": 1, "vocal_end_s": 2.5}),
    ({"action": "remove-section", **TRACK, **SECTION}, "/removeSection", ITS_SECTION),
    ({"action": "crop", **TRACK, **SECTION}, "/crop", ITS_SECTION),
    ({"action": "fade-in", **TRACK, "durationS": 3, "title": "In"}, "/fadeIn",
     {**ITS_TRACK, "duration_s": 3, "title": "In"}),
    ({"action": "fade-out", **TRACK, "durationS": 3}, "/fadeOut", {**ITS_TRACK, "duration_s": 3}),
    ({"action": "adjust-speed", **TRACK, "speed": 1.5, "keepPitch": False}, "/adjustSpeed",
     {**ITS_TRACK, "speed": 1.5, "keep_pitch": False}),
    ({"action": "timestamped-lyrics", **TRACK}, "/alignedLyrics", ITS_TRACK),
    ({"action": "music-video", **TRACK}, "/generateMp4", ITS_TRACK),
    ({"action": "concat", "parentTaskId": "task_A"}, "/concat", {"task_id": "task_A"}),
    ({"action": "midi", **TRACK}, "/midi", ITS_TRACK),
    ({"action": "bpm", **TRACK}, "/bpm", ITS_TRACK),
]  # fmt: skip
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"action": "add-vocals", "prompt": "la"}, "no path for the action add-vocals"),
    ({"action": "wav", "parentTaskId": "task_A", "audioId": "0f6c-uuid"}, "is no number of a track"),
    ({"action": "wav", "parentTaskId": "task_A", "audioId": "0"}, "is no number of a track"),
    ({"action": "wav", "parentTaskId": "task_A", "audioId": "65"}, "is no number of a track"),
    ({"action": "mashup", "sourceTaskIds": ["a", "b"], "audioIds": ["1", "x"]}, "is no number of a track"),
    ({"action": "music-video", **TRACK, "aspectRatio": "1:1"}, "'1:1', but only"),
    ({"action": "music-video", **TRACK, "imageUrl": A}, "no word for imageUrl"),
    ({"action": "lyrics", "prompt": "rain", "instrumental": True}, "True, but only"),
    ({"action": "sound", "prompt": "a door", "mv": "v4.0"}, "'v4.0'"),
]
test_words = in_words(
    "apimart",
    [("suno", source, f"{PATH}{path}", {"model": "suno", **body}) for source, path, body in BODIES],
)
test_no_words = without_words("apimart", [("suno", {**SONG, **values}, why) for values, why in REFUSED])


def test_every_action_of_the_route_has_words() -> None:
    route = route_of("apimart", "suno")
    assert set(route.upstream) == set(route.takes["action"]) == set(ACTIONS)


@pytest.mark.parametrize(
    ("key", "spelled"),
    [("C", "C"), ("C major", "C"), ("C Minor", "Cm"), ("F#m", "F#m"), ("Db min", "C#m"), ("Cb maj", "B")],
)
def test_keys_are_spelled_with_sharps(key: str, spelled: str) -> None:
    body = mapped("apimart", "suno", {"action": "sound", "prompt": "a door", "key": key}).body
    assert body["key"] == spelled


def test_an_engine_of_ones_own() -> None:
    tracks = [f"https://a.test/{number}.mp3" for number in range(6)]
    assert mapped("apimart", "suno-custom-model", {"name": "mine", "audioUrls": tracks}) == Mapped(
        f"{PATH}/createModel", {"model": "suno", "name": "mine", "audio_urls": tracks}
    )


class TestMusicResults:
    def test_tracks_are_numbered_as_follow_ups_want(self) -> None:
        music = [
            {"audio_url": "a", "title": "t", "duration": 61.5, "lyrics": "la", "tags": "jazz", "extra": 1},
            {"title": "not there yet"},
            {"video_url": "c", "duration": None, "lyrics": ""},
        ]
        assert of_music({"result": {"music": music}}) == Succeeded(
            (ResultFile("a"), ResultFile("c")),
            {
                "tracks": [
                    {"audioId": "1", "title": "t", "durationS": 61.5, "lyrics": "la", "styles": "jazz"},
                    {"audioId": "3"},
                ]
            },
        )

    @pytest.mark.parametrize(
        ("result", "urls"),
        [
            ({"stems": [{"title": "Drums", "audio_url": "a"}, {"audio_url": "b"}]}, ["a", "b"]),
            ({"files": [{"format": "wav", "url": "a"}], "wavUrl": "a"}, ["a"]),
            ({"wavUrl": "a"}, ["a"]),
            ({"video_url": "a"}, ["a"]),
            ({"videos": [{"url": ["a"]}]}, ["a"]),
        ],
    )
    def test_files_are_found_where_each_action_puts_them(
        self, result: dict[str, Any], urls: list[str]
    ) -> None:
        found = of_music({"result": result})
        assert found is not None
        assert found.files == tuple(map(ResultFile, urls))

    @pytest.mark.parametrize(("result", "output"), [
        ({"title": "On", "text": "la"}, {"title": "On", "lyrics": "la"}),
        ({"lyrics": [{"title": "On", "text": "la"}, {"title": "Off", "text": "lo"}]},
         {"title": "On", "lyrics": "la",
          "variants": [{"title": "On", "lyrics": "la"}, {"title": "Off", "lyrics": "lo"}]}),
        ({"upsampled_tags": "warm"}, {"styles": "warm"}),
        ({"avg_bpm": 96.5, "min_bpm": 90, "max_bpm": 0}, {"bpm": 96.5, "minBpm": 90, "maxBpm": 0}),
        ({"alignment": [{"word": "la", "start": 0}]}, {"timestampedLyrics": [{"word": "la", "start": 0}]}),
        ({"voice_id": "v", "name": "mine"}, {"voiceId": "v", "name": "mine"}),
        ({"name": "mine", "state": "complete"}, None),
        ({}, None),
    ])  # fmt: skip
    def test_data_is_the_output(self, result: dict[str, Any], output: Any) -> None:
        assert of_music({"result": result}) == Succeeded(output=output)

    def test_an_output_that_is_too_long_is_left_out(self) -> None:
        track = {"audio_url": "a", "lyrics": "x" * MAX_OUTPUT_BYTES}
        assert of_music({"result": {"music": [track]}}) == Succeeded((ResultFile("a"),))

    @pytest.mark.parametrize("data", [{}, {"result": None}, {"result": []}])
    def test_a_result_that_is_not_there_yet_is_none(self, data: dict[str, Any]) -> None:
        assert of_music(data) is None
        assert of_a_task(data) is None


class TestMidjourneyResults:
    def test_four_pictures_and_their_buttons(self) -> None:
        buttons = [{"customId": "MJ::1", "label": "U1", "style": 2}, {"label": "no id"}, 5]
        data = {"image_urls": ["a", "b"], "grid_image_url": "g", "buttons": buttons}
        assert of_midjourney(data) == Succeeded(
            (ResultFile("a"), ResultFile("b")), {"buttons": [{"customId": "MJ::1", "label": "U1"}]}
        )

    @pytest.mark.parametrize(
        ("data", "urls"),
        [
            ({"image_urls": [], "grid_image_url": "g"}, ["g"]),
            ({"video_url": "v"}, ["v"]),
            ({"video_urls": ["v", "w"], "video_url": "v"}, ["v", "w"]),
        ],
    )
    def test_one_by_one_before_all_in_one(self, data: dict[str, Any], urls: list[str]) -> None:
        assert of_midjourney(data) == Succeeded(tuple(map(ResultFile, urls)))

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            ({"action": "DESCRIBE", "prompt": "a tower"}, "a tower"),
            ({"action": "DESCRIBE", "prompt": "a tower", "description": "1. a tower"}, "1. a tower"),
        ],
    )
    def test_a_picture_in_words(self, data: dict[str, Any], words: str) -> None:
        assert of_midjourney(data) == Succeeded(output={"description": words})

    def test_the_prompt_of_another_action_is_no_result(self) -> None:
        assert of_midjourney({"action": "IMAGINE", "prompt": "a tower"}) == Succeeded()


def test_a_last_frame_comes_after_the_videos() -> None:
    result = {"videos": [{"url": ["v"]}], "images": [{"url": "i"}], "last_frame_url": "f"}
    assert of_a_task({"result": result}) == Succeeded(tuple(map(ResultFile, "vif")))
