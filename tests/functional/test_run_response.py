"""Background responses with OpenAI's own SDK, on the emulator. Lambda's events are handed over here."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import openai
import pytest
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from local.machine.events import Context
from run_response.app import handler
from tests.support.iam import recorder
from tests.support.losses import OneLoss
from tests.support.text_app import START_TIMEOUT_S, USD, TextClient
from tollgate.composition import api as api_parts
from tollgate.composition import run_response as run_response_parts
from tollgate.composition import sweep as sweep_parts
from tollgate.composition import text as text_parts
from tollgate.kit.aws import sdk
from tollgate.kit.aws.async_invoke import NotInvokedError
from tollgate.kit.clock import SystemClock
from tollgate.kit.dynamodb import core
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.ledger.budgets import period_at
from tollgate.ledger.entries import EntryKind
from tollgate.text.models import TokenPrices
from tollgate.text.responses import background, follow, parts, states
from tollgate.text.routes import response

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker", "short"),
]

EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
LONG = "[[tokens 1000]] [[delay 10]]"
THINK_UNASKED = ["gpt-5.5"]
"""Its provider is read to the end, because all thinking is billed, and it may not be shown."""
MODELS = ["gpt-5.4-mini", "claude-haiku-5-5", "deepseek-v4-pro"]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pauses between two looks."""
    monkeypatch.setattr(response, "READ_INTERVAL_S", 0.1)
    monkeypatch.setattr(background, "READ_INTERVAL_S", 0.1)
    for module in (background, follow, parts):
        monkeypatch.setattr(module, "INTERVAL_S", 0.05)


@dataclass
class PlayedLambda:
    """Lambda's queue of events."""

    events: list[dict[str, Any]] = field(default_factory=list)
    is_down: bool = False

    async def send(self, event: dict[str, Any]) -> None:
        recorder.judge_for("TextFunction", "lambda", "Invoke", FunctionName="RunResponseFunction")
        if self.is_down:
            raise NotInvokedError("no answer")
        self.events.append(event)

    def take(self) -> list[dict[str, Any]]:
        taken, self.events = self.events, []
        return taken


waiting = PlayedLambda()


