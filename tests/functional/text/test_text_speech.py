"""Speech through the official SDK, on the served app: recordings, the bill, broken streams, refusals."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import av
import openai
import pytest

from tests.support.text_app import TextClient

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

SPOKEN = "The lighthouse is lit at dusk, and the harbour sleeps."
"""54 characters: 4 s at the simulator's 15 characters per second, and 15 tokens with its quotes."""
FILES = {
    "mp3": ("audio/mpeg", "mp3", "mp3float"),
    "opus": ("audio/ogg", "ogg", "opus"),
    "aac": ("audio/aac", "aac", "aac"),
    "flac": ("audio/flac", "flac", "flac"),
    "wav": ("audio/wav", "wav", "pcm_s16le"),
}
CHARGES = {
    "tts-1": 54 * 15,
    "tts-1-hd": 54 * 30,
    # 14 tokens of text at 0.6 and 4 s of 1,250 tokens per minute at 12: 8.4 + 83 × 12.
    "gpt-4o-mini-tts": 1005,
    "voxtral-mini-tts-3": 54 * 13,
    "test-speech": 0,
}
VOICES = {"voxtral-mini-tts-3": "voice_478"}


def speak(client: TextClient, **body: Any) -> Any:
    with client.openai.audio.speech.with_streaming_response.create(
        **{
            "model": "tts-1",
            "voice": VOICES.get(body.get("model", ""), "alloy"),
            "input": SPOKEN,
            **body,
        }
    ) as answer:
        answer.read()
        return answer.http_response


class TestRecordings:
    @pytest.mark.parametrize("model", CHARGES)
    def test_at_the_published_price(self, client: TextClient, model: str) -> None:
        answer = speak(client, model=model)
        (entry,) = client.texts_when(1)
        assert (entry.amount_micro_usd, client.balance()) == (-CHARGES[model], 1_000_000 - CHARGES[model])
        told = answer.headers.get("x-tollgate-cost-micro-usd")
        assert told == (None if model == "gpt-4o-mini-tts" else str(CHARGES[model]))
        assert client.settled()

    @pytest.mark.parametrize("name", FILES)
    def test_a_decoder_opens_each_format(self, client: TextClient, name: str) -> None:
        kind, container, codec = FILES[name]
        answer = speak(client, response_format=name)
        assert answer.headers["content-type"] == kind
        with av.open(BytesIO(answer.content), "r", format=container) as file:
            assert file.streams.audio[0].codec_context.name.removesuffix("float") == codec.removesuffix(
                "float"
            )
            assert sum(frame.samples for frame in file.decode(audio=0)) > 24_000 * 3

    def test_a_vendor_with_events_only_sends_bytes_too(self, client: TextClient) -> None:
        answer = speak(client, model="voxtral-mini-tts-3", response_format="flac", speed=1)
        with av.open(BytesIO(answer.content), "r", format="flac") as file:
            assert sum(frame.samples for frame in file.decode(audio=0)) > 24_000 * 3

    def test_events_end_with_the_usage_and_its_cost(self, client: TextClient) -> None:
        answer = speak(client, model="gpt-4o-mini-tts", stream_format="sse", instructions="Whisper")
        assert answer.headers["content-type"].startswith("text/event-stream")
        (entry,) = client.texts_when(1)
        assert f'"cost":{-entry.amount_micro_usd / 1_000_000}' in answer.text.splitlines()[-2]

    def test_another_provider_speaks_if_the_first_fails(self, client: TextClient) -> None:
        answer = speak(client, input=f"{SPOKEN} [[openai: fail]]")
        assert answer.headers["x-tollgate-route"] == "azure"
        assert client.settled()


class TestFailure:
    @pytest.mark.parametrize("model", ["tts-1", "gpt-4o-mini-tts", "voxtral-mini-tts-3", "test-speech"])
    def test_a_broken_recording_never_looks_whole_and_is_free(self, client: TextClient, model: str) -> None:
        # The class is of the library that the SDK chose.
        with pytest.raises(Exception, match="incomplete chunked read"):
            speak(client, model=model, input=f"{SPOKEN} [[stream-cut 1]]")
        (entry,) = client.texts_when(1)
        assert (entry.amount_micro_usd, client.balance()) == (0, 1_000_000)
        assert client.settled()

    def test_a_broken_stream_of_events_ends_with_an_error(self, client: TextClient) -> None:
        answer = speak(client, stream_format="sse", input=f"{SPOKEN} [[stream-cut 1]]")
        assert '"error"' in answer.text.splitlines()[-2]
        assert "speech.audio.done" not in answer.text
        assert client.texts_when(1)[0].amount_micro_usd == 0

    @pytest.mark.parametrize(
        ("told", "status"), [("[[fail]]", 503), ("[[reject]]", 400), ("[[garbage]]", 502)]
    )
    def test_without_a_recording_nothing_is_charged(self, client: TextClient, told: str, status: int) -> None:
        with pytest.raises(openai.APIStatusError) as raised:
            speak(client, input=f"{SPOKEN} {told}")
        assert (raised.value.status_code, client.balance()) == (status, 1_000_000)
        assert client.settled()

    def test_no_money(self, open_client: Callable[[int], TextClient]) -> None:
        pauper = open_client(CHARGES["tts-1"] - 1)
        with pytest.raises(openai.APIStatusError) as raised:
            speak(pauper)
        assert (raised.value.status_code, pauper.settled()) == (402, True)


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"voice": "marin"}, "/voice"),
        ({"input": "a" * 4097}, "/input"),
        ({"instructions": "Whisper"}, "/instructions"),
        ({"model": "test-speech", "response_format": "opus"}, "/response_format"),
        ({"model": "voxtral-mini-tts-3", "speed": 2}, "/speed"),
        ({"model": "gpt-5.4-mini"}, "/model"),
        ({"extra_body": {"user": "u"}}, "/user"),
        ({"extra_body": {"provider": {"only": ["mistral"]}}}, "/provider/only"),
    ],
)
def test_a_model_s_refusal_names_the_field(client: TextClient, wrong: dict[str, Any], path: str) -> None:
    with pytest.raises(openai.APIStatusError) as raised:
        speak(client, **wrong)
    found: Any = raised.value.body
    assert [each["path"] for each in found["details"]] == [path]
    assert (client.balance(), client.texts()) == (1_000_000, [])
