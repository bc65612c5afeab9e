"""Joins the parts of `functions/text`, apart from `bootstrap.py` and the SDK that it imports.

Everything lives in the one event loop of the process, so parts are made on first use inside it.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import cast

import aiohttp

from tollgate.accounts.async_auth import AsyncAuthenticator
from tollgate.catalog.loader import Catalog
from tollgate.kit import aws_json
from tollgate.kit.clock import SystemClock
from tollgate.kit.dynamodb_async import AsyncDatabase
from tollgate.kit.settings import TextSettings
from tollgate.kit.sigv4 import AwsKey
from tollgate.ledger.holds import HoldWrites
from tollgate.providers.secret import REFRESH_MS, read_credentials
from tollgate.providers.text_registry import make_text_upstreams
from tollgate.text.billing import TextBilling
from tollgate.text.breaker import Breaker
from tollgate.text.service import TextService
from tollgate.text.upstream import TextUpstream
from tollgate.text.views import wire_model


@cache
def settings() -> TextSettings:
    """Give the settings."""
    return TextSettings.from_env()


@cache
def catalog() -> Catalog:
    """Give the catalog with its live routes."""
    names = settings().live_providers.split(",")
    return Catalog.shipped().with_live(frozenset(name.strip() for name in names))


@dataclass(slots=True)
class _SecretReader:
    """The providers that have credentials, read from the secret and remembered for a while."""

    secrets: aws_json.AwsJson
    arn: str
    clock: SystemClock
    _upstreams: Mapping[str, TextUpstream] = field(default_factory=dict)
    _read_at_ms: int | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def upstreams(self) -> Mapping[str, TextUpstream]:
        """Give the providers by name."""
        if self._is_fresh():
            return self._upstreams
        async with self._lock:
            if not self._is_fresh():
                _, answer = await self.secrets.call("GetSecretValue", {"SecretId": self.arn})
                self._upstreams = make_text_upstreams(read_credentials(answer["SecretString"]))
                self._read_at_ms = self.clock.now_ms()
        return self._upstreams

    def _is_fresh(self) -> bool:
        return self._read_at_ms is not None and self.clock.now_ms() - self._read_at_ms < REFRESH_MS


@dataclass(frozen=True, slots=True)
class Text:
    """What the routes of `functions/text` call."""

    authenticator: AsyncAuthenticator
    service: TextService


_made: dict[asyncio.AbstractEventLoop, Text] = {}


async def text() -> Text:
    """Give the parts, made once per event loop: a connection belongs to the loop it was made in."""
    loop = asyncio.get_running_loop()
    if loop not in _made:
        _made[loop] = _join(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
    return _made[loop]


def _join(session: aiohttp.ClientSession) -> Text:
    """Join the parts. Connections are not limited here: each open stream has one, and holds limit those."""
    known = settings()
    clock = SystemClock()
    region, endpoint = known.aws_region, known.aws_endpoint_url
    database = AsyncDatabase(aws_json.dynamodb(session, endpoint, region, _credentials()))
    secret = _SecretReader(
        aws_json.secrets_manager(session, endpoint, region, _credentials()), known.provider_secret_arn, clock
    )
    writes = HoldWrites(known.accounts_table, known.ledger_table)
    service = TextService(
        models={model.id: wire_model(model) for model in catalog().texts()},
        upstreams=secret.upstreams,
        billing=TextBilling(database, writes, clock),
        http=session,
        breaker=Breaker(),
        clock=clock,
    )
    return Text(AsyncAuthenticator(database, known.api_keys_table, clock), service)


@dataclass(frozen=True, slots=True)
class _EnvironmentKey:
    """Lambda's own credentials: good for as long as its process lives."""

    access_key: str
    secret_key: str
    token: str | None


@cache
def _credentials() -> Callable[[], AwsKey]:
    """Give a function that gives the credentials that are good now.

    They are in the environment on Lambda. Anywhere else botocore finds and renews them; it is imported
    only then, as it costs a cold start 40 ms.
    """
    known = settings()
    if known.aws_access_key_id and known.aws_secret_access_key:
        key = _EnvironmentKey(known.aws_access_key_id, known.aws_secret_access_key, known.aws_session_token)
        return lambda: key
    from botocore.session import Session  # noqa: PLC0415 - see above

    found = Session().get_credentials()
    if found is None:
        raise RuntimeError("there are no AWS credentials")
    return cast("Callable[[], AwsKey]", found.get_frozen_credentials)


async def close() -> None:
    """Close the connections of this loop."""
    made = _made.pop(asyncio.get_running_loop(), None)
    if made is not None:
        await made.service.http.close()
