"""Transcriptions without I/O: the charge is the probed length's, a broken text is free, forms."""

import asyncio
import json
from decimal import ROUND_CEILING, Decimal
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import text_model
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.forms import FormFile, read_form
from tollgate.text.kinds.transcription import (
    form_of,
    probed,
    read_transcription_request,
    transcription_exchange,
)
from tollgate.text.models import TextModel, TextProtocol, TextRoute, TokenPrices, Transcription
from tollgate.text.money.metering import charge_micro_usd, full_hold
from tollgate.text.routes.admission import demand_of, estimate_of
from tollgate.text.routes.response import encode_events
from tollgate.text.upstream.exchange import Exchange, HttpCall, RoutedRequest
from tollgate.text.wire.faults import STREAM_BROKEN, FaultError

CALL = HttpCall("POST", "http://vendor/audio/transcriptions", {}, b"")
Sent = list[tuple[str, str | FormFile]]
FILE = FormFile(b"RIFF", "a.exe", "text/html")


def model(minute: Decimal = Decimal("0.006")) -> TextModel:
    return text_model(
        id="ear",
        protocols=frozenset({TextProtocol.TRANSCRIPTION}),
        prices=TokenPrices(Decimal(0), Decimal(0), minute=minute),
        context_tokens=16_000,
        max_output_tokens=0,
        transcription=Transcription(
            ("json", "text", "verbose_json", "srt", "vtt"),
            translates=True,
            streams=True,
            tells_logprobs=False,
        ),
    )


def routed(length: Decimal = Decimal(8), of: TextModel | None = None, **fields: str) -> RoutedRequest:
    found = of or model()
    form: Sent = [("model", "ear"), ("file", FILE), *fields.items()]
    request = probed(read_transcription_request(form, translates=False), "wav", length)
    hold = full_hold(demand_of(request, found), found)
    route = TextRoute("some", "theirs", TextProtocol.TRANSCRIPTION)
    return RoutedRequest(request, found, route, hold, estimate_of(request, found), 0)


def events(*payloads: dict[str, Any]) -> bytes:
    return b"".join(f"data: {json.dumps(each)}\n\n".encode() for each in payloads)


DELTA = {"type": "transcript.text.delta", "delta": "Good"}
DONE = {"type": "transcript.text.done", "text": "Good evening"}


def charge(exchange: Exchange) -> int:
    return charge_micro_usd(exchange.meter.usage(), model())


