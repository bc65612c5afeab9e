"""What a request gathers from stored responses has bounds, and a key sees those of its models only."""

import asyncio
import json
import tracemalloc
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.clock import ManualClock
from tests.unit.text.samples import text_model
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import ALL_SCOPES
from tollgate.audit.notes import AuditNotes
from tollgate.kit.errors import ForbiddenError, InvalidInputError, PayloadTooLargeError
from tollgate.kit.ids import new_id
from tollgate.text.body.json_body import MAX_BODY_BYTES, json_text
from tollgate.text.body.tokens import utf8_length
from tollgate.text.responses.conversations import ConversationRepository
from tollgate.text.responses.gathering import PIECE_BYTES, encoded_list
from tollgate.text.responses.repository import MAX_AT_ONCE, ResponseRepository
from tollgate.text.responses.service import ResponsesService
from tollgate.text.responses.storage import Storage
from tollgate.text.routes.calls import RouteCalls
from tollgate.text.service import TextService
from tollgate.text.wire.errors import ResponseNotFoundError

pytestmark = pytest.mark.anyio

ACCOUNT = "usr_1"
MODEL, OTHER = "claude-haiku-5-5", "gpt-5.4-mini"
KB = 1024
WORDS = 'é "中"\n😀' * 100
SEARCH = {"type": "tool_search", "execution": "client"}


class Rows:
    """The table of stored responses, which counts how many are read, and how many at once."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self.reads = 0
        self.most_at_once = 0
        self._at_once = 0

    async def get(self, table: str, key: dict[str, Any]) -> dict[str, Any] | None:
        assert table == "responses"
        self.reads += 1
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        await asyncio.sleep(0)
        self._at_once -= 1
        return self.rows.get(key["response_id"]) if key["account_id"] == ACCOUNT else None

    async def write(self, write: Any) -> None:
        self.rows[write.item["response_id"]] = write.item

    async def transact(self, writes: Any) -> None:
        changed, noted = writes
        assert noted.table == "audit"
        await self.write(changed)

    def add(self, said: str, model: str | None = MODEL, name: str = MODEL, earlier: Any = ()) -> str:
        """Store a response with one item of input; return its id. `model` is `None` in rows of before."""
        response_id = new_id("resp")
        item = {"role": "user", "content": said, "id": item_of(response_id)}
        content = {"response": {"id": response_id, "model": name, "output": []}, "items": [item]}
        row = {
            "account_id": ACCOUNT,
            "response_id": response_id,
            "earlier": list(earlier),
            "content": json.dumps(content),
            "expires_at_s": 2_000_000_000,
        }
        self.rows[response_id] = row if model is None else {**row, "model": model}
        return response_id


def item_of(response_id: str) -> str:
    return f"msg_{response_id.removeprefix('resp_')}_in0"


@pytest.fixture
def rows() -> Rows:
    return Rows()


@pytest.fixture
def service(rows: Rows) -> ResponsesService:
    clock = ManualClock()
    models = {MODEL: text_model(id=MODEL), OTHER: text_model(id=OTHER), "haiku": text_model(id=MODEL)}
    storage = Storage(rows, "responses", SimpleNamespace(), clock)  # type: ignore[arg-type]
    unused: Any = None
    text = TextService(models, RouteCalls(unused, unused, unused, unused, clock), lambda _: None)
    kept, conversations = ResponseRepository(storage), ConversationRepository(storage)
    return ResponsesService(text, kept, conversations, AuditNotes("audit", ManualClock()))


def key_for(*models: str) -> ApiKey:
    allowed = frozenset(models) if models else None
    return ApiKey("key_1", ACCOUNT, "digest", ALL_SCOPES, 0, models=allowed)


def body(items: Any, model: str = MODEL, **fields: Any) -> bytes:
    return json.dumps({"model": model, "input": items, **fields}).encode()


def texts_in(value: Any) -> list[str]:
    """Return the texts of messages; they are what a provider counts, beside an overhead for each message."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] if isinstance(value, str) else [text for each in inner for text in texts_in(each)]


def references(*response_ids: str) -> list[dict[str, str]]:
    return [{"id": item_of(each)} for each in response_ids]


