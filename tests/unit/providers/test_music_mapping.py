"""Music on PoYo: each action in its words, and its answers in ours (PoYo's API manual, music series)."""

from typing import Any

import pytest
from hypothesis import given

from tests.unit.catalog.cases import CATALOG
from tests.unit.providers.mapping_support import SONG, A, S, in_words, job_of, without_words
from tests.unit.providers.support import ANSWERS, connected, first_bytes, keep, received
from tests.unit.providers.tables import each, polls, says, submits
from tollgate.providers.media.poyo.music import ACTIONS
from tollgate.providers.media.poyo.results import succeeded
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.outcomes import Failed, Pending, ResultFile, Submitted, Succeeded

HANDLE = {"task_id": "t 1", "music": True}
TRACK = {"parentTaskId": "t-1", "audioId": "t-1-0"}

BODIES: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"prompt": "a song"}, "generate-music",
     {"mv": "V5_5", "prompt": "a song", "instrumental": False, "custom_mode": False}),
    ({"prompt": "calm", "styles": "jazz", "instrumental": True, "mv": "v4.0"}, "generate-music",
     {"mv": "V4", "prompt": "calm", "style": "jazz", "title": "jazz", "instrumental": True,
      "custom_mode": True}),
    ({"action": "cover", "audioUrl": S, "prompt": "as a waltz", "vocalGender": "Male"},
     "upload-and-cover-audio",
     {"mv": "V5_5", "upload_url": S, "prompt": "as a waltz", "vocal_gender": "m", "instrumental": False,
      "custom_mode": False}),
    ({"action": "extend", **TRACK, "startS": 60}, "extend-music",
     {"mv": "V5_5", "audio_id": "t-1-0", "continue_at": 60, "default_param_flag": False}),
    ({"action": "extend", **TRACK, "prompt": "la", "styles": "folk", "title": "On", "startS": 60},
     "extend-music",
     {"mv": "V5_5", "audio_id": "t-1-0", "prompt": "la", "style": "folk", "title": "On", "continue_at": 60,
      "default_param_flag": True}),
    ({"action": "add-instrumental", "audioUrl": S, "title": "On", "styles": "folk", "negativeTags": "drums"},
     "add-instrumental",
     {"mv": "V5_5", "upload_url": S, "title": "On", "tags": "folk", "negative_tags": "drums"}),
    ({"action": "add-vocals", "audioUrl": S, "prompt": "la", "title": "On", "styles": "folk",
      "negativeTags": "drums"}, "add-vocals",
     {"mv": "V5_5", "upload_url": S, "prompt": "la", "title": "On", "style": "folk",
      "negative_tags": "drums"}),
    ({"action": "replace-section", **TRACK, "prompt": "la", "styles": "folk", "title": "On", "startS": 10,
      "endS": 20}, "replace-section",
     {"task_id": "t-1", "audio_id": "t-1-0", "prompt": "la", "full_lyrics": "la", "tags": "folk",
      "title": "On", "infill_start_s": 10, "infill_end_s": 20}),
    ({"action": "lyrics", "prompt": "rain"}, "generate-lyrics", {"prompt": "rain"}),
    ({"action": "boost-style", "styles": "slow"}, "boost-music-style", {"content": "slow"}),
    ({"action": "stems", **TRACK}, "separate-vocals", {"task_id": "t-1", "audio_id": "t-1-0"}),
    ({"action": "stems-all", **TRACK}, "stem-split", {"task_id": "t-1", "audio_id": "t-1-0"}),
    ({"action": "wav", **TRACK}, "convert-to-wav", {"task_id": "t-1", "audio_id": "t-1-0"}),
    ({"action": "timestamped-lyrics", **TRACK}, "get-timestamped-lyrics",
     {"task_id": "t-1", "audio_id": "t-1-0"}),
    ({"action": "music-video", **TRACK}, "create-music-video", {"task_id": "t-1", "audio_id": "t-1-0"}),
    ({"action": "music-cover", "parentTaskId": "t-1"}, "generate-music-cover", {"task_id": "t-1"}),
    ({"action": "midi", "parentTaskId": "t-1"}, "generate-midi",
     {"task_id": "t-1", "feature_code": "generate-midi"}),
]  # fmt: skip
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"action": "cover", "parentTaskId": "t-1"}, "no word for parentTaskId"),
    ({"action": "extend", "audioUrl": S}, "no word for audioUrl"),
    ({"action": "extend", "parentTaskId": "t-1"}, "extend needs audio_id"),
    ({"action": "wav", "parentTaskId": "t-1"}, "wav needs audio_id"),
    ({"action": "add-vocals", "audioUrl": S, "prompt": "la"}, "needs title, style, negative_tags"),
    ({"action": "music-video", **TRACK, "aspectRatio": "1:1"}, "'1:1', but only"),
    ({"action": "stems", **TRACK, "stemType": "drums"}, "'drums', but only"),
    ({"action": "lyrics", "prompt": "rain", "instrumental": True}, "True, but only"),
    ({"action": "music", "styles": "jazz", "instrumental": True}, "music needs prompt"),
    ({"action": "cover", "audioUrl": S}, "cover needs prompt"),
    ({"prompt": "a song", "bpm": 90}, "no word for bpm"),
    ({"prompt": "a song", "imageUrl": A}, "no word for imageUrl"),
]
test_words = in_words("poyo", [("suno", *case) for case in BODIES])
test_no_words = without_words("poyo", [("suno", {**SONG, **values}, why) for values, why in REFUSED])


