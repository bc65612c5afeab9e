"""Suno on kie: each action in its words, and its records in ours.

Source: docs/providers/kie.md#music; kie's documentation.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG
from tests.unit.providers.mapping_support import S, job_of, mapped, route_of, said
from tests.unit.providers.support import Api, connected, first_bytes
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.media.kie.music import ACTIONS
from tollgate.providers.runtime.base import Job, Mapped, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    Rejected,
    RejectionKind,
    ResultFile,
    Submitted,
    Succeeded,
    Unknown,
)

CALLBACK = "http://127.0.0.1:9/cb"
TRACK = {"parentTaskId": "t-1", "audioId": "a-1"}
ITS_TRACK = {"taskId": "t-1", "audioId": "a-1"}
HANDLE = {"task_id": "t/1", "records": "generate"}

BODIES: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"prompt": "a song"}, "generate",
     {"model": "V5_5", "prompt": "a song", "instrumental": False, "customMode": False}),
    ({"prompt": "la", "styles": "jazz", "vocalGender": "Male", "negativeTags": "drums", "mv": "v4.5+"},
     "generate",
     {"model": "V4_5PLUS", "prompt": "la", "style": "jazz", "title": "jazz", "vocalGender": "m",
      "negativeTags": "drums", "instrumental": False, "customMode": True}),
    ({"action": "cover", "audioUrl": S, "prompt": "la", "title": "La", "audioWeight": 0.5},
     "generate/upload-cover",
     {"model": "V5_5", "uploadUrl": S, "prompt": "la", "title": "La", "audioWeight": 0.5,
      "instrumental": False, "customMode": True}),
    ({"action": "extend", **TRACK, "startS": 60}, "generate/extend",
     {"model": "V5_5", "audioId": "a-1", "continueAt": 60, "defaultParamFlag": False}),
    ({"action": "replace-section", **TRACK, "startS": 1, "endS": 2, "prompt": "la", "styles": "jazz",
      "title": "La"}, "generate/replace-section",
     {**ITS_TRACK, "infillStartS": 1, "infillEndS": 2, "prompt": "la", "fullLyrics": "la", "tags": "jazz",
      "title": "La"}),
    ({"action": "stems", **TRACK}, "vocal-removal/generate", {**ITS_TRACK, "type": "separate_vocal"}),
    ({"action": "stems-all", **TRACK}, "vocal-removal/generate", {**ITS_TRACK, "type": "split_stem"}),
    ({"action": "wav", **TRACK}, "wav/generate", ITS_TRACK),
    ({"action": "music-video", **TRACK}, "mp4/generate", ITS_TRACK),
    ({"action": "lyrics", "prompt": "rain"}, "lyrics", {"prompt": "rain"}),
]  # fmt: skip
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"action": "bpm", **TRACK}, "no path for the action bpm"),
    ({"action": "wav", "parentTaskId": "t-1"}, "wav needs audioId"),
    ({"prompt": "a song", "autoLyrics": True}, "no word for autoLyrics"),
    ({"prompt": "a song", "mv": "v3.5"}, "'v3.5'"),
    ({"action": "stems", **TRACK, "stemType": "drums"}, "'drums', but only"),
]


@pytest.mark.parametrize(("source", "path", "body"), BODIES, ids=lambda one: str(one)[:40])
def test_an_action_in_kies_words(source: dict[str, Any], path: str, body: dict[str, Any]) -> None:
    assert mapped("kie", "suno", source) == Mapped(path, body)


@pytest.mark.parametrize(("values", "reason"), REFUSED, ids=lambda one: str(one)[:40])
def test_what_kie_has_no_words_for_is_refused(values: dict[str, Any], reason: str) -> None:
    defaults = CATALOG.media_model("suno").check({"prompt": "a song"}).values
    del defaults["prompt"]
    with pytest.raises(CannotMapError, match=reason):
        said("kie", "suno", {**defaults, **values})


def test_every_action_of_the_route_has_words() -> None:
    route = route_of("kie", "suno")
    assert set(route.upstream) == set(route.takes["action"]) == set(ACTIONS)


@cache
def kie(base_url: str) -> MediaProvider:
    return connected("kie", base_url)


def song(**source: Any) -> Job:
    return replace(job_of("kie", "suno", source), callback_url=CALLBACK)


class TestSubmit:
    def submit(self, fake: Api, value: Any, **source: Any) -> Any:
        fake.says((200, value))
        return kie(fake.url).submit(song(**(source or {"prompt": "a song"})))

    @pytest.mark.parametrize(
        ("source", "path", "records"),
        [
            ({"prompt": "a song"}, "generate", "generate"),
            ({"action": "extend", **TRACK, "startS": 1}, "generate/extend", "generate"),
            ({"action": "stems", **TRACK}, "vocal-removal/generate", "vocal-removal"),
            ({"action": "lyrics", "prompt": "rain"}, "lyrics", "lyrics"),
        ],
    )
    def test_the_path_says_the_action_and_where_its_record_is(
        self, fake: Api, source: dict[str, Any], path: str, records: str
    ) -> None:
        submitted = self.submit(fake, {"code": 200, "data": {"taskId": "t-1"}}, **source)
        assert submitted == Submitted({"task_id": "t-1", "records": records})
        assert fake.received[0].path == f"/hook/api/v1/{path}"
        assert fake.body["callBackUrl"] == CALLBACK

    def test_without_an_address_to_call_back_nothing_is_sent(self, fake: Api) -> None:
        outcome = kie(fake.url).submit(job_of("kie", "suno", {"prompt": "a song"}))
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.NOT_CONFIGURED
        assert fake.received == []

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            (401, FailureKind.REFUSED_US),
            (429, FailureKind.REFUSED_US),
            (405, FailureKind.LIMITED),
            (430, FailureKind.LIMITED),
            (500, FailureKind.PROVIDER_ERROR),
            (555, FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_codes_are_of_the_dialect(self, fake: Api, code: int, kind: FailureKind) -> None:
        outcome = self.submit(fake, {"code": code, "msg": "no"})
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    @pytest.mark.parametrize("code", [400, 404, 413, 422])
    def test_an_invalid_input_is_refused(self, fake: Api, code: int) -> None:
        outcome = self.submit(fake, {"code": code, "msg": "too long"})
        assert outcome == Rejected(RejectionKind.INPUT, "too long")

    def test_an_answer_that_is_not_clear(self, fake: Api) -> None:
        assert isinstance(self.submit(fake, {"code": 200, "data": None}), Lost)


class TestPoll:
    def poll(self, fake: Api, **data: Any) -> Any:
        fake.says((200, {"code": 200, "data": data}))
        return kie(fake.url).poll(HANDLE)

    def test_it_asks_for_the_record(self, fake: Api) -> None:
        self.poll(fake, status="PENDING")
        assert fake.received[0].path == "/hook/api/v1/generate/record-info?taskId=t%2F1"

    @pytest.mark.parametrize("status", ["PENDING", "TEXT_SUCCESS", "FIRST_SUCCESS"])
    def test_a_job_under_way(self, fake: Api, status: str) -> None:
        assert self.poll(fake, status=status) == Pending()

    @pytest.mark.parametrize("status", ["SUCCESS", "CALLBACK_EXCEPTION"])
    def test_tracks_are_told_with_the_ids_that_follow_ups_want(self, fake: Api, status: str) -> None:
        entry = {"id": "a-1", "audioUrl": "a", "title": "t", "duration": 61.5, "prompt": "la", "tags": "jazz"}
        told = {"audioId": "a-1", "title": "t", "durationS": 61.5, "lyrics": "la", "styles": "jazz"}
        done = self.poll(fake, status=status, response={"sunoData": [entry, {"id": "a-2"}]})
        assert done == Succeeded((ResultFile("a"),), {"tracks": [told]}, "t/1")

    @pytest.mark.parametrize(
        ("response", "urls"),
        [
            ({"vocalUrl": "a", "instrumentalUrl": "b", "originUrl": "o"}, ["a", "b"]),
            ({"audioWavUrl": "a"}, ["a"]),
            ({"videoUrl": "a"}, ["a"]),
        ],
    )
    def test_files_of_a_tool(self, fake: Api, response: Any, urls: list[str]) -> None:
        done = self.poll(fake, successFlag="SUCCESS", response=response)
        assert done == Succeeded(tuple(map(ResultFile, urls)), None, "t/1")

    def test_lyrics_are_the_output(self, fake: Api) -> None:
        variants = [{"title": "On", "text": "la"}, {"title": "Off", "text": "lo"}]
        done = self.poll(fake, status="SUCCESS", response={"data": variants})
        assert isinstance(done, Succeeded)
        assert done.output == {
            "title": "On",
            "lyrics": "la",
            "variants": [{"title": "On", "lyrics": "la"}, {"title": "Off", "lyrics": "lo"}],
        }

    def test_words_that_are_refused(self, fake: Api) -> None:
        outcome = self.poll(fake, status="SENSITIVE_WORD_ERROR", errorMessage="artist name")
        assert outcome == Rejected(RejectionKind.CONTENT, "artist name")

    @pytest.mark.parametrize("status", ["CREATE_TASK_FAILED", "GENERATE_AUDIO_FAILED", "CALLBACK_EXCEPTION"])
    def test_a_failed_job(self, fake: Api, status: str) -> None:
        outcome = self.poll(fake, status=status, errorMessage="no")
        assert outcome == Failed(FailureKind.PROVIDER_ERROR, "no")

    @pytest.mark.parametrize("status", ["DONE", "", None, 5])
    def test_a_status_it_does_not_have_is_unknown(self, fake: Api, status: Any) -> None:
        assert isinstance(self.poll(fake, status=status), Unknown)


class TestSimulated:
    @pytest.fixture
    def provider(self, simulator_url: str) -> MediaProvider:
        return kie(f"{simulator_url}/kie")

    def made(self, provider: MediaProvider, **source: Any) -> Succeeded:
        submitted = provider.submit(song(**source))
        assert isinstance(submitted, Submitted), submitted
        done = provider.poll(submitted.handle)
        assert isinstance(done, Succeeded), done
        return done

    @pytest.mark.parametrize(("source", "starts"), [
        ({"action": "extend", "startS": 4}, b"ID3"),
        ({"action": "replace-section", "startS": 1, "endS": 2, "prompt": "la", "styles": "jazz",
          "title": "La"}, b"ID3"),
        ({"action": "stems"}, b"ID3"),
        ({"action": "stems-all"}, b"ID3"),
        ({"action": "wav"}, b"ID3"),
        ({"action": "music-video"}, b"\x00\x00\x00"),
    ], ids=lambda one: one["action"] if isinstance(one, dict) else "")  # fmt: skip
    def test_a_track_is_worked_on(
        self, provider: MediaProvider, source: dict[str, Any], starts: bytes
    ) -> None:
        earlier = self.made(provider, prompt="a song")
        assert earlier.output is not None
        track = {"parentTaskId": earlier.reference, "audioId": earlier.output["tracks"][1]["audioId"]}
        changed = self.made(provider, **source, **track)
        assert {first_bytes(file)[:3] for file in changed.files} == {starts}

    def test_lyrics(self, provider: MediaProvider) -> None:
        done = self.made(provider, action="lyrics", prompt="rain")
        assert done.files == ()
        assert done.output is not None
        assert "lyrics" in done.output

    def test_a_track_it_does_not_know_is_refused(self, provider: MediaProvider) -> None:
        outcome = provider.submit(song(action="wav", **TRACK))
        assert outcome == Rejected(RejectionKind.INPUT, "The audio does not exist")

    def test_words_that_are_refused(self, provider: MediaProvider) -> None:
        submitted = provider.submit(song(prompt="a song [[reject]]"))
        assert isinstance(submitted, Submitted)
        refused = provider.poll(submitted.handle)
        assert isinstance(refused, Rejected)
        assert refused.kind is RejectionKind.CONTENT
