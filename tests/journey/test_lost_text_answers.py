"""Text whose database loses answers: each request is paid once, and holds nothing when it is over.

customers ─► functions/text ─► a proxy that closes connections ─► the emulator
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any

import boto3
import httpx
import pytest

from local.machine.emulator import Emulator
from local.simulator.media.speech import recording
from local.template import Template
from tests.support.lambda_api import running_lambda_api
from tests.support.losses import EachNth, Loss, Losses, OneLoss
from tests.support.lossy_proxy import LossyProxy, lossy_before
from tests.support.samples import PAID_BODY
from tests.support.tasks import create_task
from tests.support.text_app import USD, TextClient, forget_failures
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import parts
from tollgate.composition import run_task as run_task_parts
from tollgate.composition import text as text_parts
from tollgate.kit.aws import sdk
from tollgate.ledger.holds import HOLD_LIFETIME_MS

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

PATIENCE_S = 30.0
MOST_CALLS = 20
"""More than one request sends to AWS."""
CHATS, CREATES, AT_ONCE = 200, 40, 16
BALANCE = 100 * USD
SAID: dict[str, Any] = {"max_tokens": 50, "messages": [{"role": "user", "content": "hello"}]}
TTS = {"model": "tts-1", "voice": "alloy", "input": "hello"}
TRANSCRIPTIONS = "/audio/transcriptions"
RECORDING = recording(1, 5, "wav")
GPT, CLAUDE = {"model": "gpt-5.4-mini"}, {"model": "claude-haiku-4-5"}
NEW = "a new conversation"
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "chat": ("/chat/completions", {**GPT, **SAID}),
    "streamed chat": ("/chat/completions", {**GPT, **SAID, "stream": True}),
    "messages": ("/messages", {**CLAUDE, **SAID}),
    "streamed messages": ("/messages", {**CLAUDE, **SAID, "stream": True}),
    "response": ("/responses", {**GPT, "input": "hello"}),
    "streamed response": ("/responses", {**GPT, "input": "hello", "stream": True}),
    "in a conversation": ("/responses", {**GPT, "input": "hello", "conversation": NEW}),
    "streamed in a conversation": (
        "/responses",
        {**GPT, "input": "hello", "conversation": NEW, "stream": True},
    ),
    "embeddings": ("/embeddings", {"model": "text-embedding-3-small", "input": "hello"}),
    "from the cache": ("/chat/completions", {**GPT, **SAID}),
    "streamed from the cache": ("/chat/completions", {**GPT, **SAID, "stream": True}),
    "a chat that searches the web": (
        "/chat/completions",
        {**GPT, "messages": [{"role": "user", "content": "[[search]]"}], "web_search_options": {}},
    ),
    "speech": ("/audio/speech", TTS),
    "speech by the token": (
        "/audio/speech",
        {**TTS, "model": "gpt-4o-mini-tts"},
    ),
    "rerank": ("/rerank", {"model": "rerank-v3.5", "query": "fjord", "documents": ["a", "b"]}),
    "moderations": ("/moderations", {"model": "omni-moderation-latest", "input": "hello"}),
    "transcription": (TRANSCRIPTIONS, {"model": "whisper-1"}),
    "refused by the provider": (
        "/chat/completions",
        {**GPT, "messages": [{"role": "user", "content": "[[reject]]"}]},
    ),
    "failed at every provider": (
        "/chat/completions",
        {**GPT, "messages": [{"role": "user", "content": "[[fail]]"}]},
    ),
}


@pytest.fixture(scope="module")
def line(emulator: Emulator) -> Iterator[LossyProxy]:
    """Return the line between the text function and AWS; it loses nothing yet."""
    with lossy_before(emulator.endpoint, Losses()) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def functions(template: Template) -> Iterator[str]:
    """Return the address of the function that reads recordings."""
    with running_lambda_api(template) as url:
        yield url


@pytest.fixture(autouse=True)
def at_the_end_of_the_line(
    service: None, line: LossyProxy, functions: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Have the text function ask by way of the line; lose nothing after a test."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", line.url)
    monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", functions)
    monkeypatch.setenv("REQUESTS_PER_MINUTE", "999999")
    text_parts.settings.cache_clear()
    yield
    line.losses = Losses()


def asked(customer: TextClient, path: str, body: dict[str, Any], **headers: str) -> httpx.Response:
    """Send a request, and return its answer."""
    if path != TRANSCRIPTIONS:
        return customer.post(path, body, **headers)
    sent = {"authorization": f"Bearer {customer.account.api_key}", **headers}
    files = {"file": ("a.wav", RECORDING)}
    return httpx.post(f"{customer.url}/api/v1{path}", data=body, files=files, headers=sent, timeout=60)


@pytest.mark.parametrize("name", ["chat", "rerank", "moderations", "speech", "transcription"])
def test_an_idempotency_key_has_no_effect(open_client: Callable[[int], TextClient], name: str) -> None:
    """The key is for what is created. A repeat of text is another request with a charge of its own."""
    path, body = REQUESTS[name]
    customer = open_client(USD)
    charges = []
    for _ in range(2):
        answer = asked(customer, path, body, **{"idempotency-key": "order-1"})
        assert answer.status_code == httpx.codes.OK
        charges.append(int(answer.headers["x-tollgate-cost-micro-usd"]))
    assert customer.settled()
    assert charges[0] == charges[1]
    assert [-entry.amount_micro_usd for entry in customer.texts()] == charges
    assert len({entry.request_id for entry in customer.texts()}) == len(charges)


@pytest.mark.parametrize("name", REQUESTS)
def test_whichever_answer_is_lost_a_request_costs_the_same(
    line: LossyProxy, open_client: Callable[[int], TextClient], name: str
) -> None:
    path, asked_for = REQUESTS[name]
    headers = {"x-tollgate-cache": "on"} if name.endswith("from the cache") else {}

    def tried(losses: Losses) -> tuple[Any, ...]:
        """Ask twice, as the first request of a minute is guarded by the minute; the second loses answers."""
        customer = open_client(USD)
        forget_failures()
        conversation = customer.openai.conversations.create() if "conversation" in asked_for else None
        body = {**asked_for, "conversation": conversation.id} if conversation else asked_for
        asked(customer, path, body, **headers)
        customer.settled()
        forget_failures()
        line.losses = losses
        heard = asked(customer, path, body, **headers)
        wait_until(lambda: line.is_quiet)
        line.losses = Losses()
        ledger = run_task_parts.step_runner().ledger
        # A hold whose first try came when all was over is given back, and costs nothing.
        if api_parts.api().accounts.me(customer.account.account_id).holds:
            ledger.expire_holds(parts.clock().now_ms() + 2 * HOLD_LIFETIME_MS, 100)
        amounts = sorted(entry.amount_micro_usd for entry in ledger.entries(customer.account.account_id))
        said = customer.openai.conversations.items.list(conversation.id).data if conversation else []
        kinds = [item.type for item in said]
        return heard.status_code, customer.balance(), amounts, customer.settled(), kinds

    in_peace = tried(seen := OneLoss(MOST_CALLS))
    assert 0 < len(seen.calls) < MOST_CALLS
    for kind in (Loss.UNANSWERED, Loss.LATE):
        for number, call in enumerate(seen.calls):
            assert (kind, number, call, *tried(OneLoss(number, kind))) == (kind, number, call, *in_peace)


@pytest.mark.long
def test_every_tenth_answer_lost_during_many_chats_and_creates(
    emulator: Emulator,
    line: LossyProxy,
    open_client: Callable[[int], TextClient],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    customer = open_client(BALANCE)
    line.losses = EachNth(10)
    session = boto3.Session()
    monkeypatch.setattr(
        sdk, "dynamodb", cache(partial(session.client, "dynamodb", endpoint_url=line.url, config=sdk._BOUNDS))
    )
    parts.forget()

    def ask(number: int) -> int:
        if number % (CHATS // CREATES + 1) == 0:
            create_task(customer.account.account_id, PAID_BODY, f"order-{number}")
            return httpx.codes.OK
        body = {**GPT, **SAID, "stream": number % 2 == 0}
        return customer.post("/chat/completions", body).status_code

    with ThreadPoolExecutor(AT_ONCE) as pool:
        statuses = list(pool.map(ask, range(CHATS + CREATES)))
    assert set(statuses) == {httpx.codes.OK}
    line.losses = Losses()
    assert customer.settled()
    assert check_ledger_parts.ledger_audit().check(customer.account.account_id, full=True).drift is None
    assert len(customer.texts()) == CHATS


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)