class TestMoney:
    @given(st.decimals("0.001", 20_000, places=3), st.decimals("0.0001", 1, places=4))
    def test_hold_and_charge_are_the_price_of_whole_seconds(self, length: Decimal, minute: Decimal) -> None:
        of = model(minute)
        one = routed(length, of)
        exchange = transcription_exchange(one, CALL, {}, streams=False)
        exchange.read_whole(b'{"text": "Good evening"}')
        seconds = int(length.to_integral_value(ROUND_CEILING))
        # Rounded up to the micro-USD, in whole numbers: the price is a multiple of 0.0001 USD.
        expected = -(-seconds * int(minute * 10_000) * 100 // 60)
        assert charge_micro_usd(exchange.meter.usage(), of) == one.hold.amount_micro_usd == expected

    @pytest.mark.parametrize("told", [{"usage": {"seconds": 11}}, {"duration": 10.9}, {"usage": "x"}, {}])
    def test_a_provider_that_hears_as_much_as_the_probe_is_believed(self, told: dict[str, Any]) -> None:
        exchange = transcription_exchange(routed(Decimal(9)), CALL, {}, streams=False)
        exchange.read_whole(json.dumps({"text": "Good", **told}).encode())
        assert (charge(exchange), exchange.meter.usage().disbelieved) == (900, False)

    @pytest.mark.parametrize("told", [{"usage": {"seconds": 3600}}, {"duration": 3600.0}])
    def test_a_header_that_lies_rings_an_alarm_at_the_probed_price(self, told: dict[str, Any]) -> None:
        exchange = transcription_exchange(routed(Decimal(9)), CALL, {}, streams=False)
        exchange.read_whole(json.dumps({"text": "Good", **told}).encode())
        assert (charge(exchange), exchange.meter.usage().disbelieved) == (900, True)

    def test_a_broken_stream_costs_nothing(self) -> None:
        exchange = transcription_exchange(routed(stream="true"), CALL, {}, streams=True)
        encode_events(exchange, exchange.splitter.feed(events(DELTA)))
        assert b'"error"' in exchange.stream.close(STREAM_BROKEN)
        assert charge(exchange) == 0

    @pytest.mark.parametrize(
        ("wanted", "body"),
        [
            ("json", b"{}"),
            ("json", b'{"text": null}'),
            ("json", b'{"error": {"message": "busy", "type": "server_error"}}'),
            ("json", b"Good evening"),
            ("text", b"<html>upstream hiccup"),
            ("srt", b'{"error": {"message": "busy"}}'),
            ("vtt", b"\xff"),
        ],
    )
    def test_what_is_no_text_is_a_fault(self, wanted: str, body: bytes) -> None:
        exchange = transcription_exchange(routed(response_format=wanted), CALL, {}, streams=False)
        with pytest.raises(FaultError):
            exchange.read_whole(body)
        assert charge(exchange) == 0


class TestStream:
    @pytest.mark.parametrize("streams", [True, False])
    def test_every_vendor_s_answer_ends_with_the_text_and_the_cost(self, streams: bool) -> None:
        exchange = transcription_exchange(routed(stream="true"), CALL, {}, streams=streams)
        provided = events(DELTA, DONE) if streams else b'{"text": "Good evening"}'
        sent = encode_events(exchange, exchange.splitter.feed(provided))
        sent += encode_events(exchange, exchange.splitter.close())
        *_, last = (json.loads(line[6:]) for line in sent.splitlines() if line)
        assert (last["type"], last["text"]) == (DONE["type"], DONE["text"])
        assert (last["usage"]["type"], last["usage"]["seconds"]) == ("duration", 8)
        assert last["usage"]["cost"] == charge(exchange) / 1_000_000 == 0.0008


class TestForm:
    def test_a_provider_gets_the_fields_and_the_real_type(self) -> None:
        named = {"timestamp_granularities[]": "word", "response_format": "verbose_json"}
        one = routed(Decimal(8), None, language="de", temperature="0.5", **named)
        kind, body = form_of(one.request, "theirs", streams=False)
        boundary = kind.removeprefix("multipart/form-data; boundary=").encode()
        parts = body.split(b"--" + boundary)
        assert parts[-1] == b"--\r\n"
        assert b'filename="recording.wav"' in parts[-2]
        assert parts[-2].endswith(b"\r\n\r\nRIFF\r\n")
        for name, value in (("model", "theirs"), ("language", "de"), ("temperature", "0.5")):
            assert f'name="{name}"\r\n\r\n{value}\r\n'.encode() in body
        assert b'name="timestamp_granularities[]"\r\n\r\nword\r\n' in body
        assert b"a.exe" not in body

    def test_a_client_that_knows_its_file_adds_no_field(self) -> None:
        guessed = sha256(FILE.data).hexdigest()
        added = f'x\r\n--{guessed}\r\nContent-Disposition: form-data; name="model"\r\n\r\ndearer'
        kind, body = form_of(routed(prompt=added).request, "theirs", streams=False)
        found = asyncio.run(read_form({"content-type": kind}, body))
        assert [value for name, value in found if name == "model"] == ["theirs"]
        assert dict(found)["prompt"] == added

    @pytest.mark.parametrize(
        ("form", "path"),
        [
            ([("file", "text")], "/file"),
            ([("file", FormFile(b""))], "/file"),
            ([("model", FILE)], "/model"),
            ([("response_format", "xml")], "/response_format"),
            ([("temperature", "hot")], "/temperature"),
            ([("temperature", "nan")], "/temperature"),
            ([("stream", "maybe")], "/stream"),
            ([("include[]", "speakers")], "/include"),
            ([("timestamp_granularities[]", "syllable")], "/timestamp_granularities"),
            ([("prompt", "a" * 4097)], "/prompt"),
            ([("chunking_strategy", "auto")], "/chunking_strategy"),
            ([("provider", "[" * 100_000)], "/provider"),
            ([("provider[only]", "openai"), ("provider[zdr]", "true")], "/provider/only"),
        ],
    )
    def test_a_wrong_field_is_named(self, form: list[tuple[str, Any]], path: str) -> None:
        with pytest.raises(InvalidInputError) as raised:
            read_transcription_request([("model", "ear"), ("file", FILE), *form], translates=False)
        assert [problem.path for problem in raised.value.problems] == [path]

    def test_a_translation_has_no_language(self) -> None:
        form: Sent = [("model", "ear"), ("file", FILE), ("language", "de")]
        with pytest.raises(InvalidInputError, match="language"):
            read_transcription_request(form, translates=True)
