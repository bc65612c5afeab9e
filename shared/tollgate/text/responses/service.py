"""`POST /responses` over the text service, and the routes of stored responses.

    body ─► conversation (stored items, then new items) ─► chat ─► TextService ─► ResponsesRendering

The chat that it becomes has the hold, the routes and the bill.
"""

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.audit.events import Action
from tollgate.audit.notes import AuditNotes
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import new_id
from tollgate.kit.numbers import digits
from tollgate.ledger.callers import Caller
from tollgate.text.body.fields import invalid
from tollgate.text.body.foreign import foreign_in_items
from tollgate.text.body.json_body import read_json_body
from tollgate.text.body.request import TextRequest, checked_request
from tollgate.text.models import TextProtocol
from tollgate.text.responses.as_chat import RESPONSES, chat_body, chat_of, own_names
from tollgate.text.responses.compaction import (
    REQUEST,
    CompactionRendering,
    fields_of_compaction,
    plain_items,
    problems_of_compaction,
)
from tollgate.text.responses.conversations import PATH as CONVERSATION
from tollgate.text.responses.conversations import ConversationRepository
from tollgate.text.responses.events import encoded_events
from tollgate.text.responses.follow import MAX_CREATED_S, MAX_FOLLOW_S, FollowedResponse
from tollgate.text.responses.gathering import Room, size_of
from tollgate.text.responses.items import check_count, is_reference, response_id_of
from tollgate.text.responses.keeping import Keeping
from tollgate.text.responses.paging import check_page, page_of
from tollgate.text.responses.rendering import ResponsesRendering
from tollgate.text.responses.replay import replayed
from tollgate.text.responses.repository import MAX_EARLIER, Reader, ResponseRepository, StoredResponse
from tollgate.text.responses.request import ResponsesRequest, read_responses_request
from tollgate.text.responses.states import RUNNING
from tollgate.text.routes.response import TextResponse
from tollgate.text.service import Responder, TextService
from tollgate.text.upstream.exchange import encoded
from tollgate.text.wire.errors import ConversationNotFoundError, ResponseNotFoundError
from tollgate.text.wire.rendering import Rendering

_PREVIOUS = "/previous_response_id"


@dataclass(frozen=True, slots=True)
class Said:
    """The conversation before a model answers: the model's id, the items of the request, the ids of the
    responses that it continues, the items before its own, and the size of the request with all items.
    """

    model: str
    items: Sequence[Any]
    earlier_ids: Sequence[str]
    earlier: Sequence[Any]
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ResponsesCall:
    """A request that is ready to be answered: as a chat, with the rendering of its response.

    `origins` gives the item of the request for each message of the chat, for errors that name a field, and
    `earlier_path` the field of the items before the request's own. A compaction has no `asked` and `said`.
    """

    chat: TextRequest
    rendering: Rendering
    origins: Sequence[int]
    earlier_path: str = _PREVIOUS
    asked: ResponsesRequest | None = None
    said: Said | None = None

    async def respond(
        self, text: Responder, key: ApiKey, request_id: str, headers: Mapping[str, str]
    ) -> TextResponse:
        """Answer it. Raises as the text service does, with the fields by their names in this protocol."""
        with self.own_names():
            return await text.respond(self.chat, key, request_id, headers)

    def own_names(self) -> AbstractContextManager[None]:
        """Name fields in errors by their names in this protocol."""
        return own_names(self.origins, self.earlier_path)


