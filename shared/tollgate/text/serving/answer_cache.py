"""Answers to requests that an account has sent before, if it asks for them: a hit calls no provider.

    respond ─► not asked for ─► TextService
           └─► asked for ─► stored, not over, its provider permitted ─► hit: a record without a charge
                        └─► TextService ─► a whole answer ─► stored

Nothing is stored for another account: the account is a part of the row's key, and of the digest. Only whole
answers are stored, because a part of one is no answer. The events of a stream are stored at its end. A hit is
a request like any other: it counts in the rate window, and has a record.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Any

from tollgate.accounts.models import MAX_CACHE_TTL_S, ApiKey
from tollgate.kit.aws.s3_objects import ObjectStoreError
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.numbers import digits
from tollgate.kit.observability import logger
from tollgate.kit.problems import Problem
from tollgate.ledger.reservations import QUOTE_HEADER
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import TextRequest
from tollgate.text.models import TextModel, TextProtocol
from tollgate.text.money.placed import PlacedHold
from tollgate.text.responses.relay import ENDS
from tollgate.text.responses.storage import Storage
from tollgate.text.routes.exchanges import REQUEST_PREFIX
from tollgate.text.routes.response import CACHE_HEADER as HEADER
from tollgate.text.routes.response import (
    HIT,
    MAX_KEPT_BYTES,
    MISS,
    CompleteResponse,
    StreamedResponse,
    TextResponse,
)
from tollgate.text.service import TextService
from tollgate.text.upstream.exchange import Exchange, faults_in_body
from tollgate.text.usage import Usage
from tollgate.text.wire.errors import StoreFullError
from tollgate.text.wire.relay import DONE
from tollgate.text.wire.sse import SseEvent, SseSplitter
from tollgate.text.wire.stream import AnswerStream, Meter

TTL_HEADER = "x-tollgate-cache-ttl"
ON, REFRESH, OFF = "on", "refresh", "off"
DEFAULT_TTL_S, MAX_TTL_S = 3_600, MAX_CACHE_TTL_S
# OpenRouter's names of the same (https://openrouter.ai/docs/guides/features/response-caching).
_THEIR_HEADER, _THEIR_TTL_HEADER = "x-openrouter-cache", "x-openrouter-cache-ttl"
_THEIR_MODES = {"true": ON, "false": OFF}
# The note in the ledger's row of a hit.
CACHED = "Answered from the cache."
# Moderations are free, and the others have recordings instead of a body.
_KINDS = (TextProtocol.OPENAI, TextProtocol.ANTHROPIC, TextProtocol.EMBEDDINGS, TextProtocol.RERANK)
# Headers that change the answer of a provider.
_HEADERS = ("anthropic-version", "anthropic-beta")
_PREFIX = "cache_"


@dataclass(frozen=True, slots=True)
class CacheWish:
    """The wish of a request: how long its answer may be used, and whether it needs a fresh one."""

    ttl_s: int
    is_fresh: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored answer: its body and its facts, and its age in seconds."""

    body: str
    provider: str
    request_id: str
    ignored: tuple[str, ...]
    age_s: int


@dataclass(frozen=True, slots=True)
class _Place:
    """The row of an answer, the request that it answers, and its lifetime."""

    account_id: str
    row_id: str
    request_id: str
    ttl_s: int


def wish_of(headers: Mapping[str, str], key_ttl_s: int | None = None) -> CacheWish | None:
    """Return the wish of a request or its key; `None` if there is none.

    `key_ttl_s` is the lifetime that the key sets, if it turns the cache on. Raises `InvalidInputError`.
    """
    told, usual = headers.get(HEADER), OFF if key_ttl_s is None else ON
    mode = _THEIR_MODES.get(headers.get(_THEIR_HEADER, "").lower(), usual) if told is None else told.lower()
    if mode not in (ON, REFRESH, OFF):
        about = f"The header {HEADER} must be {ON}, {REFRESH} or {OFF}."
        raise InvalidInputError([Problem("", about, [ON, REFRESH, OFF])])
    given = headers.get(TTL_HEADER, headers.get(_THEIR_TTL_HEADER))
    ttl_s = key_ttl_s or DEFAULT_TTL_S if given is None else digits(given, 1, MAX_TTL_S)
    if ttl_s is None:
        about = f"The header {TTL_HEADER} must be a whole number of seconds from 1 to {MAX_TTL_S}."
        raise InvalidInputError([Problem("", about, MAX_TTL_S)])
    return None if mode == OFF else CacheWish(ttl_s, mode == REFRESH)


