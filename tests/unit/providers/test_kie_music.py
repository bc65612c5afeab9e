"""Suno on kie: each action in its words, and its records in ours.

Source: docs/providers/kie.md#music; kie's documentation.
"""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.providers.mapping_support import SONG, S, in_words, job_of, route_of, without_words
from tests.unit.providers.support import first_bytes
from tests.unit.providers.tables import done, each, polls, says, submits
from tests.unit.providers.ways import simulated
from tollgate.providers.media.kie.music import ACTIONS
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    Rejected,
    RejectionKind,
    Submitted,
    Succeeded,
    Unknown,
)

T = "https://a.test/t.mp3"
CALLBACK = "http://127.0.0.1:9/cb"
TRACK = {"parentTaskId": "t-1", "audioId": "a-1"}
ITS_TRACK = {"taskId": "t-1", "audioId": "a-1"}

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
    ({"action": "voice", "voiceAudioUrl": S, "startS": 0, "endS": 9.5}, "voice/validate",
     {"voiceUrl": S, "vocalStartS": 0, "vocalEndS": 9.5}),
    ({"action": "voice", "voiceAudioUrl": S, "phraseId": "v-1", "verificationAudioUrl": T, "name": "Ann",
      "description": "warm", "styles": "jazz", "singerSkillLevel": "Beginner"}, "voice/generate",
     {"taskId": "v-1", "verifyUrl": T, "voiceName": "Ann", "description": "warm", "style": "jazz",
      "singerSkillLevel": "beginner"}),
]  # fmt: skip
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"action": "bpm", **TRACK}, "no path for the action bpm"),
    ({"action": "wav", "parentTaskId": "t-1"}, "wav needs audioId"),
    # Without a part to sing from, another provider makes the voice at once.
    ({"action": "voice", "voiceAudioUrl": S}, "needs vocalStartS"),
    ({"prompt": "a song", "autoLyrics": True}, "no word for autoLyrics"),
    ({"prompt": "a song", "mv": "v3.5"}, "'v3.5'"),
    ({"action": "stems", **TRACK, "stemType": "drums"}, "'drums', but only"),
]
test_words = in_words("kie", [("suno", *case) for case in BODIES])
test_no_words = without_words("kie", [("suno", {**SONG, **values}, why) for values, why in REFUSED])


def test_every_action_of_the_route_has_words() -> None:
    route = route_of("kie", "suno")
    assert set(route.upstream) == {*route.takes["action"], "voice-phrase"} == set(ACTIONS)


def song(**source: Any) -> Job:
    return replace(job_of("kie", "suno", source), callback_url=CALLBACK)


def taken(path: str, records: str, **source: Any) -> list[Any]:
    """Return the row of an action: its path, and where its record is."""
    found = Submitted({"task_id": "t-1", "records": records})
    sent, fields = f"POST /api/v1/{path}", {"callBackUrl": CALLBACK}
    return submits(song(**source), says(path, found, GOOD, sent=sent, fields=fields))


def code(code: int) -> dict[str, Any]:
    return {"code": code, "msg": "no"}


def record(status: Any, **more: Any) -> dict[str, Any]:
    return {"code": 200, "data": {"status": status, **more}}


def tool(**response: str) -> dict[str, Any]:
    return {"code": 200, "data": {"successFlag": "SUCCESS", "response": response}}


GOOD = {"code": 200, "data": {"taskId": "t-1"}}
ENTRY = {"id": "a-1", "audioUrl": "a", "title": "t", "duration": 61.5, "prompt": "la", "tags": "jazz"}
TOLD = {"audioId": "a-1", "title": "t", "durationS": 61.5, "lyrics": "la", "styles": "jazz"}
TRACKS = {"sunoData": [ENTRY, {"id": "a-2"}]}
TEXTS = [{"title": "On", "text": "la"}, {"title": "Off", "text": "lo"}]
LYRICS = [{"title": "On", "lyrics": "la"}, {"title": "Off", "lyrics": "lo"}]
FAILED = ("CREATE_TASK_FAILED", "GENERATE_AUDIO_FAILED", "CALLBACK_EXCEPTION")