@pytest.fixture(autouse=True)
def runner(client: TextClient, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Play Lambda, and close the loop of this thread afterwards."""
    client.get("/models")
    (made,) = text_parts._made.values()
    monkeypatch.setattr(made, "run_later", waiting.send)
    monkeypatch.setattr(waiting, "events", [])
    yield
    run_response_parts.close()


def run(event: dict[str, Any]) -> None:
    handler(event, Context("RunResponseFunction"))


def run_all() -> int:
    """Run the responses that wait; return how many there were."""
    taken = waiting.take()
    for event in taken:
        run(event)
    return len(taken)


def start(client: TextClient, prompt: Any = "hello", **fields: Any) -> Response:
    model = fields.pop("model", "gpt-5.4-mini")
    made = client.openai.responses.create(model=model, input=prompt, background=True, **fields)
    assert isinstance(made, Response)
    return made


class Aside:
    """The responses that wait, run in another thread."""

    def __enter__(self) -> None:
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._thread.join(START_TIMEOUT_S)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        run_all()
        run_response_parts.close()


def until(client: TextClient, response_id: str, *states: str) -> Response:
    deadline = time.monotonic() + START_TIMEOUT_S
    while (found := client.openai.responses.retrieve(response_id)).status not in states:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


class TestAResponse:
    @pytest.mark.parametrize("model", MODELS)
    def test_is_queued_run_and_billed_once(self, client: TextClient, model: str) -> None:
        made = start(client, "[[tokens 20]] hello", model=model, metadata={"team": "search"})
        assert (made.status, made.background, made.output) == ("queued", True, [])
        # Its most is held, and nothing is charged yet.
        assert client.balance() < USD
        assert client.texts() == []
        assert client.openai.responses.retrieve(made.id) == made
        assert run_all() == 1
        found = client.openai.responses.retrieve(made.id)
        assert (found.status, found.metadata, found.created_at) == (
            "completed",
            made.metadata,
            made.created_at,
        )
        assert found.output_text
        assert found.usage is not None
        (entry,) = client.texts()
        assert (entry.request_id, entry.model) == (made.id.replace("resp_", "req_"), model)
        assert entry.tags == {"team": "search"}
        assert entry.usage is not None
        assert entry.usage["output_tokens"] == found.usage.output_tokens
        assert client.settled()
        # An event can come again.
        run({"account_id": client.account.account_id, "response_id": made.id})
        assert client.openai.responses.retrieve(made.id) == found
        assert len(client.texts()) == 1

    def test_costs_what_it_cost_when_it_was_created(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A price can change at midnight, between the request and its run."""
        models_of = text_parts._models

        def dearer(current: Any) -> Any:
            return {
                name: replace(model, prices=TokenPrices(10 * model.prices.input, 10 * model.prices.output))
                for name, model in models_of(current).items()
            }

        start(client, "[[tokens 20]] hello", max_output_tokens=1_000)
        run_all()
        start(client, "[[tokens 20]] hello", max_output_tokens=1_000)
        run_response_parts.close()
        monkeypatch.setattr(text_parts, "_models", dearer)
        run_all()
        run_response_parts.close()
        before, after = client.texts()
        assert after.amount_micro_usd == before.amount_micro_usd
        assert client.settled()

    def test_says_the_same_as_one_in_the_foreground(self, client: TextClient) -> None:
        tool: Any = {"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": False}
        fields: Any = {"tools": [tool], "instructions": "Be brief.", "temperature": 0.5}
        create: Any = client.openai.responses.create
        in_front = create(model="gpt-5.4-mini", input="[[tool]] go", **fields).to_dict()
        made = start(client, "[[tool]] go", **fields)
        run_all()
        behind: dict[str, Any] = client.openai.responses.retrieve(made.id).to_dict()
        own = ("id", "created_at", "background", "completed_at", "output")
        assert {**behind, **dict.fromkeys(own)} == {**in_front, **dict.fromkeys(own)}
        assert [item["type"] for item in behind["output"]] == [item["type"] for item in in_front["output"]]

    def test_continues_and_is_continued(self, client: TextClient) -> None:
        first = client.openai.responses.create(model="test-chat", input="one")
        made = start(client, "two", model="test-chat", previous_response_id=first.id)
        with pytest.raises(openai.BadRequestError, match="has not ended"):
            client.openai.responses.create(model="test-chat", input="three", previous_response_id=made.id)
        run_all()
        items = client.get(f"/responses/{made.id}/input_items").json()["data"]
        assert [item["content"][0]["text"] for item in items] == ["two"]
        last = client.openai.responses.create(model="test-chat", input="three", previous_response_id=made.id)
        assert last.usage is not None
        assert first.usage is not None
        assert last.usage.input_tokens > first.usage.input_tokens

    def test_counts_in_budgets_and_caps(self, client: TextClient) -> None:
        api, account_id = api_parts.api(), client.account.account_id
        fields = {"name": "User", "scope": "user", "per": "month", "limitCents": 50}
        budget_id = api.budgets.create(account_id, fields, None)["id"]
        start(client, user="alice")
        run_all()
        [entry] = client.texts()
        [budget] = api.budgets.budgets.read(account_id).budgets
        assert (budget.budget_id, entry.user) == (budget_id, "alice")
        stamp, _ = period_at(budget.per, api.budgets.clock.now_ms())
        assert api.budgets.budgets.spent(account_id, budget, stamp) == {"alice": -entry.amount_micro_usd}
        assert client.settled()

    def test_may_be_too_large_for_a_row(self, client: TextClient) -> None:
        made = start(client, "hello " * 60_000, model="test-chat")
        run_all()
        found = client.openai.responses.retrieve(made.id)
        assert found.usage is not None
        assert found.usage.input_tokens > 60_000
        assert client.settled()

    def test_adds_its_turn_to_a_conversation(self, client: TextClient) -> None:
        conversation = client.openai.conversations.create()
        start(client, "one", conversation=conversation.id)
        assert client.openai.conversations.items.list(conversation.id).data == []
        run_all()
        assert len(client.openai.conversations.items.list(conversation.id).data) == 2

    @pytest.mark.parametrize(("word", "code"), [("fail", "server_error"), ("too-long", "invalid_prompt")])
    def test_ends_as_failed_if_no_provider_answers(self, client: TextClient, word: str, code: str) -> None:
        made = start(client, f"[[{word}]] hello", model="deepseek-v4-pro")
        run_all()
        found = client.openai.responses.retrieve(made.id)
        assert (found.status, found.error and found.error.code) == ("failed", code)
        assert client.texts() == []
        assert client.balance() == USD
        assert client.settled()

    @pytest.mark.parametrize("model", ["gpt-6-luna", "deepseek-v4-pro"])
    def test_keeps_and_bills_what_came_before_a_break(self, client: TextClient, model: str) -> None:
        made = start(client, "[[tokens 50]] [[stream-cut 20]] hello", model=model)
        run_all()
        found = client.openai.responses.retrieve(made.id)
        assert (found.status, found.error and found.error.code) == ("failed", "server_error")
        assert found.output_text
        assert found.usage is not None
        (entry,) = client.texts()
        assert entry.usage is not None
        assert found.usage.output_tokens == entry.usage["output_tokens"] > 0
        assert client.settled()


class TestRefusals:
    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"store": False}, "/store"),
            ({"background": "yes"}, "/background"),
            ({"background_options": {"completion_window": "8h"}}, "/background_options"),
            ({"model": "no"}, "/model"),
            ({"input": [{"role": "user", "content": "hi"}, 5]}, "/input/1"),
            ({"reasoning": {"effort": "endless"}}, "/reasoning/effort"),
        ],
    )
    def test_come_before_anything_is_held(
        self, client: TextClient, fields: dict[str, Any], path: str
    ) -> None:
        answer = client.post(
            "/responses", {"model": "gpt-5.4-mini", "input": "hi", "background": True, **fields}
        )
        assert answer.status_code == 400
        assert answer.json()["error"]["details"][0]["path"] == path
        assert client.balance() == USD
        assert run_all() == 0

    def test_nothing_is_queued_without_money(self, open_client: Any) -> None:
        client = open_client(1)
        with pytest.raises(openai.APIStatusError) as refused:
            start(client)
        assert refused.value.status_code == 402
        assert run_all() == 0

    def test_one_that_runs_is_not_deleted(self, client: TextClient) -> None:
        made = start(client)
        with pytest.raises(openai.BadRequestError, match="Cancel it first"):
            client.openai.responses.delete(made.id)
        run_all()
        client.openai.responses.delete(made.id)
        with pytest.raises(openai.NotFoundError):
            client.openai.responses.retrieve(made.id)


