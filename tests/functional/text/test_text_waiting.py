"""Long waits: 524 for who does not stream, a line kept alive for who does. All bounds are shortened."""

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import anthropic
import openai
import pytest

from tests.support import serving
from tests.support.text_app import START_TIMEOUT_S, USD, TextClient
from tollgate.composition import text as text_parts
from tollgate.text.routes import calls as route_calls
from tollgate.text.serving import event_stream

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

KEEP_ALIVE_S = 0.05
PATIENCE_S = 1.0
"""Enough for a busy machine to ask who is not to be waited for, too."""
MODELS = {"openai": "gpt-5.4-mini", "anthropic": "claude-haiku-5-5"}
PATHS = {"openai": "/chat/completions", "anthropic": "/messages"}
SIGNS = {"openai": ": keep-alive\n\n", "anthropic": 'event: ping\ndata: {"type": "ping"}\n\n'}
NEVER_HERE = "[[hang 2]]"
"""Longer than the shortened bound; the simulator itself waits no longer than this."""


def body(protocol: str, prompt: str, **fields: Any) -> dict[str, Any]:
    said = [{"role": "user", "content": prompt}]
    return {"model": MODELS[protocol], "max_tokens": 100, "messages": said, **fields}


class TestTheContractsBounds:
    def test_they_are_100_s_and_15_s(self) -> None:
        assert (route_calls.WHOLE_TIMEOUT_S, event_stream.KEEP_ALIVE_S) == (100, 15)


class TestNoAnswerInTime:
    @pytest.fixture(autouse=True)
    def short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(route_calls, "WHOLE_TIMEOUT_S", PATIENCE_S)

    def test_524_in_openais_shape_without_cors_headers_and_free(self, client: TextClient) -> None:
        answer = client.post(PATHS["openai"], body("openai", NEVER_HERE))
        assert answer.status_code == 524
        message = "The provider did not respond in time. Send stream: true for long responses."
        error = {"message": message, "type": "Timeout", "code": "upstream_timeout"}
        assert answer.json()["code"] == 524
        assert answer.json()["error"].items() >= error.items()
        assert not [name for name in answer.headers if name.startswith("access-control-")]
        assert client.balance() == USD
        assert client.settled()

    def test_524_in_anthropics_shape(self, client: TextClient) -> None:
        answer = client.post(PATHS["anthropic"], body("anthropic", NEVER_HERE))
        assert (answer.status_code, answer.json()["type"]) == (524, "error")
        assert answer.json()["error"]["type"] == "timeout_error"

    def test_the_sdks_report_it_and_repeat_nothing(self, client: TextClient) -> None:
        said: Any = [{"role": "user", "content": NEVER_HERE}]
        with pytest.raises(openai.APIStatusError) as of_openai:
            client.openai.with_options(max_retries=2).chat.completions.create(
                model=MODELS["openai"], messages=said
            )
        with pytest.raises(anthropic.APIStatusError) as of_anthropic:
            client.anthropic.with_options(max_retries=2).messages.create(
                model=MODELS["anthropic"], max_tokens=100, messages=said
            )
        # A repeat would find the provider paused, and end in 503.
        assert (of_openai.value.status_code, of_anthropic.value.status_code) == (524, 524)

    def test_the_next_one_does_not_wait_for_the_same_provider(self, client: TextClient) -> None:
        prompt = f"[[anthropic: {NEVER_HERE[2:-2]}]]"
        assert client.post(PATHS["anthropic"], body("anthropic", prompt)).status_code == 524
        assert client.post(PATHS["anthropic"], body("anthropic", prompt)).status_code == 200


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
class TestAQuietStream:
    @pytest.fixture(autouse=True)
    def short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(event_stream, "KEEP_ALIVE_S", KEEP_ALIVE_S)

    def test_the_line_is_kept_alive_before_the_first_word(self, client: TextClient, protocol: str) -> None:
        text = client.post(PATHS[protocol], body(protocol, "[[hang 1]]", stream=True)).text
        before, _, _ = text.partition("chunk" if protocol == "openai" else "message_start")
        assert before.count(SIGNS[protocol]) >= 2
        # Signs of life go on until the charge is written, which a busy database takes its time for.
        said = text.replace(SIGNS[protocol], "").rstrip()
        assert said.endswith("[DONE]" if protocol == "openai" else '{"type":"message_stop"}')

    def test_and_between_two_words(self, client: TextClient, protocol: str) -> None:
        prompt = "[[delay 600]] [[tokens 2]]"
        text = client.post(PATHS[protocol], body(protocol, prompt, stream=True)).text
        start = text.index("chunk" if protocol == "openai" else "content_block_delta")
        assert SIGNS[protocol] in text[start:]

    def test_no_sdk_is_disturbed(self, client: TextClient, protocol: str) -> None:
        asked = body(protocol, "[[hang 0.2]] [[delay 60]] [[tokens 3]]")
        if protocol == "openai":
            chunks = list(client.openai.chat.completions.create(**asked, stream=True))
            words = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
        else:
            with client.anthropic.messages.stream(**asked) as events:
                words = "".join(events.text_stream)
        assert len(words.split()) == 3
        assert client.texts_when(1)[0].amount_micro_usd < 0

    def test_a_refusal_after_the_first_sign_is_the_streams_last_event(
        self, client: TextClient, protocol: str
    ) -> None:
        # Once the line is kept alive the status has been sent.
        answer = client.post(PATHS[protocol], body(protocol, "[[hang 0.8]] [[garbage]]", stream=True))
        assert answer.status_code == 200
        last = answer.text.rstrip().rpartition("\n\n")[2]
        assert '"code":502' in last
        assert last.startswith("event: error" if protocol == "anthropic" else "data: ")
        assert client.balance() == USD


