"""Stores a response before its end is sent, and adds its turn to a conversation."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.observability import emit, logger
from tollgate.ledger.callers import Caller
from tollgate.text.responses.conversations import ConversationRepository
from tollgate.text.responses.events import INCOMPLETE
from tollgate.text.responses.items import COMPLETED, numbered, with_ids
from tollgate.text.responses.repository import ResponseRepository, StoredResponse
from tollgate.text.responses.states import is_claimed_by
from tollgate.text.responses.timers import CLAIM
from tollgate.text.routes.finishing import Finishing
from tollgate.text.wire.errors import StoreFullError

Keep = Callable[[dict[str, Any]], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Keeping:
    """Keeps one response.

    `is_stored`: the request has `store`. `items` are its input's items, `earlier` the ids of the responses
    that it continues, `model` is the model's id, `conversation_id` the conversation that it continues.
    `claim`: the token of the process that runs it in the background (`states.py`).
    """

    creator: Caller
    is_stored: bool
    items: Sequence[Any]
    earlier: Sequence[str]
    model: str
    conversation_id: str | None
    responses: ResponseRepository
    conversations: ConversationRepository
    finishing: Finishing
    claim: str | None = None
    is_streamed: bool = False
    """Whether it runs in the background, and its events are stored too."""

    async def keep(self, response: dict[str, Any]) -> None:
        """Keep a response. The client gets it in any case, and it states whether it was kept."""
        # First, because the stored response states whether it is in the conversation.
        has_answer = response["status"] in (COMPLETED, INCOMPLETE)
        if (
            self.conversation_id is not None
            and has_answer
            and not await self._is_kept(self._append, response)
        ):
            response["conversation"] = None
        if self.is_stored and not await self._is_kept(self._store, response):
            response["store"] = False

    async def _is_kept(self, keep: Keep, response: dict[str, Any]) -> bool:
        """Return whether `keep` succeeded."""
        try:
            await self.finishing.run(keep(response))
        except StoreFullError:
            logger.warning("text.response_store_full")
        except Exception:  # noqa: BLE001 - the answer is paid for: whatever goes wrong here must not lose it
            logger.exception("text.response_not_stored")
            emit({"ResponsesNotStored": 1})
        else:
            return True
        return False

    async def _store(self, response: dict[str, Any]) -> None:
        items = with_ids(self.items, str(response["id"]))
        stored = StoredResponse(response, items, self.earlier, self.model)
        if self.claim is None:
            await self.responses.keep(self.creator, stored)
            return
        # The claim stays, because a cancelled response is stored again when it is settled.
        fields = {CLAIM: self.claim, "is_streamed": self.is_streamed}
        await self.responses.end(self.creator, stored, is_claimed_by(self.claim), **fields)

    async def _append(self, response: dict[str, Any]) -> None:
        core = str(response["id"]).removeprefix("resp_")
        items = [*numbered(self.items, core), *response["output"]]
        await self.conversations.append(
            self.creator.account_id, str(self.conversation_id), core, items, self.model
        )