PHRASE = {"validateInfo": "la la"}
VOICES = polls(
    {"task_id": "t/1", "records": "voice", "record": "validate-info"},
    says(
        "the phrase to sing",
        done(output={"phraseId": "t/1", "phrase": "la la"}),
        record("wait_validating", **PHRASE),
        sent="GET /api/v1/voice/validate-info?taskId=t%2F1",
    ),
) + polls(
    {"task_id": "t/1", "records": "voice"},
    says(
        "a voice that is checked",
        Pending(),
        *map(record, ("wait_processing", "processing_validate", "wait_validating")),
        sent="GET /api/v1/voice/record-info?taskId=t%2F1",
    ),
    says("a voice", done(output={"voiceId": "v-1"}), record("success", voiceId="v-1")),
    says(
        "another voice than the recording's",
        Rejected(RejectionKind.INPUT, "no match"),
        record("processing_validate_fail", errorMessage="no match"),
    ),
    says("a failed job", FailureKind.PROVIDER_ERROR, record("fail", errorMessage="no")),
    says("a status it does not have", Unknown, *map(record, ("success", "SUCCESS", None))),
)
SUBMITS = submits(
    song(prompt="a song"),
    says("our key or our credit", FailureKind.REFUSED_US, code(401), code(429)),
    says("too many at once", FailureKind.LIMITED, code(405), code(430)),
    says("its own fault", FailureKind.PROVIDER_ERROR, code(500), code(555)),
    says("an invalid input", Rejected(RejectionKind.INPUT, "no"), *map(code, (400, 404, 413, 422))),
    says("not clear", Lost, {"code": 200, "data": None}),
)
NOT_SENT = submits(
    job_of("kie", "suno", {"prompt": "a song"}),
    says("nothing is sent without an address to call back", FailureKind.NOT_CONFIGURED, sent=()),
)
POLLS = polls(
    {"task_id": "t/1", "records": "generate"},
    says(
        "under way",
        Pending(),
        *map(record, ("PENDING", "TEXT_SUCCESS", "FIRST_SUCCESS")),
        sent="GET /api/v1/generate/record-info?taskId=t%2F1",
    ),
    says(
        "tracks have the ids that follow-ups want",
        done("a", output={"tracks": [TOLD]}, reference="t/1"),
        *(record(status, response=TRACKS) for status in ("SUCCESS", "CALLBACK_EXCEPTION")),
    ),
    says(
        "files of stems",
        done("a", "b", reference="t/1"),
        tool(vocalUrl="a", instrumentalUrl="b", originUrl="o"),
    ),
    says("the file of a tool", done("a", reference="t/1"), tool(audioWavUrl="a"), tool(videoUrl="a")),
    says(
        "lyrics are the output",
        done(output={"title": "On", "lyrics": "la", "variants": LYRICS}, reference="t/1"),
        record("SUCCESS", response={"data": TEXTS}),
    ),
    says(
        "words that are refused",
        Rejected(RejectionKind.CONTENT, "artist name"),
        record("SENSITIVE_WORD_ERROR", errorMessage="artist name"),
    ),
    says(
        "a failed job",
        Failed(FailureKind.PROVIDER_ERROR, "no"),
        *(record(status, errorMessage="no") for status in FAILED),
    ),
    says("a status it does not have", Unknown, *map(record, ("DONE", "", None, 5))),
)
test_answers = each(
    "kie",
    taken("generate", "generate", prompt="a song"),
    taken("generate/extend", "generate", action="extend", **TRACK, startS=1),
    taken("vocal-removal/generate", "vocal-removal", action="stems", **TRACK),
    taken("lyrics", "lyrics", action="lyrics", prompt="rain"),
    SUBMITS,
    NOT_SENT,
    POLLS,
    VOICES,
)


class TestSimulated:
    @pytest.fixture
    def provider(self, simulator_url: str) -> MediaProvider:
        return simulated("kie", simulator_url)

    def made(self, provider: MediaProvider, **source: Any) -> Succeeded:
        submitted = provider.submit(song(**source))
        assert isinstance(submitted, Submitted), submitted
        made = provider.poll(submitted.handle)
        assert isinstance(made, Succeeded), made
        return made

    def test_a_voice_is_made_in_two_steps(self, provider: MediaProvider) -> None:
        voice = {"action": "voice", "voiceAudioUrl": S}
        phrase = self.made(provider, **voice, startS=0, endS=9).output
        assert phrase is not None
        assert phrase["phrase"]
        verified = {"verificationAudioUrl": T, "phraseId": phrase["phraseId"], "singerSkillLevel": "Beginner"}
        made = self.made(provider, **voice, **verified).output
        assert made is not None
        assert made["voiceId"]

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
        made = self.made(provider, action="lyrics", prompt="rain")
        assert made.files == ()
        assert made.output is not None
        assert "lyrics" in made.output

    def test_a_track_it_does_not_know_is_refused(self, provider: MediaProvider) -> None:
        outcome = provider.submit(song(action="wav", **TRACK))
        assert outcome == Rejected(RejectionKind.INPUT, "The audio does not exist")

    def test_words_that_are_refused(self, provider: MediaProvider) -> None:
        submitted = provider.submit(song(prompt="a song [[reject]]"))
        assert isinstance(submitted, Submitted)
        refused = provider.poll(submitted.handle)
        assert isinstance(refused, Rejected)
        assert refused.kind is RejectionKind.CONTENT
