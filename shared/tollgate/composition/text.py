"""Creates the parts of `functions/text`, without `composition/parts.py` and the SDK that it imports.

All parts belong to the process's event loop, so they are created on first use inside it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, cast

from tollgate.accounts.async_auth import AsyncAuthenticator
from tollgate.artifacts.prompt_files import UploadedPromptFiles
from tollgate.audit.notes import AuditNotes
from tollgate.catalog.loader import Catalog
from tollgate.catalog.names import names_of
from tollgate.catalog.refresh import DOCUMENT_KEY, READ_TIMEOUT_S, CurrentCatalog, LiveCatalog
from tollgate.composition import has_started
from tollgate.composition.catalog import live_catalog, provider_names
from tollgate.kit.aws import json_protocol
from tollgate.kit.aws.async_invoke import AsyncFunction
from tollgate.kit.aws.async_queue import AsyncQueue
from tollgate.kit.aws.s3_get import S3Get, object_url
from tollgate.kit.aws.s3_objects import S3Objects
from tollgate.kit.aws.sigv4 import AwsKey
from tollgate.kit.cache import REPEAT_MS
from tollgate.kit.clock import SystemClock
from tollgate.kit.dynamodb.async_database import OK, AsyncDatabase
from tollgate.kit.http.client import HttpClient
from tollgate.kit.observability import logger
from tollgate.kit.remote_document import Read
from tollgate.kit.retry import THROTTLES, busy
from tollgate.kit.settings import RatedSettings
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.rate import RateMeter, with_lower_remaining
from tollgate.ledger.request_counts import RequestMeter
from tollgate.probing.recordings import RecordingProber
from tollgate.providers.runtime.secret import (
    REFRESH_MS,
    Credentials,
    MalformedSecretError,
    read_credentials,
)
from tollgate.providers.runtime.text_registry import (
    BEDROCK,
    known_text_providers,
    make_bedrock,
    make_text_upstreams,
)
from tollgate.routing.facts import KnownProviders
from tollgate.text.body.prompt_files import PromptFiles
from tollgate.text.listing.views import wire_model
from tollgate.text.models import TextModel
from tollgate.text.money.billing import TextBilling
from tollgate.text.money.request_counter import RequestCounter
from tollgate.text.responses.background import BackgroundResponses
from tollgate.text.responses.conversation_service import ConversationService
from tollgate.text.responses.conversations import ConversationRepository
from tollgate.text.responses.repository import ResponseRepository
from tollgate.text.responses.service import ResponsesService
from tollgate.text.responses.storage import Storage
from tollgate.text.routes.breaker import Breaker
from tollgate.text.routes.calls import RouteCalls
from tollgate.text.routes.measures import KnownMeasures
from tollgate.text.routes.switches import Switches, switch_reader
from tollgate.text.service import TextService
from tollgate.text.serving.answer_cache import AnswerCache
from tollgate.text.upstream.exchange import TextUpstream

if TYPE_CHECKING:
    from tollgate.batches.service import BatchService


@dataclass(frozen=True, kw_only=True)
class TextSettings(RatedSettings):
    """Settings of `functions/text`. Region and credentials are Lambda's own variables.

    `aws_lambda_exec_wrapper` starts the web adapter. Without it there is no adapter.
    """

    accounts_table: str
    api_keys_table: str
    ledger_table: str
    budgets_table: str
    responses_table: str
    audit_table: str
    usage_table: str
    providers_table: str
    run_response_function: str
    probe_function: str = ""
    batch_queue_url: str = ""
    media_bucket: str
    provider_secret_arn: str
    live_providers: str
    config_bucket: str
    aws_region: str
    aws_lambda_exec_wrapper: str | None = None
    aws_endpoint_url: str | None = None
    aws_endpoint_url_lambda: str | None = None
    aws_access_key_id: str | None = None
    aws_secret_access_key: str | None = field(default=None, repr=False)
    aws_session_token: str | None = field(default=None, repr=False)


@cache
def settings() -> TextSettings:
    """Return the settings."""
    return TextSettings.from_env()


@cache
def catalog() -> Catalog:
    """Return the current catalog. Call it after `text`, which checks for a newer one."""
    return CurrentCatalog(lambda: _made[asyncio.get_running_loop()].catalog.current)


@cache
def providers() -> KnownProviders:
    """Return the facts about all providers, of text and of media."""
    # It imports each provider's declaration, which only this route needs.
    from tollgate.providers.runtime.accounts import known_providers  # noqa: PLC0415 - see above

    return known_providers()


class UnreadableSecretError(Exception):
    """The providers' secret cannot be read, so no provider can be called."""