@dataclass(frozen=True, slots=True)
class AnswerCache:
    """Answers requests like `service`, but with the stored answers of all accounts."""

    service: TextService
    storage: Storage

    async def respond(
        self, request: TextRequest, key: ApiKey, request_id: str, headers: Mapping[str, str]
    ) -> TextResponse:
        """Answer a request, from the cache if it may be. Raises as `TextService.respond` does."""
        service, wish = self.service, wish_of(headers, key.cache_ttl_s)
        if wish is None or not _may_be_kept(request, headers):
            return await service.respond(request, key, request_id, headers)
        model = service.model(request.model, request.protocol, key)
        row_id = _PREFIX + digest_of(request, model, key, headers)
        kept = None if wish.is_fresh else await self._find(key.account_id, row_id)
        if kept is not None:
            placed = await service.hold_nothing(
                request, model, key, request_id, headers, provider=kept.provider
            )
            if placed is not None:
                return await self._hit(request, model, placed, kept)
        response = await service.respond(request, key, request_id, headers)
        keep = partial(self._keep, _Place(key.account_id, row_id, request_id, wish.ttl_s))
        match response:
            case CompleteResponse():
                if len(response.body) <= MAX_KEPT_BYTES:
                    await keep(response.route, response.ignored, response.body)
                return replace(response, cache=MISS)
            case StreamedResponse():
                # Its end is not known before it is relayed.
                response.keep = partial(keep, response.placed.provider or "", response.ignored)
                response.cache = MISS
        return response

    async def _hit(
        self, request: TextRequest, model: TextModel, placed: PlacedHold, kept: Kept
    ) -> CompleteResponse | StreamedResponse:
        placed.provider, placed.note = kept.provider, CACHED
        if request.stream:
            events = free_events(kept, placed.hold.request_id)
            return StreamedResponse(
                placed,
                model,
                _replayed(request.protocol, events),
                KeptAnswer(events),
                b"",
                self.service.billing,
                self.service.finishing,
                ignored=kept.ignored,
                cache=HIT,
                age_s=kept.age_s,
            )
        settlement = self.service.billing.settle(placed, model, Usage(0, 0))
        billed = await self.service.finishing.run(settlement)
        body = free_of_charge(kept, placed.hold.request_id)
        return CompleteResponse(body, billed, kept.ignored, kept.provider, HIT, kept.age_s)

    async def _find(self, account_id: str, row_id: str) -> Kept | None:
        """Return a stored answer. Without the table, the request is answered as if there were none."""
        try:
            row = await self.storage.row(account_id, row_id)
            content = None if row is None else await self.storage.content(row)
        except (DatabaseError, ObjectStoreError):
            logger.exception("text.cache_not_read")
            return None
        return None if row is None or not content else _kept(row, content, self.storage.now_s())

    async def _keep(self, place: _Place, provider: str, ignored: Sequence[str], body: bytes) -> None:
        now_s = self.storage.now_s()
        facts = {"provider": provider, "request_id": place.request_id, "ignored": list(ignored)}
        row: Item = {**facts, "kept_at_s": now_s, "expires_at_s": now_s + place.ttl_s}
        try:
            await self.storage.keep(place.account_id, place.row_id, body.decode(), row)
        except StoreFullError:
            logger.info("text.cache_full")
        except (DatabaseError, ObjectStoreError):
            # The answer is paid for, and is not lost for want of a copy.
            logger.exception("text.cache_not_written")


