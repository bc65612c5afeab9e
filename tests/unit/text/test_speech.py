"""Speech without I/O: the hold covers the charge, a broken recording is free, bytes and events."""

import base64
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import text_model
from tollgate.kit.errors import InvalidInputError
from tollgate.text.body.json_body import dumps
from tollgate.text.kinds.speech import read_speech_request, speech_exchange
from tollgate.text.models import Speech, TextModel, TextProtocol, TextRoute, TokenPrices
from tollgate.text.money.metering import affordable_hold, charge_micro_usd, full_hold
from tollgate.text.routes.admission import demand_of, estimate_of
from tollgate.text.routes.response import encode_events
from tollgate.text.upstream.exchange import Exchange, HttpCall, RoutedRequest
from tollgate.text.wire.faults import STREAM_BROKEN

FORMATS = ("mp3", "opus", "aac", "flac", "wav", "pcm")
CALL = HttpCall("POST", "http://vendor/audio/speech", {}, b"")
SOUND = b"\xff\xfbsound"


def speech_model(prices: TokenPrices, most: int) -> TextModel:
    return text_model(
        id="voice",
        protocols=frozenset({TextProtocol.SPEECH}),
        prices=prices,
        context_tokens=4096,
        max_output_tokens=most,
        speech=Speech(4096, ("alloy",), FORMATS, takes_instructions=True),
    )


BY_CHARACTER = speech_model(TokenPrices(Decimal(0), Decimal(0), character=Decimal(15)), 0)
BY_TOKEN = speech_model(TokenPrices(Decimal("0.6"), Decimal(12)), 25_000)
MODELS = (BY_CHARACTER, BY_TOKEN)


def routed(model: TextModel, **fields: Any) -> RoutedRequest:
    body = {"model": "voice", "voice": "alloy", "input": "hello", **fields}
    request = read_speech_request(dumps(body).encode())
    hold = full_hold(demand_of(request, model), model)
    route = TextRoute("some", "theirs", TextProtocol.SPEECH)
    return RoutedRequest(request, model, route, hold, estimate_of(request, model), 0)


def relayed(exchange: Exchange, *pieces: bytes, cut: bool = False) -> bytes:
    """Return the bytes that a client gets from a provider's pieces."""
    sent = b"".join(encode_events(exchange, exchange.splitter.feed(piece)) for piece in pieces)
    if cut:
        return sent + exchange.stream.close(STREAM_BROKEN)
    return sent + encode_events(exchange, exchange.splitter.close()) + exchange.stream.close()


def events(*payloads: dict[str, Any]) -> bytes:
    return b"".join(f"data: {json.dumps(each)}\n\n".encode() for each in payloads)


def delta(audio: bytes) -> dict[str, Any]:
    return {"type": "speech.audio.delta", "audio": base64.b64encode(audio).decode()}


def done(output: int, source: int = 3) -> dict[str, Any]:
    usage = {"input_tokens": source, "output_tokens": output, "total_tokens": source + output}
    return {"type": "speech.audio.done", "usage": usage}


def charge(exchange: Exchange, model: TextModel) -> int:
    return charge_micro_usd(exchange.meter.usage(), model)


