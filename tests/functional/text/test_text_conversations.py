"""Conversations as they are served, with OpenAI's own SDK, on the emulator."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest
from openai.types.conversations import Conversation, ConversationItem
from openai.types.responses import Response
from pydantic import TypeAdapter

from tests.support.text_app import USD, TextClient
from tollgate.audit.events import Action, Log
from tollgate.composition import api as api_parts
from tollgate.text.responses import conversations, storage
from tollgate.text.responses.conversations import ConversationRepository

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

ITEM: TypeAdapter[Any] = TypeAdapter(ConversationItem)
UNKNOWN = "conv_01J0000000000000000000000"
ADA: Any = {"role": "user", "content": "My name is Ada"}
TOOL: Any = {"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": False}


def said(client: TextClient, conversation_id: str) -> list[Any]:
    """Return the texts of all messages and the types of the other items, oldest first, page by page."""
    page = client.openai.conversations.items.list(conversation_id, order="asc", limit=2)
    items: list[Any] = [item.to_dict() for item in page]
    for item in items:
        ITEM.validate_python(item)
    assert len({item["id"] for item in items}) == len(items)
    return [item["content"][0]["text"] if item["type"] == "message" else item["type"] for item in items]


def ask(client: TextClient, conversation: Any, prompt: Any, **fields: Any) -> Response:
    model = fields.pop("model", "test-chat")
    made = client.openai.responses.create(model=model, input=prompt, conversation=conversation, **fields)
    assert isinstance(made, Response)
    return made


class TestTheObject:
    def test_is_created_changed_read_and_deleted(self, client: TextClient) -> None:
        api = client.openai.conversations
        made = api.create(items=[ADA], metadata={"topic": "demo"})
        Conversation.model_validate(made.to_dict())
        assert (made.id[:5], made.object, made.metadata) == ("conv_", "conversation", {"topic": "demo"})
        assert api.retrieve(made.id) == made
        assert api.update(made.id, metadata={"topic": "new"}).metadata == {"topic": "new"}
        assert said(client, made.id) == ["My name is Ada"]
        assert api.delete(made.id).to_dict() == {
            "id": made.id,
            "object": "conversation.deleted",
            "deleted": True,
        }
        for call in (
            lambda: api.retrieve(made.id),
            lambda: api.delete(made.id),
            lambda: api.items.create(made.id, items=[ADA]),
            lambda: ask(client, made.id, "hello"),
        ):
            with pytest.raises(openai.NotFoundError) as gone:
                call()
            assert gone.value.code == "conversation_not_found"
        # Only the last call has the id in a field of its body.
        assert gone.value.param == "conversation"
        log = api_parts.api().audit.page(client.account.account_id, log=Log.ACCESS).rows
        assert [(one.action, one.subject) for one in log] == [(Action.CONVERSATION_DELETED, made.id)]
        assert client.balance() == USD

    def test_items_are_added_read_and_deleted(self, client: TextClient) -> None:
        api = client.openai.conversations
        made = api.create()
        added = api.items.create(made.id, items=[ADA, {"role": "assistant", "content": "Hello Ada"}, ADA])
        assert said(client, made.id) == ["My name is Ada", "Hello Ada", "My name is Ada"]
        middle = added.data[1]
        assert api.items.retrieve(middle.id or "", conversation_id=made.id) == middle
        assert api.items.delete(middle.id or "", conversation_id=made.id).id == made.id
        assert said(client, made.id) == ["My name is Ada", "My name is Ada"]
        for call in (api.items.retrieve, api.items.delete):
            with pytest.raises(openai.NotFoundError):
                call(middle.id or "", conversation_id=made.id)
        log = api_parts.api().audit.page(client.account.account_id, log=Log.ACCESS).rows
        assert [(one.action, one.subject) for one in log] == [(Action.CONVERSATION_ITEM_DELETED, middle.id)]

    @pytest.mark.parametrize(
        ("path", "body", "field"),
        [
            ("", {"items": [ADA] * 21}, "/items"),
            ("", {"items": [{"type": "item_reference", "id": "msg_1"}]}, "/items/0/type"),
            ("", {"items": [{"role": "wizard", "content": "x"}]}, "/items/0/role"),
            ("", {"metadata": {"a": 1}}, "/metadata/a"),
            ("", {"metadata": {str(n): "x" for n in range(17)}}, "/metadata"),
            ("", {"name": "x"}, "/name"),
            (f"/{UNKNOWN}", {}, "/metadata"),
            (f"/{UNKNOWN}/items", {}, "/items"),
        ],
    )
    def test_a_wrong_field_is_named(self, client: TextClient, path: str, body: Any, field: str) -> None:
        answer = client.post(f"/conversations{path}", body)
        assert answer.status_code == 400
        assert answer.json()["error"]["details"][0]["path"] == field


class TestInResponses:
    @pytest.mark.parametrize("model", ["gpt-5.4-mini", "claude-haiku-5-5", "test-chat"])
    @pytest.mark.parametrize("store", [True, False])
    def test_each_response_follows_all_that_was_said(
        self, client: TextClient, model: str, store: bool
    ) -> None:
        made = client.openai.conversations.create(items=[ADA])
        first = ask(client, made.id, "What is my name?", model=model, store=store)
        assert first.conversation is not None
        assert first.conversation.id == made.id
        with client.openai.responses.stream(
            model=model, input="And now?", conversation={"id": made.id}, store=store
        ) as stream:
            for event in stream:
                if event.type == "response.completed":
                    # It is there before its last event.
                    texts = said(client, made.id)
            second = stream.get_final_response()
        assert texts == [
            *("My name is Ada", "What is my name?", first.output_text),
            *("And now?", second.output_text),
        ]
        assert first.usage.input_tokens < second.usage.input_tokens  # type: ignore[union-attr]
        assert client.settled()

    def test_a_tool_loop(self, client: TextClient) -> None:
        made = client.openai.conversations.create()
        first = ask(client, made.id, "[[tool]] go", model="gpt-5.4-mini", tools=[TOOL])
        call: Any = first.output[-1]
        told: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
        assert ask(client, made.id, [told], model="gpt-5.4-mini", tools=[TOOL]).status == "completed"
        kinds = said(client, made.id)
        assert (kinds[1], kinds[2]) == ("function_call", "function_call_output")

    def test_a_failed_response_adds_nothing(self, client: TextClient, fresh_breaker: None) -> None:
        made = client.openai.conversations.create(items=[ADA])
        with pytest.raises(openai.InternalServerError):
            ask(client, made.id, "[[status 500]]", model="gpt-5.4-mini")
        list(
            client.openai.responses.create(
                model="gpt-5.4-mini", input="[[stream-cut 3]]", stream=True, conversation=made.id
            )
        )
        assert said(client, made.id) == ["My name is Ada"]

    def test_responses_at_once_lose_nothing(self, client: TextClient) -> None:
        made = client.openai.conversations.create()
        prompts = [f"hello {number}" for number in range(6)]
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda prompt: ask(client, made.id, prompt), prompts))
        texts = said(client, made.id)
        assert len(texts) == 12
        turns = {(texts[at], texts[at + 1]) for at in range(0, 12, 2)}
        assert turns == {(prompt, each.output_text) for prompt, each in zip(prompts, answers, strict=True)}

    def test_a_response_of_it_is_not_continued_without_it(self, client: TextClient) -> None:
        made = client.openai.conversations.create(items=[ADA])
        answer = ask(client, made.id, "hello")
        with pytest.raises(openai.BadRequestError, match="part of a conversation"):
            client.openai.responses.create(model="test-chat", input="on", previous_response_id=answer.id)

    def test_its_tokens_are_counted(self, client: TextClient) -> None:
        made = client.openai.conversations.create(items=[{"role": "user", "content": "hello " * 50}])
        count = client.openai.responses.input_tokens.count
        short = count(model="test-chat", input="hello").input_tokens
        assert count(model="test-chat", input="hello", conversation=made.id).input_tokens > short + 20
        assert len(said(client, made.id)) == 1

    def test_a_response_is_delivered_if_its_conversation_is_gone(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = client.openai.conversations.create(items=[ADA])
        append = ConversationRepository.append

        async def late(
            self: ConversationRepository, account_id: str, conversation_id: str, *rest: Any
        ) -> None:
            found = await self._find(account_id, conversation_id)
            await self.storage.db.write(self.storage.gone(found.row))
            await append(self, account_id, conversation_id, *rest)

        monkeypatch.setattr(ConversationRepository, "append", late)
        answer = ask(client, made.id, "hello")
        assert answer.output_text
        assert answer.conversation is None


class TestBounds:
    def test_another_accounts_is_unknown(self, open_client: Callable[[int], TextClient]) -> None:
        owner, stranger = open_client(USD), open_client(USD)
        made = owner.openai.conversations.create(items=[ADA])
        api = stranger.openai.conversations
        for call in (
            lambda: api.retrieve(made.id),
            lambda: api.update(made.id, metadata={}),
            lambda: api.delete(made.id),
            lambda: api.items.list(made.id),
            lambda: api.items.create(made.id, items=[ADA]),
            lambda: ask(stranger, made.id, "hello"),
        ):
            with pytest.raises(openai.NotFoundError):
                call()
        assert said(owner, made.id) == ["My name is Ada"]
        assert stranger.balance() == USD

    @pytest.mark.parametrize(("name", "most"), [("MAX_BATCHES", 1), ("MAX_ITEMS", 0), ("MAX_BODY_BYTES", 9)])
    def test_a_full_one_is_refused_before_anything_is_charged(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch, name: str, most: int
    ) -> None:
        made = client.openai.conversations.create(items=[ADA])
        monkeypatch.setattr(conversations, name, most)
        for call in (
            lambda: ask(client, made.id, "hello"),
            lambda: client.openai.conversations.items.create(made.id, items=[ADA]),
        ):
            with pytest.raises(openai.BadRequestError, match="at most"):
                call()
        assert client.balance() == USD

    @pytest.mark.parametrize(("name", "most"), [("MAX_DAY_CONVERSATIONS", 1), ("MAX_DAY_BYTES", 2)])
    def test_a_day_has_an_end(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch, name: str, most: int
    ) -> None:
        monkeypatch.setattr(storage, name, most)
        client.openai.conversations.create()
        with pytest.raises(openai.RateLimitError) as full:
            client.openai.with_options(max_retries=0).conversations.create()
        assert full.value.code == "storage_limited"

    def test_large_items_are_an_object_and_go_with_their_conversation(self, client: TextClient) -> None:
        long = "word " * 70_000
        made = client.openai.conversations.create(items=[{"role": "user", "content": long}])
        client.openai.conversations.items.create(made.id, items=[{"role": "user", "content": long}])
        assert said(client, made.id) == [long, long]
        first = next(iter(client.openai.conversations.items.list(made.id)))
        client.openai.conversations.items.delete(first.id or "", conversation_id=made.id)
        assert said(client, made.id) == [long]
        client.openai.conversations.delete(made.id)
        with pytest.raises(openai.NotFoundError):
            client.openai.conversations.items.list(made.id)