class TestCancel:
    def test_a_queued_one_costs_nothing(self, client: TextClient) -> None:
        made = start(client)
        assert client.openai.responses.cancel(made.id).status == "cancelled"
        assert client.balance() == USD
        run_all()
        assert client.openai.responses.retrieve(made.id).status == "cancelled"
        assert client.openai.responses.cancel(made.id).status == "cancelled"
        assert client.texts() == []
        assert client.settled()

    @pytest.mark.parametrize("model", [*MODELS, "gpt-5.5"])
    def test_a_running_one_is_billed_for_what_was_produced(self, client: TextClient, model: str) -> None:
        made = start(client, LONG, model=model)
        with Aside():
            until(client, made.id, "in_progress")
            found = client.openai.responses.cancel(made.id)
        assert found.status == "cancelled"
        found = client.openai.responses.retrieve(made.id)
        assert (found.status, found.error) == ("cancelled", None)
        (entry,) = client.texts()
        assert entry.usage is not None
        output_tokens = entry.usage.get("output_tokens", 0)
        assert (output_tokens < 1_000) is (model not in THINK_UNASKED)
        assert found.usage is not None
        assert found.usage.output_tokens == output_tokens
        assert client.settled()

    def test_one_that_thinks_too_long(self, client: TextClient) -> None:
        made = start(client, "[[tokens 5]] [[delay 2000]]")
        with Aside():
            until(client, made.id, "in_progress")
            assert client.openai.responses.cancel(made.id).status == "cancelled"
        assert client.settled()

    def test_only_background_responses_can_be_cancelled(self, client: TextClient) -> None:
        made = client.openai.responses.create(model="test-chat", input="hello")
        with pytest.raises(openai.BadRequestError, match="Only a background response"):
            client.openai.responses.cancel(made.id)
        with pytest.raises(openai.NotFoundError):
            client.openai.responses.cancel("resp_01ARZ3NDEKTSV4RRFFQ69G5FAV")