def test_every_action_of_the_route_has_words() -> None:
    (route,) = [one for one in CATALOG.media_model("suno").routes if one.provider == "poyo"]
    assert set(route.upstream) == set(route.takes["action"]) == set(ACTIONS)


class TestResults:
    @pytest.mark.parametrize(
        ("entries", "urls"),
        [
            ([{"file_url": "a"}, {"file_url": "b"}], ["a", "b"]),
            ([{"wav_url": "a"}], ["a"]),
            ([{"video_url": "a"}], ["a"]),
            ([{"separate_vocals": '{"vocal_url": "a", "instrumental_url": "b"}'}], ["a", "b"]),
            ([{"stem_split": {"drums": "a"}}], ["a"]),
            ([{"generate_cover": '[{"file_url": "a", "file_type": "image"}]'}], ["a"]),
        ],
    )
    def test_files_are_found_where_each_model_puts_them(self, entries: Any, urls: list[str]) -> None:
        assert succeeded(entries) == Succeeded(tuple(map(ResultFile, urls)))

    def test_tracks_are_told_with_the_ids_that_follow_ups_want(self) -> None:
        entry = {"audio_id": "1", "audio_url": "a", "image_url": "i", "title": "t", "duration": 61.5}
        tracks = [{"audioId": "1", "title": "t", "durationS": 61.5}]
        assert succeeded([entry], "job") == Succeeded((ResultFile("a"),), {"tracks": tracks}, "job")

    @pytest.mark.parametrize(
        ("entries", "output"),
        [
            ([{"title": "On", "text": "la la"}], {"title": "On", "lyrics": "la la"}),
            ([{"style": "warm"}], {"styles": "warm"}),
            ([{"timestampe_lyrics": "[]"}], {"timestampedLyrics": "[]"}),
        ],
    )
    def test_words_are_the_output(self, entries: Any, output: dict[str, str]) -> None:
        assert succeeded(entries) == Succeeded(output=output)

    @pytest.mark.parametrize("entries", [None, {}, [], [5], [{}], [{"stem_split": "{"}], [{"audio_url": 5}]])
    def test_nothing_is_found_in_nothing(self, entries: Any) -> None:
        assert succeeded(entries) == Succeeded()

    @given(entries=ANSWERS)
    def test_any_answer_can_be_read(self, entries: Any) -> None:
        keep(succeeded([received(entries)]))


SUBMITS = submits(
    job_of("poyo", "suno", {"prompt": "a song"}),
    says("a music job", Submitted({**HANDLE, "task_id": "t-1"}), {"code": 200, "data": {"task_id": "t-1"}}),
)
POLLS = polls(
    HANDLE,
    says(
        "it is asked for under its own path",
        Pending(),
        {"code": 200, "data": {"status": "running"}},
        sent="GET /api/generate/detail/music?task_id=t%201",
    ),
)
test_answers = each("poyo", SUBMITS, POLLS)


class TestSimulated:
    @pytest.fixture
    def provider(self, simulator_url: str) -> MediaProvider:
        return connected("poyo", f"{simulator_url}/poyo")

    def made(self, provider: MediaProvider, source: dict[str, Any]) -> tuple[str, Any]:
        """Submit and poll an action; give PoYo's task id and the outcome."""
        submitted = provider.submit(job_of("poyo", "suno", source))
        assert isinstance(submitted, Submitted), submitted
        return submitted.handle["task_id"], provider.poll(submitted.handle)

    @pytest.mark.parametrize(
        ("source", "starts"),
        [
            ({"action": "extend", "startS": 4}, [b"ID3", b"ID3"]),
            ({"action": "wav"}, [b"ID3"]),
            ({"action": "stems"}, [b"ID3"]),
            ({"action": "stems-all"}, [b"ID3"]),
            ({"action": "music-video"}, [b"\x00\x00\x00"]),
        ],
    )
    def test_an_earlier_track_is_worked_on(
        self, provider: MediaProvider, source: dict[str, Any], starts: list[bytes]
    ) -> None:
        task_id, _ = self.made(provider, {"prompt": "a song"})
        track = {"parentTaskId": task_id, "audioId": f"{task_id}-0"}
        _, done = self.made(provider, {**source, **track})
        assert isinstance(done, Succeeded)
        assert [first_bytes(file)[:3] for file in done.files] == starts

    def test_a_cover_image_is_made_for_an_earlier_task(self, provider: MediaProvider) -> None:
        task_id, _ = self.made(provider, {"prompt": "a song"})
        _, done = self.made(provider, {"action": "music-cover", "parentTaskId": task_id})
        assert isinstance(done, Succeeded)
        assert [first_bytes(file)[:4] for file in done.files] == [b"\x89PNG"]

    def test_words_come_as_the_output(self, provider: MediaProvider) -> None:
        _, lyrics = self.made(provider, {"action": "lyrics", "prompt": "rain"})
        assert isinstance(lyrics, Succeeded)
        assert lyrics.output is not None
        assert set(lyrics.output) == {"title", "lyrics"}
        _, style = self.made(provider, {"action": "boost-style", "styles": "slow"})
        assert isinstance(style, Succeeded)
        assert style.output is not None
        assert set(style.output) == {"styles"}

    def test_a_task_that_poyo_does_not_know_is_refused(self, provider: MediaProvider) -> None:
        job: Job = job_of("poyo", "suno", {"action": "wav", **TRACK})
        outcome = provider.submit(job)
        assert "task_id" in str(outcome)
        assert not isinstance(outcome, Submitted | Failed)