class TestMoney:
    @given(st.text(min_size=1, max_size=4096).filter(str.strip), st.integers(0, 10_000))
    def test_by_the_character_hold_and_charge_are_the_published_price(
        self, spoken: str, balance: int
    ) -> None:
        one = routed(BY_CHARACTER, input=spoken)
        exchange = speech_exchange(one, CALL, {}, is_audio=True)
        relayed(exchange, SOUND)
        # 15 USD per 1M characters are 15 micro-USD each.
        assert charge(exchange, BY_CHARACTER) == one.hold.amount_micro_usd == 15 * len(spoken)
        # No limit can be sent with speech, so a small balance is refused and never cuts it.
        demand = demand_of(one.request, BY_CHARACTER)
        assert affordable_hold(demand, BY_CHARACTER, balance).passed_limit is None

    @given(
        st.text(min_size=1, max_size=4096).filter(str.strip),
        st.one_of(st.none(), st.floats(0.25, 4)),
        st.integers(1, 16),
    )
    def test_by_the_token_the_hold_covers_slow_speech(
        self, spoken: str, speed: float | None, each: int
    ) -> None:
        one = routed(BY_TOKEN, input=spoken, speed=speed)
        output = min(int(each * len(spoken) / min(speed or 1, 1)), BY_TOKEN.max_output_tokens)
        exchange = speech_exchange(one, CALL, {}, is_audio=False)
        relayed(exchange, events(delta(SOUND), done(output + 1, len(spoken))))
        assert 0 < charge(exchange, BY_TOKEN) <= one.hold.amount_micro_usd

    def test_by_the_token_the_report_is_billed(self) -> None:
        exchange = speech_exchange(routed(BY_TOKEN), CALL, {}, is_audio=False)
        relayed(exchange, events(delta(SOUND), done(100, 10)))
        assert charge(exchange, BY_TOKEN) == 10 * Decimal("0.6") + 100 * 12

    @pytest.mark.parametrize("usage", [None, {}, {"input_tokens": -1, "output_tokens": "x"}])
    def test_without_a_report_our_estimate_is_billed(self, usage: Any) -> None:
        one = routed(BY_TOKEN, input="a" * 1000)
        exchange = speech_exchange(one, CALL, {}, is_audio=False)
        relayed(exchange, events(delta(SOUND), {"type": "speech.audio.done", "usage": usage}))
        used = exchange.meter.usage()
        assert (used.output_tokens, used.estimated) == (1500, True)
        assert 0 < charge(exchange, BY_TOKEN) <= one.hold.amount_micro_usd

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("form", ["audio", "sse"])
    def test_a_broken_recording_costs_nothing(self, model: TextModel, form: str) -> None:
        is_audio = model is BY_CHARACTER
        exchange = speech_exchange(routed(model, stream_format=form), CALL, {}, is_audio=is_audio)
        sent = relayed(exchange, SOUND if is_audio else events(delta(SOUND)), cut=True)
        assert exchange.stream.fault is STREAM_BROKEN
        assert charge(exchange, model) == 0
        assert (b'"error"' in sent) is (form == "sse")

    def test_a_recording_that_nobody_relays_costs_nothing(self) -> None:
        assert charge(speech_exchange(routed(BY_CHARACTER), CALL, {}, is_audio=True), BY_CHARACTER) == 0


class TestForm:
    @pytest.mark.parametrize("model", MODELS)
    @given(st.lists(st.binary(min_size=1, max_size=40), max_size=5))
    def test_bytes_are_the_provider_s_and_events_have_the_same(
        self, model: TextModel, rest: list[bytes]
    ) -> None:
        is_audio = model is BY_CHARACTER
        pieces = [SOUND, *rest]
        provided = pieces if is_audio else [events(*map(delta, pieces), done(5))]
        plain = speech_exchange(routed(model), CALL, {}, is_audio=is_audio)
        assert relayed(plain, *provided) == b"".join(pieces)
        told = speech_exchange(routed(model, stream_format="sse"), CALL, {}, is_audio=is_audio)
        found = [json.loads(line[6:]) for line in relayed(told, *provided).splitlines() if line]
        assert b"".join(base64.b64decode(each["audio"]) for each in found[:-1]) == b"".join(pieces)
        assert found[-1]["type"] == "speech.audio.done"
        assert found[-1]["usage"]["cost"] == charge(told, model) / 1_000_000

    @pytest.mark.parametrize(
        ("is_audio", "sent"),
        [
            (True, b""),
            (True, b"<html>upstream hiccup</html>"),
            (True, b'{"error": {"message": "busy"}}'),
            (False, events(done(5))),
            (False, events({"type": "speech.audio.delta", "audio": "%%%"})),
            (False, events({"error": {"message": "busy", "type": "server_error"}})),
            (False, events(delta(SOUND))),
        ],
    )
    def test_what_is_no_recording_is_a_fault(self, is_audio: bool, sent: bytes) -> None:
        model = BY_CHARACTER if is_audio else BY_TOKEN
        exchange = speech_exchange(routed(model), CALL, {}, is_audio=is_audio)
        relayed(exchange, sent)
        assert exchange.stream.fault is not None
        assert charge(exchange, model) == 0


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"input": " "}, "/input"),
        ({"input": 3}, "/input"),
        ({"voice": {"id": "voice_1"}}, "/voice"),
        ({"response_format": "mp4"}, "/response_format"),
        ({"speed": 0.1}, "/speed"),
        ({"speed": True}, "/speed"),
        ({"instructions": ["slow"]}, "/instructions"),
        ({"stream_format": "events"}, "/stream_format"),
        ({"stream": True}, "/stream"),
        ({"model": None}, "/model"),
    ],
)
def test_a_wrong_field_is_named(wrong: dict[str, Any], path: str) -> None:
    body = {"model": "voice", "voice": "alloy", "input": "hello", **wrong}
    with pytest.raises(InvalidInputError) as raised:
        read_speech_request(dumps(body).encode())
    assert [problem.path for problem in raised.value.problems] == [path]