@contextmanager
def deaf_client(client: TextClient, path: str, sent: dict[str, Any]) -> Iterator[socket.socket]:
    """Send a request over a socket whose owner never reads, and stay connected."""
    address = urlsplit(client.url)
    with socket.socket() as deaf:
        # A small window, so that little has to be said before nothing more fits.
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        deaf.connect((address.hostname, address.port))
        content = json.dumps(sent).encode()
        head = (
            f"POST /api/v1{path} HTTP/1.1\r\nhost: {address.netloc}\r\n"
            f"authorization: Bearer {client.account.api_key}\r\ncontent-length: {len(content)}\r\n\r\n"
        )
        deaf.sendall(head.encode() + content)
        yield deaf


@pytest.fixture
def small_buffers(text_url: str) -> Iterator[str]:
    """Serve the app once more, with so little room on its connections that a deaf client is noticed soon."""
    from text.app import app  # noqa: PLC0415 - with the environment that `text_url` has set

    server = serving.server_of(app, proxy_headers=False)
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    listening.bind(("127.0.0.1", 0))

    async def serve() -> None:
        await server.serve([listening])
        await text_parts.close()

    with listening, serving.running(server, lambda: asyncio.run(serve())) as url:
        yield url


class TestAClientThatStopsReading:
    @pytest.mark.parametrize(
        "quiet_ms",
        [pytest.param(0, id="while events come"), pytest.param(10, id="with signs of life between them")],
    )
    def test_counts_as_gone_and_its_answer_is_settled(
        self, client: TextClient, small_buffers: str, monkeypatch: pytest.MonkeyPatch, quiet_ms: int
    ) -> None:
        monkeypatch.setattr(event_stream, "SEND_TIMEOUT_S", 0.3)
        monkeypatch.setattr(event_stream, "KEEP_ALIVE_S", 0.004)
        # Far more than all buffers on the way take
        tokens = 20_000
        prompt = f"[[tokens {tokens}]] [[delay {quiet_ms}]]"
        asked = body("openai", prompt, stream=True) | {"max_tokens": tokens}
        with deaf_client(replace(client, url=small_buffers), PATHS["openai"], asked):
            deadline = time.monotonic() + START_TIMEOUT_S
            while not client.texts() or not client.settled():
                assert time.monotonic() < deadline
                time.sleep(0.05)
        (entry,) = client.texts()
        assert entry.usage is not None
        # It ended with its reader.
        assert 0 < entry.usage["output_tokens"] < tokens