class TestBytes:
    async def test_one_item_named_often_takes_no_more_memory_than_a_body(
        self, service: ResponsesService, rows: Rows
    ) -> None:
        asked = body(references(rows.add("x" * 500 * KB)) * 1_500)
        tracemalloc.start()
        with pytest.raises(PayloadTooLargeError):
            await service.read(asked, key_for())
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak_bytes < MAX_BODY_BYTES

    async def test_each_use_of_an_item_counts(self, service: ResponsesService, rows: Rows) -> None:
        stored = rows.add("x" * 500 * KB)
        call = await service.read(body(references(stored) * 12), key_for())
        assert len(call.chat.fields["messages"]) == 12
        assert call.chat.body.size_bytes > 12 * 500 * KB
        with pytest.raises(PayloadTooLargeError):
            await service.read(body(references(stored) * 13), key_for())

    async def test_the_bodys_own_bytes_count_as_well(self, service: ResponsesService, rows: Rows) -> None:
        stored = rows.add("x" * 500 * KB)
        with pytest.raises(PayloadTooLargeError):
            await service.read(body(references(stored) * 12, instructions="y" * 500 * KB), key_for())

    async def test_so_does_a_conversation(self, service: ResponsesService, rows: Rows) -> None:
        earlier = [rows.add("x" * 500 * KB) for _ in range(12)]
        last = rows.add("x" * 500 * KB, earlier=earlier)
        with pytest.raises(PayloadTooLargeError):
            await service.read(body("go on", previous_response_id=last), key_for())

    async def test_the_chat_is_what_its_text_says(self, service: ResponsesService, rows: Rows) -> None:
        last = rows.add("before \ud800 é")
        call = await service.read(body("go on", previous_response_id=last, temperature=0.5), key_for())
        assert json.loads(call.chat.body.edited({})) == call.chat.fields

    @pytest.mark.parametrize(
        "items",
        [
            [{"role": "user", "content": WORDS}],
            [{"type": "custom_tool_call", "call_id": "1", "name": "patch", "input": WORDS}],
            [{"type": "function_call_output", "call_id": "1", "output": {"said": [WORDS]}}],
            [{"type": "tool_search_call", "call_id": "1", "arguments": {"query": WORDS}}],
            [{"type": "custom_tool_call", "call_id": "1", "name": "n", "namespace": "s", "input": "x"}] * 9,
        ],
    )
    async def test_no_text_of_the_chat_is_longer_than_what_bounds_the_bill(
        self, service: ResponsesService, items: list[Any]
    ) -> None:
        grammar = {"type": "grammar", "syntax": "lark", "definition": WORDS}
        tools = [{"type": "custom", "name": "patch", "format": grammar}, SEARCH]
        for read, fields in ((service.read, {"tools": tools}), (service.compact, {})):
            asked = json.dumps({"model": MODEL, "input": items, **fields}, ensure_ascii=False)
            chat = (await read(asked.encode(), key_for())).chat
            texts = [*texts_in(chat.fields["messages"]), json_text(chat.fields.get("tools", []))]
            assert sum(utf8_length(text) for text in texts) <= chat.body.size_bytes


class TestReads:
    async def test_a_few_at_once(self, service: ResponsesService, rows: Rows) -> None:
        call = await service.read(body(references(*(rows.add("x") for _ in range(200)))), key_for())
        assert len(call.chat.fields["messages"]) == 200
        assert (rows.reads, rows.most_at_once) == (200, MAX_AT_ONCE)

    async def test_all_of_them_together_are_bounded(self, service: ResponsesService, rows: Rows) -> None:
        # Of each a small item is named, beside one that is large.
        ids = [rows.add("x") for _ in range(40)]
        for each in ids:
            rows.rows[each]["content"] += " " * 1024 * KB
        with pytest.raises(InvalidInputError) as refused:
            await service.read(body(references(*ids)), key_for())
        assert refused.value.problems[0].path == "/input"
        # 12 MB are 12 of them, whose rows are read in rounds of 8.
        assert rows.reads == 16

    @pytest.mark.parametrize(("many", "model"), [(2_001, MODEL), (1, "none")])
    async def test_what_is_refused_anyway_reads_nothing(
        self, service: ResponsesService, rows: Rows, many: int, model: str
    ) -> None:
        with pytest.raises(InvalidInputError):
            await service.read(body([{"id": "msg_1"}] * many, model), key_for())
        assert rows.reads == 0


class TestTheLoop:
    async def test_others_have_their_turn_while_a_large_list_is_encoded(self) -> None:
        turns = 0

        async def another() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        other = asyncio.ensure_future(another())
        values = ["x" * PIECE_BYTES] * 10
        assert json.loads(await encoded_list(values)) == values
        other.cancel()
        assert turns >= 10


class TestKeys:
    @pytest.mark.parametrize("model", [MODEL, None])
    async def test_a_key_for_another_model_sees_nothing(
        self, service: ResponsesService, rows: Rows, model: str | None
    ) -> None:
        stored = rows.add("secret", model)
        stranger = key_for(OTHER)
        for call in (
            service.response(stranger, stored),
            service.delete(stranger, stored),
            service.input_items(stranger, stored, {}),
            service.read(body("on", OTHER, previous_response_id=stored), stranger),
            service.read(body(references(stored), OTHER), stranger),
        ):
            with pytest.raises(ResponseNotFoundError):
                await call
        assert rows.rows[stored]["content"]

    async def test_nor_a_conversation_that_began_so(self, service: ResponsesService, rows: Rows) -> None:
        first = rows.add("secret", MODEL)
        second = rows.add("on", OTHER, OTHER, earlier=[first])
        with pytest.raises(ResponseNotFoundError):
            await service.read(body("on", OTHER, previous_response_id=second), key_for(OTHER))

    @pytest.mark.parametrize("key", [key_for(), key_for(MODEL), key_for(MODEL, OTHER)])
    @pytest.mark.parametrize(("model", "name"), [(MODEL, MODEL), (None, MODEL), (None, "Haiku")])
    async def test_any_key_for_the_model_reads_and_deletes_it(
        self, service: ResponsesService, rows: Rows, key: ApiKey, model: str | None, name: str
    ) -> None:
        stored = rows.add("hello", model, name)
        assert json.loads(await service.response(key, stored))["id"] == stored
        assert (await service.read(body("on", previous_response_id=stored), key)).origins
        await service.delete(key, stored)
        assert "content" not in rows.rows[stored]

    async def test_of_a_model_that_is_gone_only_a_key_for_all_models_reads(
        self, service: ResponsesService, rows: Rows
    ) -> None:
        stored = rows.add("hello", None, "a-model-of-last-year")
        assert await service.response(key_for(), stored)
        with pytest.raises(ResponseNotFoundError):
            await service.response(key_for(MODEL, "a-model-of-last-year"), stored)

    async def test_a_model_that_the_key_may_not_use_is_refused_before_anything_is_read(
        self, service: ResponsesService, rows: Rows
    ) -> None:
        with pytest.raises(ForbiddenError):
            await service.read(body(references(rows.add("x"))), key_for(OTHER))
        assert rows.reads == 0
