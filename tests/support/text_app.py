"""A pytest plugin: `functions/text` as it is served, on the emulator, and customers with both SDKs."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.support import serving
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.composition import text as text_parts
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb.database import Database
from tollgate.ledger.audit import audit
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.repository import LedgerRepository
from tollgate.providers.runtime.health_store import ProviderHealthStore

if TYPE_CHECKING:
    # Two seconds of CPU: as a plugin, this is imported in every process of the tests.
    import anthropic
    import openai

START_TIMEOUT_S = 60.0
USD = 1_000_000


@pytest.fixture(scope="module")
def text_url(stack_environment: dict[str, str]) -> Iterator[str]:
    """Serve the function's app on uvicorn, as the web adapter has it; give its address."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in stack_environment.items():
            patch.setenv(name, value)
        text_parts.settings.cache_clear()
        text_parts.catalog.cache_clear()
        from text.app import app  # noqa: PLC0415 - with the environment set

        server = serving.server_of(app, proxy_headers=False)

        async def serve() -> None:
            await server.serve()
            await text_parts.close()

        with serving.running(server, lambda: asyncio.run(serve())) as url:
            yield url


@cache
def _http() -> httpx.Client:
    """Return a client with a connection for each request, as a customer's first one has."""
    return httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0))


def ledger() -> LedgerRepository:
    """Return the books, to read."""
    settings = text_parts.settings()
    return LedgerRepository(Database(sdk.dynamodb()), settings.accounts_table, settings.ledger_table)


@dataclass(frozen=True)
class TextClient:
    """A customer with both SDKs; they never retry by themselves."""

    url: str
    account: OpenedAccount
    opened: ExitStack
    """Closes the SDKs."""

    @cached_property
    def openai(self) -> "openai.OpenAI":
        from openai import OpenAI  # noqa: PLC0415 - as above

        key = self.account.api_key
        return self.opened.enter_context(OpenAI(base_url=f"{self.url}/api/v1", api_key=key, max_retries=0))

    @cached_property
    def anthropic(self) -> "anthropic.Anthropic":
        from anthropic import Anthropic  # noqa: PLC0415 - as above

        key = self.account.api_key
        return self.opened.enter_context(Anthropic(base_url=f"{self.url}/api", api_key=key, max_retries=0))

    def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        sent = {"authorization": f"Bearer {self.account.api_key}", **headers}
        return _http().post(f"{self.url}/api/v1{path}", json=body, headers=sent)

    def get(self, path: str, method: str = "GET") -> httpx.Response:
        sent = {"authorization": f"Bearer {self.account.api_key}"}
        return _http().request(method, f"{self.url}/api/v1{path}", headers=sent)

    def balance(self) -> int:
        return api_parts.api().accounts.me(self.account.account_id).balance_micro_usd

    def texts(self) -> list[Entry]:
        return self.entries_of(EntryKind.TEXT)

    def entries_of(self, kind: EntryKind) -> list[Entry]:
        return [entry for entry in ledger().entries(self.account.account_id) if entry.kind is kind]

    def texts_when(self, count: int) -> list[Entry]:
        """The text entries once there are `count`: an SDK is done at the end mark, we just after it."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while len(found := self.texts()) < count:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return found

    def settled(self) -> bool:
        """Return whether no hold is open by now or soon, as it goes after its charge, and the books agree."""
        deadline = time.monotonic() + START_TIMEOUT_S
        me = api_parts.api().accounts.me
        while (found := me(self.account.account_id)).holds and time.monotonic() < deadline:
            time.sleep(0.01)
        entries = ledger().entries(found.account_id)
        return not found.holds and audit(found.account_id, found.balance_micro_usd, entries) is None


@pytest.fixture
def open_client(service: None, text_url: str) -> Iterator[Callable[[int], TextClient]]:
    """Return what opens a customer with that many micro-USD."""
    with ExitStack() as stack:

        def opened(balance_micro_usd: int) -> TextClient:
            return TextClient(text_url, api_parts.api().accounts.open(balance_micro_usd), stack)

        yield opened


@cache
def _shared_account() -> OpenedAccount:
    return api_parts.api().accounts.open(USD)


@pytest.fixture
def shared_client(service: None, text_url: str) -> Iterator[TextClient]:
    """Return a customer that all tests share, for requests that are refused and cost nothing."""
    with ExitStack() as stack:
        yield TextClient(text_url, _shared_account(), stack)


@pytest.fixture
def fresh_breaker(text_url: str) -> None:
    """Forget what other tests did to the providers."""
    forget_failures()


def forget_failures() -> None:
    """Forget which providers failed: all are asked again."""
    for made in text_parts._made.values():
        made.service.calls.breaker._states.clear()


@contextmanager
def switched_off(*names: str) -> Iterator[None]:
    """Switch off providers, or routes `<provider>/<model>`; all processes know it at once."""
    store = ProviderHealthStore(
        Database(sdk.dynamodb()), text_parts.settings().providers_table, parts.clock()
    )

    def switch(*, disabled: bool) -> None:
        for name in names:
            store.switch(name, disabled=disabled, reason="a test")
        for made in text_parts._made.values():
            made.switches._begun_ms = made.switches._known_ms = None

    switch(disabled=True)
    try:
        yield
    finally:
        switch(disabled=False)


@pytest.fixture
def client(open_client: Callable[[int], TextClient]) -> TextClient:
    """Return a customer with one US dollar."""
    return open_client(USD)