@dataclass(frozen=True, slots=True)
class ResponsesService:
    """Reads requests and stored responses of one account at a time."""

    text: TextService
    kept: ResponseRepository
    conversations: ConversationRepository
    audit: AuditNotes

    async def read(self, body: bytes, key: ApiKey, request_id: str | None = None) -> ResponsesCall:
        """Return the request in `body`. With the request's id, its response's id ends like that id.

        Raises `InvalidInputError`, `ForbiddenError`, `ResponseNotFoundError`, `ConversationNotFoundError`,
        and `PayloadTooLargeError` if the body and the stored items that it brings in have more bytes than one
        body may have.
        """
        asked = read_responses_request(read_json_body(body).fields)
        said = await self._conversation(asked, len(body), key)
        created_s = self.text.clock.now_ms() // MS_PER_S
        response_id = _response_id(request_id)
        return self.call(key.caller, asked, said, response_id=response_id, created_s=created_s)

    def call(
        self,
        creator: Caller,
        asked: ResponsesRequest,
        said: Said,
        *,
        response_id: str,
        created_s: int,
        claim: str | None = None,
    ) -> ResponsesCall:
        """Return the call of a request with all its items. See `Keeping` for `claim`.

        Raises `InvalidInputError`.
        """
        told = asked.chat(said.earlier, said.items)
        chat = chat_of(asked, told, [*said.earlier, *said.items], said.size_bytes)
        keeping = Keeping(
            creator,
            asked.store,
            said.items,
            said.earlier_ids,
            said.model,
            asked.conversation_id,
            self.kept,
            self.conversations,
            self.text.finishing,
            claim,
            asked.background and asked.stream,
        )
        skeleton = asked.skeleton(response_id, created_s)
        rendering = ResponsesRendering(skeleton, told.tools, keeping, self.text.clock)
        return ResponsesCall(chat, rendering, told.origins, asked.earlier_path, asked, said)

    async def compact(self, body: bytes, key: ApiKey, request_id: str | None = None) -> ResponsesCall:
        """Return the request for a summary of the conversation in `body`. Raises as `read` does."""
        fields = read_json_body(body).fields
        if problems := list(problems_of_compaction(fields)):
            raise InvalidInputError(problems)
        asked = read_responses_request(fields_of_compaction(fields))
        said = await self._conversation(asked, len(body), key)
        # They come back if there is no summary, so they must be good.
        asked.chat(said.earlier, said.items)
        wanted = {"role": "user", "content": REQUEST}
        told = asked.chat(plain_items(said.earlier), [*plain_items(said.items), wanted])
        with own_names(told.origins, asked.earlier_path):
            chat = checked_request(TextProtocol.OPENAI, chat_body(told, said.size_bytes + size_of(wanted)))
            chat = replace(chat, translated=RESPONSES, asked=asked.routing)
        created_s = self.text.clock.now_ms() // MS_PER_S
        rendering = CompactionRendering(_response_id(request_id), created_s, [*said.earlier, *said.items])
        return ResponsesCall(chat, rendering, told.origins)

    async def _conversation(self, asked: ResponsesRequest, size_bytes: int, key: ApiKey) -> Said:
        """Return the conversation of a request whose body has `size_bytes`."""
        check_count(asked.items)
        # Before anything is read for it.
        model = self.text.model(asked.model, TextProtocol.OPENAI, key)
        reader, room = self.reader(key), Room(size_bytes)
        items = await self._resolved(asked.items, reader, room)
        if asked.conversation_id is None:
            earlier_ids, earlier = await self._earlier(asked.previous_response_id, reader, room)
        else:
            earlier_ids, earlier = [], await self._said(asked.conversation_id, reader, room)
        if foreign := foreign_in_items([item for item in items if isinstance(item, Mapping)]):
            raise InvalidInputError(foreign)
        return Said(model.id, items, earlier_ids, earlier, room.taken_bytes)

    async def response(self, key: ApiKey, response_id: str) -> bytes:
        """Return a stored response. Raises `ResponseNotFoundError`."""
        return encoded((await self.kept.find(self.reader(key), response_id)).response)

    async def replayed(
        self, key: ApiKey, response_id: str, query: Mapping[str, str]
    ) -> bytes | FollowedResponse:
        """Return a stored response as the events of a stream. Raises as `response`, and `InvalidInputError`.

        Only a streamed background response keeps the numbers of its events, as long as its parts are there.
        """
        reader, given = self.reader(key), query.get("starting_after")
        last_event = -1 if given is None else digits(given, 0, sys.maxsize)
        if last_event is None:
            raise invalid("/starting_after", "Must be the number of an event.")
        found = await self.kept.find(reader, response_id)
        if await self._has_parts(found, reader):
            return FollowedResponse(self.kept, reader, found, last_event, self.text.clock, MAX_FOLLOW_S)
        if found.response.get("status") in RUNNING:
            raise invalid(
                "/stream", "This response was created without stream: true. Wait until it has ended."
            )
        if given is not None:
            raise invalid("/starting_after", "This response is sent from its beginning.")
        return encoded_events(replayed(found.response))

    def follow(self, key: ApiKey, found: StoredResponse) -> FollowedResponse:
        """Return the stream of a response that has just been queued."""
        return FollowedResponse(self.kept, self.reader(key), found, -1, self.text.clock, MAX_CREATED_S)

    async def _has_parts(self, found: StoredResponse, reader: Reader) -> bool:
        """Return whether the events of a response are stored, or will be."""
        if not found.row.get("is_streamed"):
            return False
        is_queued = found.response.get("status") in RUNNING
        return (
            is_queued
            or await self.kept.parts.after(reader.caller.account_id, found.response["id"], 0, -1) is not None
        )

    async def delete(self, key: ApiKey, response_id: str) -> bytes:
        """Delete a stored response, with its line in the audit log. Raises `ResponseNotFoundError`."""
        noted = self.audit.note(key.account_id, key.actor, Action.RESPONSE_DELETED, response_id)
        await self.kept.delete(self.reader(key), response_id, noted)
        return encoded({"id": response_id, "object": "response", "deleted": True})

    async def input_items(self, key: ApiKey, response_id: str, query: Mapping[str, str]) -> bytes:
        """Return a page of a stored response's own input. Raises as `response`, and `InvalidInputError`."""
        check_page(query)
        return encoded(page_of((await self.kept.find(self.reader(key), response_id)).items, query))

    def reader(self, key: ApiKey) -> Reader:
        """Return the reader for a key."""
        return Reader.of(key, self.text.models)

    async def _said(self, conversation_id: str, reader: Reader, room: Room) -> list[Any]:
        """Return the items of the conversation that a request continues."""
        try:
            found = await self.conversations.find(reader, conversation_id)
        except ConversationNotFoundError as exc:
            raise ConversationNotFoundError(conversation_id, CONVERSATION) from exc
        found.check_room(CONVERSATION)
        said = await self.conversations.items(found)
        for item in said:
            room.take(size_of(item))
        return said

    async def _earlier(
        self, previous_id: str | None, reader: Reader, room: Room
    ) -> tuple[list[str], list[Any]]:
        """Return the conversation that a request continues: the responses' ids, and all their items."""
        if previous_id is None:
            return [], []
        with _continuing():
            previous = await self.kept.find(reader, previous_id)
        if previous.response.get("conversation") is not None:
            # What it followed is in the conversation only.
            raise invalid(_PREVIOUS, "This response is part of a conversation. Continue with `conversation`.")
        if previous.response.get("status") in RUNNING:
            raise invalid(_PREVIOUS, "This response has not ended. Continue it when it has.")
        if len(previous.earlier) >= MAX_EARLIER:
            message = f"A stored conversation has at most {MAX_EARLIER} responses."
            raise invalid(_PREVIOUS, message)
        with _continuing():
            before = await self.kept.find_all(reader, previous.earlier, _PREVIOUS)
        said: list[Any] = []
        for stored in [*before, previous]:
            for item in stored.said:
                room.take(size_of(item))
                said.append(item)
        return [*previous.earlier, previous_id], said

    async def _resolved(self, items: Sequence[Any], reader: Reader, room: Room) -> list[Any]:
        """Return items with each reference replaced by the stored item that it names, each use counted."""
        named = [(at, str(item.get("id"))) for at, item in enumerate(items) if is_reference(item)]
        if not named:
            return list(items)
        wanted = {name for _, name in named}
        response_ids = sorted({response_id_of(name) for name in wanted})
        if len(response_ids) > MAX_EARLIER:
            raise invalid("/input", f"Must refer to at most {MAX_EARLIER} responses.")
        by_id: dict[str, Any] = {}
        try:
            for stored in await self.kept.find_all(reader, response_ids, "/input"):
                by_id |= {str(item["id"]): item for item in stored.said if item.get("id") in wanted}
        except ResponseNotFoundError as exc:
            # The client sent the id of an item, and no response's.
            raise _unknown(named, {name for name in wanted if response_id_of(name) == exc.name}) from exc
        if missing := wanted - by_id.keys():
            raise _unknown(named, missing)
        sizes = {name: size_of(item) for name, item in by_id.items()}
        for _, name in named:
            room.take(sizes[name])
        return [by_id[str(item.get("id"))] if is_reference(item) else item for item in items]


@contextmanager
def _continuing() -> Iterator[None]:
    """Name the request's field in the error of a response that it continues."""
    try:
        yield
    except ResponseNotFoundError as exc:
        raise ResponseNotFoundError(exc.name, _PREVIOUS) from exc


def _unknown(named: Sequence[tuple[int, str]], missing: Collection[str]) -> ResponseNotFoundError:
    """Return the error of the first reference to a missing item."""
    at, name = next(each for each in named if each[1] in missing)
    return ResponseNotFoundError(name, f"/input/{at}/id")


def _response_id(request_id: str | None) -> str:
    """Return the id of a request's response. `GET /generation` finds the request by it."""
    return new_id("resp") if request_id is None else f"resp_{request_id.removeprefix('req_')}"
