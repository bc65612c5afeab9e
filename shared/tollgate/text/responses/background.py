"""Responses that are created in the background: queued, run by another process, followed and cancelled.

    start: hold ─► row, queued ─► message
    run: claim ─► take the hold over ─► answer, settle ─► row, ended

The process that starts one hands its hold to the process that runs it (`functions/run_response`). A crash
after any step leaves a row whose state ends (`states.py`), and a hold that expires.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from tollgate.accounts.models import ApiKey
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.ids import new_id
from tollgate.kit.observability import logger, note
from tollgate.ledger.callers import Caller
from tollgate.text.body.fields import invalid
from tollgate.text.models import TextProtocol
from tollgate.text.money.handover import handed_over, taken_over
from tollgate.text.money.placed import PlacedHold
from tollgate.text.responses.events import CANCELLED, QUEUED
from tollgate.text.responses.gathering import size_of
from tollgate.text.responses.items import with_ids
from tollgate.text.responses.parts import INTERVAL_S, PartWriter
from tollgate.text.responses.rendering import ResponsesRendering
from tollgate.text.responses.repository import ResponseRepository, StoredResponse
from tollgate.text.responses.request import read_responses_request
from tollgate.text.responses.service import ResponsesCall, ResponsesService, Said
from tollgate.text.responses.states import HOLD_MS, MovedOnError, is_running, is_unclaimed
from tollgate.text.routes.response import MAX_READS, READ_INTERVAL_S, Refused, StreamedResponse, TextResponse
from tollgate.text.service import TextService
from tollgate.text.serving.middleware import public_error
from tollgate.text.upstream.exchange import encoded
from tollgate.text.usage import chat_usage, responses_usage
from tollgate.text.wire.errors import ENDED, ProviderUnavailableError, as_fault, error_event

# Looks of one cancellation for the end that it asked for: longer than `READ_INTERVAL_S`, and the writes.
MAX_LOOKS = 15

Send = Callable[[Mapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class BackgroundResponses:
    """Starts, runs and cancels responses. `send` sends a message to the process that runs them."""

    responses: ResponsesService
    send: Send

    @property
    def text(self) -> TextService:
        """Return the service of chats."""
        return self.responses.text

    @property
    def kept(self) -> ResponseRepository:
        """Return the stored responses."""
        return self.responses.kept

    async def start(
        self, call: ResponsesCall, key: ApiKey, request_id: str, headers: Mapping[str, str]
    ) -> StoredResponse:
        """Queue a request, and return its response.

        Raises the errors that refuse it, `StoreFullError`, `DatabaseError`, `ObjectStoreError` and
        `MessageNotSentError`; then nothing is held.
        """
        text = self.text
        with call.own_names():
            _, placed = await text.hold(call.chat, key, request_id, headers, HOLD_MS)
        try:
            with call.own_names():
                await text.check_routes(call.chat, placed)
            stored = await self._queue(call, placed)
            await self.send({"account_id": key.account_id, "response_id": stored.response["id"]})
        # Includes cancellation, which is no Exception.
        except BaseException:
            await text.finishing.run(text.billing.void(placed))
            raise
        text.billing.hand_over(placed)
        return stored

    async def _queue(self, call: ResponsesCall, placed: PlacedHold) -> StoredResponse:
        """Store the request with its hold; return its response."""
        rendering = cast("ResponsesRendering", call.rendering)
        said = cast("Said", call.said)
        response = {**rendering.skeleton, "status": QUEUED}
        sent = cast("Mapping[str, Any]", call.chat.sent)
        fields = {name: value for name, value in sent.items() if name != "input"}
        hold = handed_over(placed, self.text.clock.now_ms())
        run = {"fields": fields, "hold": hold}
        items = with_ids(said.items, response["id"])
        stored = StoredResponse(response, items, said.earlier_ids, said.model, run=run)
        creator, is_streamed = rendering.keeping.creator, rendering.keeping.is_streamed
        state = await self.kept.queue(creator, stored, said.earlier, is_streamed=is_streamed)
        return replace(stored, row=state)

    async def run(self, account_id: str, response_id: str) -> None:
        """Run a queued response to its end. A repeated, late or forged message does nothing."""
        token = new_id("run")
        found = await self.kept.claim(account_id, response_id, token)
        if found is None or found.run is None:
            logger.info("run_response.stale")
            return
        placed = taken_over(found.run["hold"], self.text.clock.now_ms())
        call = self._call(found, token)
        self.text.resume(call.chat, found.run["hold"], placed)
        rendering = cast("ResponsesRendering", call.rendering)
        writer = PartWriter(
            self.kept.parts if rendering.keeping.is_streamed else None, account_id, response_id
        )
        writer.add(rendering.begin())
        ended = asyncio.Event()
        writing = asyncio.ensure_future(writer.flush_often(ended))
        try:
            await self._answer(call, placed, writer)
        except Exception as exc:  # noqa: BLE001 - the boundary: whatever it is, the response ends with it
            error = as_fault(public_error(exc))
            writer.add(rendering.events(error_event(TextProtocol.OPENAI, error, placed.hold.request_id)))
            await self.text.finishing.run(self.text.billing.void(placed))
        finally:
            writer.add(await rendering.end())
            ended.set()
            await writing

    def _call(self, found: StoredResponse, token: str) -> ResponsesCall:
        """Return the call of a queued response."""
        run = cast("Mapping[str, Any]", found.run)
        fields = {**run["fields"], "input": list(found.items)}
        size_bytes = sum(map(size_of, (fields, *found.before)))
        said = Said(found.model, found.items, found.earlier, found.before, size_bytes)
        response = found.response
        asked = read_responses_request(fields)
        return self.responses.call(
            Caller.from_item(found.row),
            asked,
            said,
            response_id=response["id"],
            created_s=response["created_at"],
            claim=token,
        )

    async def _answer(self, call: ResponsesCall, placed: PlacedHold, writer: PartWriter) -> None:
        """Answer a request, and settle it at the prices of its start. Raises the errors that end it."""
        text, rendering = self.text, cast("ResponsesRendering", call.rendering)
        model = text.models.get(call.chat.model.casefold())
        if model is None or not await text.billing.take_over(placed):
            # The model has left the catalog, or the message came after the hold's end.
            raise ProviderUnavailableError
        responding = asyncio.ensure_future(text.answer(call.chat, model, placed, {}))
        is_ended = await self._is_ended_before(responding, placed, rendering)
        response = await responding
        if isinstance(response, Refused):
            if not is_ended:
                writer.add(rendering.events(b"data: " + encoded(response.body) + b"\n\n"))
            return
        # A stream was requested.
        streamed = cast("StreamedResponse", response)
        streamed.is_ended, streamed.is_late = is_ended, True

        async def send(chunk: bytes) -> None:
            writer.add(rendering.events(chunk))
            if rendering.is_cancelled:
                # Its owner need not wait until the provider ends.
                await rendering.keeping.keep(rendering.response)

        billed = await streamed.relay(send, asyncio.Event())
        rendering.bill(responses_usage(streamed.exchange.meter.told(chat_usage)))
        note("run_response.answered", charge_micro_usd=billed.charge_micro_usd)

    async def _is_ended_before(
        self, responding: "asyncio.Future[TextResponse]", placed: PlacedHold, rendering: ResponsesRendering
    ) -> bool:
        """Wait for the response to begin; return whether its owner cancelled it before that."""
        request_id, is_ended = placed.hold.request_id, False
        for _ in range(MAX_READS):
            if (await asyncio.wait({responding}, timeout=READ_INTERVAL_S))[0]:
                break
            if not is_ended and await self.text.end_if_asked(request_id):
                is_ended = True
                rendering.events(error_event(TextProtocol.OPENAI, ENDED, request_id))
                await rendering.keeping.keep(rendering.response)
        return is_ended

    async def cancel(self, key: ApiKey, response_id: str) -> bytes:
        """Cancel a response, and return it. One that has ended stays, so a repeat changes nothing.

        Raises `ResponseNotFoundError`, and `InvalidInputError` for a response that is no background response.
        """
        reader = self.responses.reader(key)
        found = await self.kept.find(reader, response_id)
        if not found.response.get("background"):
            raise invalid("/response_id", "Only a background response can be cancelled.")
        if found.run is not None and self._is_running(found):
            placed = taken_over(found.run["hold"], self.text.clock.now_ms())
            if not await self._cancel_queued(found, placed):
                await self.text.billing.request_end(placed)
            found = await self.kept.find(reader, response_id)
            for _ in range(MAX_LOOKS):
                if not self._is_running(found):
                    break
                await asyncio.sleep(INTERVAL_S)
                found = await self.kept.find(reader, response_id)
        return encoded(found.response)

    def _is_running(self, found: StoredResponse) -> bool:
        return is_running(found.row, self.text.clock.now_ms() // MS_PER_S)

    async def _cancel_queued(self, found: StoredResponse, placed: PlacedHold) -> bool:
        """End a response that no process has taken, and void its hold; return whether that was so."""
        response = {**found.response, "status": CANCELLED}
        ended = replace(found, response=response, run=None, before=())
        try:
            await self.kept.end(Caller.from_item(found.row), ended, is_unclaimed())
        except MovedOnError:
            return False
        await self.text.finishing.run(self.text.billing.void(placed))
        return True