@dataclass(slots=True)
class SecretReader:
    """The providers that have credentials. They are read from the secret and cached."""

    secrets: json_protocol.AwsJson
    arn: str
    clock: SystemClock
    make: Callable[[Mapping[str, Credentials]], Mapping[str, TextUpstream]]
    _upstreams: Mapping[str, TextUpstream] = field(default_factory=dict)
    _read_at_ms: int | None = None
    # The first requests of a process arrive together. The first one reads the secret, and the others wait.
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def upstreams(self) -> Mapping[str, TextUpstream]:
        """Return the providers by name."""
        if self._is_fresh():
            return self._upstreams
        async with self._lock:
            if not self._is_fresh():
                await self._read()
        return self._upstreams

    async def _read(self) -> None:
        try:
            status, answer = await self.secrets.call("GetSecretValue", {"SecretId": self.arn})
        except (OSError, ValueError) as exc:
            status, answer = 0, {"__type": repr(exc)}
        refusal = str(answer.get("__type", "")).rpartition("#")[2]
        if status == OK:
            try:
                self._upstreams = self.make(read_credentials(answer["SecretString"]))
            except MalformedSecretError as exc:
                refusal = str(exc)
            else:
                self._read_at_ms = self.clock.now_ms()
                return
        logger.error("text.secret_unread", reason=refusal)
        if self._read_at_ms is None:
            raise busy("GetSecretValue", "") if refusal in THROTTLES else UnreadableSecretError(refusal)
        # Credentials from an earlier read remain in use until the next attempt.
        self._read_at_ms = self.clock.now_ms() - REFRESH_MS + REPEAT_MS

    def _is_fresh(self) -> bool:
        return self._read_at_ms is not None and self.clock.now_ms() - self._read_at_ms < REFRESH_MS


def _upstreams(known: TextSettings, credentials: Mapping[str, Credentials]) -> Mapping[str, TextUpstream]:
    made = make_text_upstreams(credentials)
    # Requests are signed with the function's role, so Bedrock needs no key. `LiveProviders` enables it, not
    # the secret.
    if BEDROCK in provider_names(known.live_providers):
        made[BEDROCK] = make_bedrock(credentials.get(BEDROCK), known.aws_region, _credentials(known))
    return made


@dataclass(slots=True)
class TextParts:
    """The services that the routes of `functions/text` call. `service` has the models of `shown`."""

    authenticator: AsyncAuthenticator
    service: TextService
    responses: ResponsesService
    conversations: ConversationService
    counter: RequestCounter
    catalog: LiveCatalog
    shown: Catalog
    switches: Switches
    files: PromptFiles
    run_later: Callable[[Mapping[str, Any]], Awaitable[None]]
    prober: RecordingProber
    storage: Storage
    audit: AuditNotes
    batch_queue: AsyncQueue
    _reading: "asyncio.Future[Catalog] | None" = None

    @property
    def cached(self) -> AnswerCache:
        """Return the service that also has stored answers."""
        return AnswerCache(self.service, self.storage)

    @property
    def background(self) -> BackgroundResponses:
        """Return the responses that are created in the background."""
        return BackgroundResponses(self.responses, self.run_later)

    @property
    def batches(self) -> "BatchService":
        """Return the service of batches. It is imported here because few processes need it."""
        from tollgate.batches.repository import BatchRepository  # noqa: PLC0415 - see above
        from tollgate.batches.service import BatchService  # noqa: PLC0415 - see above

        kept = BatchRepository(self.storage)
        return BatchService(kept, self.storage.objects, self.audit, self.batch_queue.send)

    async def follow_catalog(self) -> None:
        """Check for a newer catalog if it is due, in a thread. Only the first read is awaited."""
        # In a thread, because reading the catalog blocks. Streams continue in the meantime.
        if self.catalog.is_due() and (self._reading is None or self._reading.done()):
            self._reading = asyncio.ensure_future(asyncio.to_thread(self.catalog.catalog))
        if self._reading is not None and self.catalog.was_never_read:
            await asyncio.wait({self._reading}, timeout=READ_TIMEOUT_S)
        # Not in the thread, so that the first request of a day has the prices of that day.
        self.catalog.follow_days()
        current = self.catalog.current
        # Replaced, not changed: a running request keeps the service and the prices with which it started.
        if self.shown is not current:
            self.service = replace(self.service, models=_models(current), use_of=current.use_of)
            self.responses = replace(self.responses, text=self.service)
            self.conversations = replace(self.conversations, text=self.service)
            self.shown = current


_made: dict[asyncio.AbstractEventLoop, TextParts] = {}


async def text(read_settings: Callable[[], TextSettings] | None = None) -> TextParts:
    """Return the parts, created once per event loop, because a connection belongs to its loop."""
    loop = asyncio.get_running_loop()
    if loop not in _made:
        _made[loop] = _create((read_settings or settings)(), HttpClient(), loop)
    made = _made[loop]
    # Beside the other reads of a request, and before a provider is called.
    made.switches.follow()
    await made.follow_catalog()
    return made


def current() -> TextParts:
    """Return the same parts, in a request that has called `text` before."""
    return _made[asyncio.get_running_loop()]


def rate_headers(account_id: str) -> Mapping[str, str]:
    """Return the `x-ratelimit-*` headers of an account, from the counts of this process."""
    made = current()
    return with_lower_remaining(made.service.billing.rate_headers(account_id), made.counter.left(account_id))


