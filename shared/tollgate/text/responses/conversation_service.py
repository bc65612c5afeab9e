"""The routes of conversations, for one account at a time. `POST /responses` with one is in `service.py`.

Source: `openai.types.conversations`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.audit.events import Action
from tollgate.audit.notes import AuditNotes
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import new_id
from tollgate.kit.problems import Problem
from tollgate.text.body.fields import invalid
from tollgate.text.body.foreign import foreign_in_items
from tollgate.text.body.json_body import read_json_body
from tollgate.text.responses.conversations import ConversationRepository
from tollgate.text.responses.gathering import encoded_list
from tollgate.text.responses.items import listed, messages_of, numbered
from tollgate.text.responses.metadata import metadata_of
from tollgate.text.responses.paging import check_page, list_of, page_of
from tollgate.text.responses.repository import Reader
from tollgate.text.service import TextService
from tollgate.text.upstream.exchange import encoded
from tollgate.text.wire.errors import ConversationNotFoundError

# OpenAI's own bound of items that are added at once.
MAX_ADDED = 20


@dataclass(frozen=True, slots=True)
class ConversationService:
    """Reads and changes conversations.

    Each method raises `ConversationNotFoundError` for a conversation or item that the account, or the models
    of the key, do not have, and `InvalidInputError` for a wrong body or query.
    """

    text: TextService
    kept: ConversationRepository
    audit: AuditNotes

    async def create(self, key: ApiKey, body: bytes) -> bytes:
        """Store a new conversation, and return it. Raises `StoreFullError`."""
        fields = _fields(body or b"{}", ("metadata", "items"))
        items = numbered(_items(fields.get("items")), _core())
        metadata = metadata_of(fields.get("metadata"))
        return encoded((await self.kept.create(key.caller, metadata, items)).shown())

    async def get(self, key: ApiKey, conversation_id: str) -> bytes:
        """Return a conversation."""
        return encoded((await self.kept.find(self._reader(key), conversation_id)).shown())

    async def update(self, key: ApiKey, conversation_id: str, body: bytes) -> bytes:
        """Replace the metadata of a conversation, and return it."""
        fields = _fields(body, ("metadata",))
        if "metadata" not in fields:
            raise invalid("/metadata", "Required.")
        metadata = metadata_of(fields["metadata"])
        found = await self.kept.set_metadata(self._reader(key), conversation_id, metadata)
        return encoded(found.shown())

    async def delete(self, key: ApiKey, conversation_id: str) -> bytes:
        """Delete a conversation and its items, with a line in the audit log."""
        noted = self.audit.note(key.account_id, key.actor, Action.CONVERSATION_DELETED, conversation_id)
        await self.kept.delete(self._reader(key), conversation_id, noted)
        return encoded({"id": conversation_id, "object": "conversation.deleted", "deleted": True})

    async def items(self, key: ApiKey, conversation_id: str, query: Mapping[str, str]) -> bytes:
        """Return a page of the items."""
        check_page(query)
        found = await self.kept.find(self._reader(key), conversation_id)
        return encoded(page_of(await self.kept.items(found), query))

    async def add_items(self, key: ApiKey, conversation_id: str, body: bytes) -> bytes:
        """Add items to the end, and return them as a list. Raises `StoreFullError`."""
        core = _core()
        items = numbered(_items(_fields(body, ("items",)).get("items")), core)
        if not items:
            raise invalid("/items", "Must have at least one item.")
        found = await self.kept.find(self._reader(key), conversation_id)
        found.check_room("/items", len(items), len(await encoded_list(items)))
        await self.kept.append(key.account_id, conversation_id, core, items)
        return encoded(list_of(listed(items)))

    async def item(self, key: ApiKey, conversation_id: str, item_id: str) -> bytes:
        """Return one item."""
        found = await self.kept.find(self._reader(key), conversation_id)
        for item in await self.kept.items(found):
            if item["id"] == item_id:
                return encoded(listed([item])[0])
        raise ConversationNotFoundError(item_id)

    async def remove_item(self, key: ApiKey, conversation_id: str, item_id: str) -> bytes:
        """Delete one item, with a line in the audit log, and return its conversation."""
        noted = self.audit.note(key.account_id, key.actor, Action.CONVERSATION_ITEM_DELETED, item_id)
        found = await self.kept.remove_item(self._reader(key), conversation_id, item_id, noted)
        return encoded(found.shown())

    def _reader(self, key: ApiKey) -> Reader:
        return Reader.of(key, self.text.models)


def _fields(body: bytes, names: Sequence[str]) -> Mapping[str, Any]:
    """Return the fields of a body that may have these."""
    fields = read_json_body(body).fields
    unknown = [Problem(f"/{name}", "Unknown field.", list(names)) for name in fields if name not in names]
    if unknown:
        raise InvalidInputError(unknown)
    return fields


def _items(given: Any) -> list[Any]:
    """Return the items of a body if a later request can have them in its input."""
    if given is None:
        return []
    if not isinstance(given, list) or len(given) > MAX_ADDED:
        raise invalid("/items", f"Must be a list of at most {MAX_ADDED} items.")
    try:
        messages_of(given)
        found = foreign_in_items(given)
    except InvalidInputError as exc:
        raise exc.renamed(_in_items) from exc
    if found:
        raise InvalidInputError([_in_items(problem) for problem in found])
    return given


def _in_items(problem: Problem) -> Problem:
    path = f"/items{problem.path.removeprefix('/input')}"
    return Problem(path, problem.message, problem.allowed)


def _core() -> str:
    """Return the part of ids that all items of one addition have."""
    return new_id("batch").partition("_")[2]
