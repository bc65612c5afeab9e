"""`POST /responses` over the text service, and what is asked of stored responses.

    body ─► conversation (stored items, then new ones) ─► chat ─► TextService ─► ResponsesRendering

The hold, the routes and the bill are those of the chat that it becomes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.kit.ids import new_id
from tollgate.text.errors import ResponseNotFoundError
from tollgate.text.models import TextProtocol
from tollgate.text.request import TextRequest, read_json_body, read_request
from tollgate.text.response import TextResponse
from tollgate.text.responses.items import invalid, is_reference, listed, response_id_of
from tollgate.text.responses.rendering import ResponsesRendering
from tollgate.text.responses.repository import MAX_EARLIER, ResponseRepository
from tollgate.text.responses.request import path_in_responses, read_responses_request
from tollgate.text.service import TextService
from tollgate.text.upstream import encoded

# Items in a page of `input_items`: the most, and where a client does not say (OpenAI's bounds).
MAX_LISTED = 100
LISTED = 20


@dataclass(frozen=True, slots=True)
class ResponsesCall:
    """A request that is ready to be answered: as a chat, and how its answer is told.

    `origins` says which item of the request each message of the chat is of, for errors that name a field.
    """

    chat: TextRequest
    rendering: ResponsesRendering
    origins: Sequence[int]

    async def respond(
        self, text: TextService, key: ApiKey, request_id: str, headers: Mapping[str, str]
    ) -> TextResponse:
        """Answer it. Raises as the text service does, with the fields by their names in this protocol."""
        try:
            return await text.respond(self.chat, key, request_id, headers)
        except InvalidInputError as exc:
            raise InvalidInputError([_told(problem, self.origins) for problem in exc.problems]) from exc


@dataclass(frozen=True, slots=True)
class ResponsesService:
    """Reads requests and stored responses of one account at a time."""

    text: TextService
    kept: ResponseRepository

    async def read(self, body: bytes, account_id: str) -> ResponsesCall:
        """Return the request in `body`. Raises `InvalidInputError`, `ResponseNotFoundError`."""
        asked = read_responses_request(read_json_body(body).fields)
        items = await self._resolved(asked.items, account_id)
        earlier_ids, earlier = await self._earlier(asked.previous_response_id, account_id)
        told = asked.chat(earlier, items)
        try:
            chat = read_request(TextProtocol.OPENAI, encoded(told.fields))
        except InvalidInputError as exc:
            raise InvalidInputError([_told(problem, told.origins) for problem in exc.problems]) from exc
        skeleton = asked.skeleton(new_id("resp"), self.text.clock.now_ms() // MS_PER_S)
        rendering = ResponsesRendering(
            asked, account_id, skeleton, told.tools, items, earlier_ids, self.kept, self.text.finishing
        )
        return ResponsesCall(chat, rendering, told.origins)

    async def response(self, account_id: str, response_id: str) -> bytes:
        """Return a stored response. Raises `ResponseNotFoundError`."""
        return encoded((await self.kept.find(account_id, response_id)).response)

    async def delete(self, account_id: str, response_id: str) -> bytes:
        """Delete a stored response. Raises `ResponseNotFoundError`."""
        await self.kept.delete(account_id, response_id)
        return encoded({"id": response_id, "object": "response", "deleted": True})

    async def input_items(self, account_id: str, response_id: str, query: Mapping[str, str]) -> bytes:
        """Return a page of a stored response's own input. Raises as `response`, and `InvalidInputError`."""
        limit = query.get("limit", str(LISTED))
        if not (limit.isascii() and limit.isdigit() and 1 <= int(limit) <= MAX_LISTED):
            raise invalid("/limit", f"Must be a whole number from 1 to {MAX_LISTED}.")
        order = query.get("order", "desc")
        if order not in ("asc", "desc"):
            raise invalid("/order", "Unknown order.", ["asc", "desc"])
        items = listed((await self.kept.find(account_id, response_id)).items)
        if order == "desc":
            items.reverse()
        ids = [item.get("id") for item in items]
        after = query.get("after")
        if after is not None and after not in ids:
            raise invalid("/after", "Must be the id of an item of this response.")
        rest = items if after is None else items[ids.index(after) + 1 :]
        page = rest[: int(limit)]
        ends = {"first_id": page[0]["id"], "last_id": page[-1]["id"]} if page else {}
        return encoded(
            {
                "object": "list",
                "data": page,
                "first_id": None,
                "last_id": None,
                **ends,
                "has_more": len(rest) > len(page),
            }
        )

    async def _earlier(self, previous_id: str | None, account_id: str) -> tuple[list[str], list[Any]]:
        """Return the conversation that a request goes on with: the responses' ids, and all that was said."""
        if previous_id is None:
            return [], []
        previous = await self.kept.find(account_id, previous_id)
        if len(previous.earlier) >= MAX_EARLIER:
            message = f"A stored conversation has at most {MAX_EARLIER} responses."
            raise InvalidInputError([Problem("/previous_response_id", message)])
        before = await self.kept.find_all(account_id, previous.earlier)
        said = [item for stored in [*before, previous] for item in stored.said]
        return [*previous.earlier, previous_id], said

    async def _resolved(self, items: Sequence[Any], account_id: str) -> list[Any]:
        """Return items with each reference replaced by the stored item that it names."""
        names = [str(item.get("id")) for item in items if is_reference(item)]
        if not names:
            return list(items)
        response_ids = sorted({response_id_of(name) for name in names})
        if len(response_ids) > MAX_EARLIER:
            raise invalid("/input", f"Must refer to at most {MAX_EARLIER} responses.")
        found = await self.kept.find_all(account_id, response_ids)
        by_id = {str(item["id"]): item for stored in found for item in stored.said if "id" in item}
        missing = next((name for name in names if name not in by_id), None)
        if missing is not None:
            raise ResponseNotFoundError(missing)
        return [by_id[str(item.get("id"))] if is_reference(item) else item for item in items]


def _told(problem: Problem, origins: Sequence[int]) -> Problem:
    return Problem(path_in_responses(problem.path, origins), problem.message, problem.allowed)
