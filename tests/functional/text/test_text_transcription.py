"""Transcriptions through the official SDK, on the served app: texts, the bill, refusals of files."""

from collections.abc import Iterator
from typing import Any

import openai
import pytest

from local.simulator.media.speech import recording
from local.template import Template
from tests.support.lambda_api import running_lambda_api
from tests.support.text_app import TextClient

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

SECONDS = 5
WAV = recording(1, SECONDS, "wav")
CHARGES = {"gpt-transcribe": 375, "whisper-1": 500, "test-transcription": 0}
"""5 s at 0.0045 and at 0.006 USD per minute, in micro-USD."""


@pytest.fixture(scope="module", autouse=True)
def functions(template: Template) -> Iterator[None]:
    """Serve the function that reads files, before the app reads its settings."""
    with running_lambda_api(template) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL_LAMBDA", url)
        yield


def hear(client: TextClient, **body: Any) -> Any:
    return client.openai.audio.transcriptions.create(**{"model": "whisper-1", "file": ("a.wav", WAV), **body})


class TestTexts:
    @pytest.mark.parametrize("model", CHARGES)
    def test_at_the_published_price_of_the_probed_length(self, client: TextClient, model: str) -> None:
        found = hear(client, model=model)
        (entry,) = client.texts_when(1)
        assert (entry.amount_micro_usd, client.balance()) == (-CHARGES[model], 1_000_000 - CHARGES[model])
        assert (found.usage.type, found.usage.seconds) == ("duration", SECONDS)
        assert found.usage.cost == CHARGES[model] / 1_000_000
        assert client.settled()

    @pytest.mark.parametrize("name", ["mp3", "opus", "flac"])
    def test_of_other_types(self, client: TextClient, name: str) -> None:
        found = hear(client, file=("a.bin", recording(1, SECONDS, name)))
        # Compressed recordings end with a part of a frame.
        assert found.usage.seconds in (SECONDS, SECONDS + 1)

    @pytest.mark.parametrize("wanted", ["text", "srt", "vtt"])
    def test_as_text(self, client: TextClient, wanted: str) -> None:
        found = hear(client, response_format=wanted)
        assert ("-->" in found) is (wanted != "text")
        assert client.texts_when(1)[0].amount_micro_usd == -CHARGES["whisper-1"]

    def test_with_the_times_of_words(self, client: TextClient) -> None:
        found = hear(client, response_format="verbose_json", timestamp_granularities=["word"])
        assert (round(found.duration), found.words[0].word) == (SECONDS, "segment")

    def test_in_english(self, client: TextClient) -> None:
        # The SDK marks its method as deprecated, because OpenAI ends whisper-1.
        with pytest.deprecated_call():
            found = client.openai.audio.translations.create(model="whisper-1", file=("a.wav", WAV))
        assert found.text.startswith("In English")

    @pytest.mark.parametrize(("model", "least"), [("gpt-transcribe", 5), ("whisper-1", 1)])
    def test_streamed(self, client: TextClient, model: str, least: int) -> None:
        *deltas, done = hear(client, model=model, stream=True)
        assert (done.type, len(deltas) + 1 >= least) == ("transcript.text.done", True)
        assert client.texts_when(1)[0].amount_micro_usd == -CHARGES[model]

    def test_another_provider_hears_if_the_first_fails(self, client: TextClient) -> None:
        assert hear(client, prompt="[[openai: fail]]").text
        assert client.texts_when(1)[0].provider == "azure"


class TestNothingCharged:
    @pytest.mark.parametrize(
        "data",
        [b"hello", WAV[:1000], b"\x89PNG\r\n\x1a\n" + bytes(100), b"%PDF-1.7", b"ID3" + bytes(500)],
        ids=["text", "cut", "image", "document", "no header"],
    )
    def test_for_a_file_that_is_no_recording(self, client: TextClient, data: bytes) -> None:
        assert refused(client, file=("a.wav", data)) == ["/file"]

    @pytest.mark.parametrize(
        ("wrong", "path"),
        [
            ({"model": "gpt-transcribe", "response_format": "srt"}, "/response_format"),
            ({"stream": True, "response_format": "vtt"}, "/response_format"),
            ({"timestamp_granularities": ["word"]}, "/timestamp_granularities"),
            ({"include": ["logprobs"]}, "/include"),
            ({"model": "tts-1"}, "/model"),
            ({"extra_body": {"provider": {"only": ["mistral"]}}}, "/provider/only"),
        ],
    )
    def test_for_a_field_that_the_model_has_not(
        self, client: TextClient, wrong: dict[str, Any], path: str
    ) -> None:
        assert refused(client, **wrong) == [path]

    @pytest.mark.parametrize(
        ("told", "status"), [("[[fail]]", 503), ("[[reject]]", 400), ("[[garbage]]", 502)]
    )
    def test_without_a_text(self, client: TextClient, told: str, status: int) -> None:
        with pytest.raises(openai.APIStatusError) as raised:
            hear(client, prompt=told)
        assert (raised.value.status_code, client.balance(), client.settled()) == (status, 1_000_000, True)

    def test_for_a_stream_that_breaks(self, client: TextClient) -> None:
        with pytest.raises(openai.APIError, match="broke off"):
            list(hear(client, model="gpt-transcribe", stream=True, prompt="[[stream-cut 2]]"))
        assert client.texts_when(1)[0].amount_micro_usd == 0
        assert client.settled()


def refused(client: TextClient, **body: Any) -> list[str]:
    """Return the paths of the problems; nothing is held or charged."""
    with pytest.raises(openai.APIStatusError) as raised:
        hear(client, **body)
    found: Any = raised.value.body
    assert (client.balance(), client.texts()) == (1_000_000, [])
    return [each["path"] for each in found["details"]]