def share_count(account_id: str) -> None:
    """Add this process's count of an account to the account's row when it is large enough."""
    current().counter.tell(account_id)


def _create(known: TextSettings, http: HttpClient, loop: asyncio.AbstractEventLoop) -> TextParts:
    """Create the parts. Connections are not limited here: each stream uses one, and holds limit streams."""
    has_started()
    clock, credentials = SystemClock(), _credentials(known)
    region, endpoint = known.aws_region, known.aws_endpoint_url
    dynamodb = json_protocol.dynamodb(http, endpoint, region, credentials)
    secrets = json_protocol.secrets_manager(http, endpoint, region, credentials)
    database = AsyncDatabase(dynamodb)
    secret = SecretReader(secrets, known.provider_secret_arn, clock, partial(_upstreams, known))
    writes = HoldWrites(known.accounts_table, known.ledger_table, known.budgets_table)
    live = live_catalog(
        known.live_providers, _document_reader(known, http, loop), clock, restrict_inputs=False
    )
    switches = Switches(switch_reader(database, known.providers_table), clock)
    calls = RouteCalls(
        upstreams=secret.upstreams,
        billing=TextBilling(database, writes, clock, RateMeter(known.requests_per_minute)),
        http=http,
        # Only for this process: each finds out within a request or two which providers are down.
        breaker=Breaker(),
        clock=clock,
        # Neither the gateway nor Lambda notifies the web adapter when a client disconnects.
        detects_disconnects=known.aws_lambda_exec_wrapper is None,
        switches=switches,
    )
    service = TextService(
        models=_models(live.current),
        calls=calls,
        use_of=live.current.use_of,
        providers=known_text_providers(),
        measures=KnownMeasures(database, known.usage_table, clock),
    )
    objects = S3Objects(http, known.media_bucket, region, endpoint, credentials)
    storage = Storage(database, known.responses_table, objects, clock)
    kept, audit = ConversationRepository(storage), AuditNotes(known.audit_table, clock)
    responses = ResponsesService(service, ResponseRepository(storage), kept, audit)
    conversations = ConversationService(service, kept, audit)
    authenticator = AsyncAuthenticator(database, known.api_keys_table, clock)
    requests, limits = RequestMeter(known.requests_per_minute), service.billing.limits
    counter = RequestCounter(database, known.accounts_table, requests, limits, clock)
    files = UploadedPromptFiles(objects, clock)
    lambda_endpoint = known.aws_endpoint_url_lambda or endpoint
    prober = RecordingProber(AsyncFunction(http, known.probe_function, region, lambda_endpoint, credentials))
    run_response = AsyncFunction(http, known.run_response_function, region, lambda_endpoint, credentials)
    return TextParts(
        authenticator,
        service,
        responses,
        conversations,
        counter,
        live,
        live.current,
        switches,
        files,
        run_response.send,
        prober,
        storage,
        audit,
        AsyncQueue(json_protocol.sqs(http, endpoint, region, credentials), known.batch_queue_url),
    )


def _models(current: Catalog) -> Mapping[str, TextModel]:
    """Return the text models by all of their names, in lower case."""
    wired = [(model, wire_model(model)) for model in current.text_models()]
    return {
        name: wire for model, wire in wired for name in names_of(model.id, model.aliases, model.vendor_names)
    }


def _document_reader(known: TextSettings, http: HttpClient, loop: asyncio.AbstractEventLoop) -> Read:
    """Return a reader for use in another thread. It uses the connections of `loop`."""
    url = object_url(known.config_bucket, DOCUMENT_KEY, known.aws_region, known.aws_endpoint_url)
    document = S3Get(http, url, known.aws_region, _credentials(known), READ_TIMEOUT_S)
    return lambda etag: asyncio.run_coroutine_threadsafe(document.read(etag), loop).result(READ_TIMEOUT_S)


@dataclass(frozen=True, slots=True)
class _EnvironmentKey:
    """Lambda's own credentials, which are valid for the life of the process."""

    access_key: str
    secret_key: str
    token: str | None


@cache
def _credentials(known: TextSettings) -> Callable[[], AwsKey]:
    """Return a function that returns the credentials that are currently valid.

    On Lambda they are in the environment. Elsewhere botocore finds and renews them. It is imported only then,
    because it adds 40 ms to a cold start.
    """
    if known.aws_access_key_id and known.aws_secret_access_key:
        key = _EnvironmentKey(known.aws_access_key_id, known.aws_secret_access_key, known.aws_session_token)
        return lambda: key
    from botocore.session import Session  # noqa: PLC0415 - see above

    found = Session().get_credentials()
    if found is None:
        raise RuntimeError("there are no AWS credentials")
    return cast("Callable[[], AwsKey]", found.get_frozen_credentials)


async def close() -> None:
    """Finish all pending writes, then close the connections of this loop."""
    made = _made.pop(asyncio.get_running_loop(), None)
    if made is not None:
        # Money first: the holds of a stopped process must still be settled.
        await made.service.finishing.wait()
        made.service.calls.http.close()