class TestStreams:
    @pytest.mark.parametrize("model", MODELS)
    def test_show_all_events_from_any_number_on(self, client: TextClient, model: str) -> None:
        prompt = "[[tokens 30]] [[delay 10]]"
        stream: Any = client.openai.responses.create(model=model, input=prompt, background=True, stream=True)
        with Aside():
            events = [event.to_dict() for event in stream]
        for event in events:
            EVENT.validate_python(event)
        assert [event["sequence_number"] for event in events] == list(range(len(events)))
        assert [event["type"] for event in events[:2]] == ["response.created", "response.in_progress"]
        assert events[-1]["type"] == "response.completed"
        made = events[-1]["response"]
        assert made == client.get(f"/responses/{made['id']}").json()
        for after in (0, len(events) // 2, len(events) - 1):
            again = client.openai.responses.retrieve(made["id"], stream=True, starting_after=after)
            assert [event.to_dict() for event in again] == events[after + 1 :]
        whole = client.openai.responses.retrieve(made["id"], stream=True)
        assert [event.to_dict() for event in whole] == events
        client.openai.responses.delete(made["id"])
        assert not [row for row in stored(client) if "content" in row]

    def test_end_with_a_cancellation(self, client: TextClient) -> None:
        stream: Any = client.openai.responses.create(
            model="gpt-5.4-mini", input=LONG, background=True, stream=True
        )
        with Aside():
            first = next(iter(stream))
            client.openai.responses.cancel(first.response.id)
            *_, last = [event.to_dict() for event in stream]
        assert (last["type"], last["response"]["status"]) == ("response.failed", "cancelled")

    def test_need_stream_in_the_request_until_the_end(self, client: TextClient) -> None:
        made = start(client)
        with pytest.raises(openai.BadRequestError, match="without stream"):
            client.openai.responses.retrieve(made.id, stream=True)
        run_all()
        assert [*client.openai.responses.retrieve(made.id, stream=True)][-1].type == "response.completed"


def stored(client: TextClient) -> list[dict[str, Any]]:
    found = sdk.dynamodb().query(
        TableName=text_parts.settings().responses_table,
        KeyConditionExpression="account_id = :a",
        ExpressionAttributeValues={":a": {"S": client.account.account_id}},
    )["Items"]
    return [row for row in found if not row["response_id"]["S"].startswith("day_")]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what lets time pass for all readers and for the sweeper."""
    real, past = SystemClock.now_ms, 0

    def pass_by(ms: int) -> None:
        nonlocal past
        past += ms

    monkeypatch.setattr(SystemClock, "now_ms", lambda self: real(self) + past)
    return pass_by


class TestCrashes:
    """A process stops after a step: the response ends, and its money comes back once."""

    def test_before_it_is_run(self, client: TextClient, later: Any) -> None:
        made = start(client)
        (event,) = waiting.take()
        later(states.QUEUED_S * 1000)
        found = client.openai.responses.retrieve(made.id)
        assert (found.status, found.error and found.error.code) == ("failed", "server_error")
        run(event)
        later(states.HOLD_MS)
        sweep_parts.sweeper().sweep()
        assert client.balance() == USD
        assert client.entries_of(EntryKind.VOID)
        assert client.openai.responses.cancel(made.id).status == "failed"

    def test_while_it_runs(self, client: TextClient, later: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        made = start(client)

        def dies(*_: object) -> None:
            raise SystemExit

        (event,) = waiting.take()
        with monkeypatch.context() as dying:
            dying.setattr(background.BackgroundResponses, "_call", dies)
            with pytest.raises(SystemExit):
                run(event)
        assert client.openai.responses.retrieve(made.id).status == "in_progress"
        # The event comes again, and no provider is called for it.
        run(event)
        later(states.RUNNING_S * 1000)
        assert client.openai.responses.retrieve(made.id).status == "failed"
        sweep_parts.sweeper().sweep()
        assert client.balance() == USD

    def test_lambda_does_not_take_it(self, client: TextClient, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(waiting, "is_down", True)
        with pytest.raises(openai.APIStatusError) as refused:
            start(client)
        assert refused.value.status_code == 503
        assert client.balance() == USD
        assert client.settled()


class TestALostAnswer:
    """The law of `tests/functional/acts`, for writes without boto3: each is done, and its answer is lost."""

    READS = ("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems")

    def completed(self, client: TextClient) -> tuple[Any, ...]:
        made = start(client, "[[tokens 20]] hello")
        assert run_all() == 1
        found = client.openai.responses.retrieve(made.id)
        return found.status, found.output_text, found.usage

    def cancelled(self, client: TextClient) -> tuple[Any, ...]:
        made = start(client)
        found = client.openai.responses.cancel(made.id)
        assert run_all() == 1
        return found.status, client.openai.responses.retrieve(made.id).status, found.usage

    @pytest.mark.parametrize("flow", ["completed", "cancelled"])
    def test_of_a_write_changes_nothing(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch, flow: str
    ) -> None:
        losses = OneLoss(-1)
        send = AsyncDatabase._send

        async def lossy(database: AsyncDatabase, request: Any) -> Any:
            answer = await send(database, request)
            is_lost = request.operation not in self.READS and losses.next(request.operation)
            return core.Answer({}, core.LOST, OSError("no answer")) if is_lost else answer

        monkeypatch.setattr(AsyncDatabase, "_send", lossy)
        in_peace, charges = getattr(self, flow)(client), len(client.texts())
        writes = losses.calls
        assert len(writes) >= 4
        cost = USD - client.balance()
        for number, call in enumerate(writes, 1):
            losses = OneLoss(number - 1)
            assert (number, call, getattr(self, flow)(client)) == (number, call, in_peace)
            assert client.settled()
            assert (number, call, len(client.texts())) == (number, call, charges * (number + 1))
            assert USD - client.balance() == cost * (number + 1)