def digest_of(request: TextRequest, model: TextModel, key: ApiKey, headers: Mapping[str, str]) -> str:
    """Return the digest of all that decides an answer: account, kind of request, model and body.

    The order of fields and the alias of the model do not matter. The name of an end user does.
    """
    native = request.native
    asked: Mapping[str, Any] = {
        "account": key.account_id,
        "api": request.api,
        "model": model.id,
        "body": {name: value for name, value in request.fields.items() if name != "model"},
        "routing": repr(request.asked),
        "native": None if native is None else [dict(native.fields), list(native.items)],
        "headers": {name: headers[name] for name in _HEADERS if name in headers},
    }
    text = json.dumps(asked, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def free_of_charge(kept: Kept, request_id: str) -> bytes:
    """Return a stored answer's body for another request: with its id, and with a cost of 0."""
    return dumps(_free(json.loads(_renamed(kept, request_id)))).encode()


def free_events(kept: Kept, request_id: str) -> bytes:
    """Return a stored stream's events for another request: with its id, and with a cost of 0."""
    events, splitter = _renamed(kept, request_id).encode(), SseSplitter()
    return b"".join(map(_free_event, [*splitter.feed(events), *splitter.close()]))


def _renamed(kept: Kept, request_id: str) -> str:
    # The ids of a response and its items contain the id of the request.
    old, new = kept.request_id.removeprefix(REQUEST_PREFIX), request_id.removeprefix(REQUEST_PREFIX)
    return kept.body.replace(old, new)


def _free_event(event: SseEvent) -> bytes:
    if event.data is None or b'"cost"' not in event.data:
        return event.raw
    payload = json.loads(event.data)
    for holder in (payload, payload.get("response")):
        if isinstance(holder, dict):
            _free(holder)
    head, _, _ = event.raw.partition(b"data:")
    return head + b"data: " + dumps(payload).encode() + b"\n\n"


def _free(body: dict[str, Any]) -> dict[str, Any]:
    """Return a response whose usage costs nothing."""
    usage = body.get("usage")
    if isinstance(usage, dict) and "cost" in usage:
        usage["cost"] = 0
        details = usage.get("cost_details")
        if isinstance(details, dict):
            usage["cost_details"] = {name: value and 0 for name, value in details.items()}
    return body


@dataclass(slots=True)
class KeptAnswer:
    """A stored stream, read like the answer of a provider."""

    events: bytes = field(repr=False)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    async def readany(self) -> bytes:
        """Return the events, and then nothing."""
        events, self.events = self.events, b""
        return events

    def close(self) -> None:
        """Do nothing: no connection is open."""


class _FreeMeter(Meter):
    def usage(self) -> Usage:
        return Usage(0, 0)


class _Replay(AnswerStream):
    """Events that are sent as they are."""

    def _is_end_mark(self, data: bytes) -> bool:
        return data == DONE

    def _end(self, event: SseEvent) -> bytes:
        self.done = True
        return event.raw

    def _take(self, event: SseEvent, payload: dict[str, Any]) -> bytes:
        self.done = payload.get("type") in ("message_stop", *ENDS)
        return event.raw


def _replayed(protocol: TextProtocol, events: bytes) -> Exchange:
    meter, answer = _FreeMeter(0, 0), KeptAnswer(events)
    return Exchange(answer, meter, lambda body: body, _Replay(protocol, meter), faults_in_body({}))


def _may_be_kept(request: TextRequest, headers: Mapping[str, str]) -> bool:
    return request.protocol in _KINDS and QUOTE_HEADER not in headers


def _kept(row: Item, content: str | bytes, now_s: int) -> Kept:
    body = content if isinstance(content, str) else content.decode()
    ignored = tuple(map(str, row["ignored"]))
    return Kept(body, row["provider"], row["request_id"], ignored, max(0, now_s - int(row["kept_at_s"])))
