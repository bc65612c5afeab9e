"""Lines of batches at a vendor's batch API: prices, money, crashes and lost answers."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import pytest

from tests.functional.test_run_batch import chat, ended, lines_of, run_one, runner, start, take
from tests.functional.test_subaccounts import acting, opened
from tests.support.text_app import USD, TextClient, switched_off
from tollgate.batches import collecting, models, parcel_worker, parcels, worker
from tollgate.batches.parcels import Parcel
from tollgate.batches.vendor_calls import RefusedError, UnsureError, VendorCalls
from tollgate.composition import api as api_parts
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.ledger.budgets import period_at
from tollgate.ledger.callers import Caller
from tollgate.ledger.entries import EntryKind

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]
__all__ = ["runner"]

GPT, ORDINARY = "gpt-5.4-mini", "deepseek-v4-flash"
# At most so many messages for one batch, or it never ends.
MAX_MESSAGES = 60
# After so many, it waits for a time of up to two seconds, which messages without a pause would not last.
QUICK_MESSAGES, PAUSE_S = 20, 0.1


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at parcels again at once."""
    for name in ("FIRST_POLL_S", "MAX_POLL_S", "RETRY_S"):
        monkeypatch.setattr(parcels, name, 0)


def run(client: TextClient, batch: Any) -> Any:
    """Run messages until the batch has ended; return it with its outputs and errors."""
    for number in range(MAX_MESSAGES):
        if number >= QUICK_MESSAGES:
            time.sleep(PAUSE_S)
        for message in take():
            run_one(message)
        found = ended(client, batch)
        if found[0].status not in ("validating", "in_progress", "finalizing", "cancelling"):
            return found
    raise AssertionError("the batch does not end")


class TestPrice:
    def test_is_listed_beside_the_ordinary_price(self, client: TextClient) -> None:
        listed = client.get(f"/models/{GPT}").json()["pricing"]
        # 0.75 and 4.5 USD outside of batches
        assert (listed["input-batch"], listed["output-batch"]) == ("0.375", "2.25")

    @pytest.mark.parametrize("model", [GPT, ORDINARY])
    def test_is_told_even_if_the_provider_reports_no_usage(self, client: TextClient, model: str) -> None:
        body = chat("[[no-usage]] [[tokens 40]] hello", model=model)
        batch, outputs, errors = run(client, start(client, lines_of(body)))
        assert (batch.status, errors) == ("completed", [])
        (entry,) = client.texts()
        assert (entry.usage or {})["estimated"]
        assert outputs[0]["response"]["body"]["usage"]["cost"] == -entry.amount_micro_usd / USD > 0

    def test_is_that_of_the_input_for_embeddings(self, client: TextClient) -> None:
        body = {"model": "text-embedding-3-small", "input": "hello"}
        batch, outputs, _ = run(client, start(client, lines_of(body, url="/v1/embeddings"), "/v1/embeddings"))
        assert (batch.status, len(outputs)) == ("completed", 1)
        assert [(entry.usage or {})["service"] for entry in client.texts()] == ["batch"]
        assert client.settled()


class TestWhatRunsTheOrdinaryWay:
    @pytest.mark.parametrize(
        "fields",
        [
            {"model": ORDINARY},
            {"provider": {"only": ["openai"]}},
            {"provider": {"data_collection": "deny"}},
            {"model": f"{GPT}:floor"},
            {"models": [GPT, ORDINARY]},
            {"service_tier": "flex"},
        ],
        ids=["no-price", "only", "data", "suffix", "fallbacks", "tier"],
    )
    def test_a_line_with_wishes_or_without_a_batch_price(
        self, client: TextClient, fields: dict[str, Any]
    ) -> None:
        both = [chat(model=GPT), {**chat(model=GPT), **fields}]
        batch, outputs, errors = run(client, start(client, lines_of(*both)))
        assert (batch.status, errors) == ("completed", [])
        assert [each["custom_id"] for each in outputs] == ["line-0", "line-1"]
        services = sorted((entry.usage or {}).get("service", "") for entry in client.texts())
        assert services == ["batch", "flex"] if "service_tier" in fields else ["", "batch"]
        assert client.settled()

    @pytest.mark.parametrize(
        ("words", "at_vendor"),
        [
            ("[[batch-busy 9]]", 0),
            ("[[openai:status 429 1]]", 3),
            ("[[openai:garbage]]", 3),
        ],
    )
    def test_lines_that_the_vendor_does_not_answer(
        self, client: TextClient, words: str, at_vendor: int
    ) -> None:
        bodies = [chat(f"[[tokens 20]] {n} {words if n == 0 else ''}", model=GPT) for n in range(4)]
        batch, outputs, errors = run(client, start(client, lines_of(*bodies)))
        assert (batch.status, len(outputs), errors) == ("completed", 4, [])
        services = [(entry.usage or {}).get("service") for entry in client.texts()]
        assert (len(services), services.count("batch")) == (4, at_vendor)
        assert client.settled()

    def test_lines_of_a_sub_account_with_a_mark_up(self, client: TextClient) -> None:
        child = opened(client.account, 50)["id"]
        fields = {"name": "text", "scopes": ["text"]}
        key = acting(client.account, child, "POST", "/api/v1/keys", fields)[1]["data"]["key"]
        account = replace(client.account, account_id=child, api_key=key)
        other = replace(client, account=account)
        batch, outputs, _ = run(other, start(other, lines_of(chat("[[tokens 20]]", model=GPT))))
        (entry,) = other.texts()
        assert (batch.status, len(outputs), (entry.usage or {}).get("service")) == ("completed", 1, None)
        assert entry.markup_micro_usd

    @pytest.mark.parametrize("failure", [UnsureError(), RefusedError(429)], ids=["no answer", "busy"])
    def test_lines_that_the_vendor_never_stores(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch, failure: Exception
    ) -> None:
        uploads: list[Any] = []

        async def failed(_: VendorCalls, *upload: Any) -> Any:
            uploads.append(upload)
            raise failure

        monkeypatch.setattr(VendorCalls, "upload", failed)
        monkeypatch.setattr(parcels, "MAX_LINES", 1)
        batch = start(client, lines_of(*[chat(f"[[tokens 20]] {n}", model=GPT) for n in range(4)]))
        found, outputs, errors = run(client, batch)
        assert (found.status, len(outputs), errors) == ("completed", 4, [])
        # Three attempts for each of two parcels. The other lines wait for no parcel then.
        assert len(uploads) == 6
        assert [(entry.usage or {}).get("service") for entry in client.texts()] == [None] * 4
        assert client.settled()

    def test_lines_of_a_vendor_that_is_switched_off(self, client: TextClient) -> None:
        with switched_off("openai"):
            batch, outputs, errors = run(client, start(client, lines_of(chat(model=GPT))))
        assert (batch.status, len(outputs), errors) == ("completed", 1, [])
        (entry,) = client.texts()
        assert (entry.provider, (entry.usage or {}).get("service")) == ("azure", None)
        assert client.settled()

    @pytest.mark.parametrize(("messages", "at_vendor"), [(1, 0), (2, 1)])
    def test_a_switch_drops_a_parcel_that_is_not_sent_and_collects_one_that_is(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch, messages: int, at_vendor: int
    ) -> None:
        # One step of a parcel for each message: after the first, its money is reserved.
        monkeypatch.setattr(parcel_worker, "MAX_STEPS", 1 if messages == 1 else 10)
        batch = start(client, lines_of(chat(model=GPT)))
        for _ in range(messages):
            for message in take():
                run_one(message)
        with switched_off("openai"):
            batch, outputs, errors = run(client, batch)
        assert (batch.status, len(outputs), errors) == ("completed", 1, [])
        services = [(entry.usage or {}).get("service") for entry in client.texts()]
        assert services.count("batch") == at_vendor
        assert client.settled()

    def test_lines_with_a_routing_policy_or_of_an_account_with_little_money(
        self, client: TextClient, open_client: Callable[[int], TextClient]
    ) -> None:
        policy, other = {"ignore": ["azure"]}, open_client(USD)
        api_parts.api().routing.change(client.account.account_id, policy, None)
        made = api_parts.api().keys.create(
            other.account.account_id, {"name": "narrow", "routing": policy}, None
        )
        narrow = replace(other, account=replace(other.account, api_key=made["key"]))
        # A quarter of its balance is less than the hold of a line.
        poor = open_client(2000)
        for each in (client, narrow, poor):
            batch, outputs, _ = run(each, start(each, lines_of(chat("[[tokens 20]]", model=GPT))))
            assert (batch.status, len(outputs)) == ("completed", 1)
            assert "service" not in (each.texts()[0].usage or {})
            assert each.settled()


@pytest.mark.parametrize(
    ("others", "status"), [([], "completed"), ([chat(model=ORDINARY)], "failed")], ids=["all", "some"]
)
def test_an_input_that_is_deleted_loses_no_line_at_the_vendor(
    client: TextClient, monkeypatch: pytest.MonkeyPatch, others: list[dict[str, Any]], status: str
) -> None:
    batch = start(client, lines_of(*[chat("[[tokens 20]] [[batch-slow 200]]", model=GPT)] * 2, *others))
    with monkeypatch.context() as patch:
        # The lines that no vendor gets have not begun.
        patch.setattr(worker, "START_S", 0.0)
        for message in take():
            run_one(message)
    api_parts.api().files.delete(Caller.of_account(client.account.account_id), str(batch.input_file_id), "me")
    found, outputs, errors = run(client, batch)
    assert (found.status, len(outputs), errors) == (status, 2, [])
    assert (found.errors is None) == (status == "completed")
    assert [(entry.usage or {})["service"] for entry in client.texts()] == ["batch", "batch"]
    assert client.settled()


class KilledError(BaseException):
    """The process of a worker ends."""


@dataclass
class Steps:
    """The writes and the vendor's calls of workers. `fails` is called after each of them was carried out."""

    fails: Callable[[int, str], None]
    names: list[str] = field(default_factory=list)

    def after(self, name: str) -> None:
        self.names.append(name)
        self.fails(len(self.names), name)


READS = ("GetItem", "Query", "Scan", "TransactGetItems")


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """Count the steps of workers, one line at a time."""
    found = Steps(lambda *_: None)
    send, read = AsyncDatabase._send, VendorCalls._read
    monkeypatch.setattr(worker, "MAX_AT_ONCE", 1)
    monkeypatch.setattr(collecting, "MAX_AT_ONCE", 1)

    async def sent(database: AsyncDatabase, request: Any) -> Any:
        answer = await send(database, request)
        if request.operation not in READS:
            found.after(request.operation)
        return answer

    async def told(vendor: VendorCalls, call: Any, *rest: Any) -> Any:
        answer = await read(vendor, call, *rest)
        found.after(f"{call.method} {call.url.rpartition('/v1')[2].partition('?')[0]}")
        return answer

    monkeypatch.setattr(AsyncDatabase, "_send", sent)
    monkeypatch.setattr(VendorCalls, "_read", told)
    return found


def at_vendor(simulator_url: str, batch_id: str) -> list[dict[str, Any]]:
    """Return the vendor's batches that were made for a batch."""
    headers = {"authorization": "Bearer simulated"}
    page = httpx.get(f"{simulator_url}/openai/v1/batches?limit=100", headers=headers).json()
    assert page["object"] == "list"
    labels = [(one, (one["metadata"] or {}).get("tollgate_parcel", "")) for one in page["data"]]
    return [one for one, label in labels if label.startswith(f"{batch_id}/")]


def run_often(message: dict[str, Any]) -> None:
    for _ in range(MAX_MESSAGES):
        run_one(message)


def two_lines() -> list[dict[str, Any]]:
    return lines_of(*[chat(f"[[tokens 20]] {n}", model=GPT) for n in range(2)])


def test_results_that_never_come_are_given_up_and_the_money_is_free_again(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = start(client, lines_of(chat("[[tokens 20]] [[batch-stuck]]", model=GPT), chat(model=GPT)))
    (message,) = take()
    run_one(message)
    assert client.balance() < USD
    monkeypatch.setattr(parcels, "CANCEL_AFTER_S", 0)
    found, outputs, errors = run(client, batch)
    assert (found.status, len(outputs), errors) == ("completed", 2, [])
    assert client.settled()


# The steps of a line after the file of results was read: its hold, its charge, its settlement, its result.
STEPS = {"the hold": 1, "the charge": 2, "the settlement": 3}


async def no_batch(*_: Any) -> Any:
    raise RefusedError(404)


async def no_answers(*_: Any) -> Any:
    return []


def test_lines_whose_model_has_another_name_at_the_vendor_meanwhile_run_the_ordinary_way(
    client: TextClient, simulator_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def older(**fields: Any) -> Parcel:
        return Parcel(**{**fields, "upstream": "gpt-older"})

    monkeypatch.setattr("tollgate.batches.parcel_worker.Parcel", older)
    batch = start(client, two_lines())
    found, outputs, errors = run(client, batch)
    assert (found.status, len(outputs), errors) == ("completed", 2, [])
    assert (at_vendor(simulator_url, batch.id), len(client.texts())) == ([], 2)
    assert client.settled()


def test_the_second_of_two_batches_of_one_parcel_is_cancelled(
    client: TextClient, simulator_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = VendorCalls.create

    async def twice(vendor: VendorCalls, order: Any) -> Any:
        await create(vendor, order)
        await create(vendor, order)
        raise UnsureError

    monkeypatch.setattr(VendorCalls, "create", twice)
    batch = start(client, lines_of(chat("[[tokens 20]] [[batch-slow 2000]]", model=GPT)))
    found, outputs, errors = run(client, batch)
    assert (found.status, len(outputs), errors) == ("completed", 1, [])
    states = sorted(one["status"] for one in at_vendor(simulator_url, batch.id))
    assert states == ["cancelled", "completed"]
    assert client.settled()


def test_nothing_is_created_again_while_the_create_may_be_under_way(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    creates: list[Any] = []

    async def unanswered(_: VendorCalls, order: Any) -> Any:
        creates.append(order)
        raise UnsureError

    batch = start(client, lines_of(chat("[[tokens 20]]", model=GPT)))
    with monkeypatch.context() as patch:
        patch.setattr(VendorCalls, "create", unanswered)
        (message,) = take()
        run_one(message)
        patch.setattr(parcels, "RETRY_S", 60)
        for _ in range(3):
            run_one({**message, "is_urgent": True})
        assert len(creates) == 1
    found, outputs, errors = run(client, batch)
    assert (found.status, len(outputs), errors) == ("completed", 1, [])
    assert [(entry.usage or {})["service"] for entry in client.texts()] == ["batch"]
    assert client.settled()


def killed_after(
    last: str, client: TextClient, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> tuple[Any, dict[str, Any]]:
    """Start two lines, whose worker dies after a step of the first; return their batch and message."""
    monkeypatch.setattr(models, "CLAIM_S", 0)
    batch = start(client, two_lines())
    (message,) = take()
    seen: list[str] = []

    def killed(_: int, name: str) -> None:
        if name.endswith("/content") or seen:
            seen.append(name)
        if len(seen) == 1 + STEPS[last]:
            raise KilledError

    steps.fails = killed
    with pytest.raises(KilledError):
        run_often(message)
    steps.fails = lambda *_: None
    return batch, message


@pytest.mark.parametrize(("call", "lost_by"), [("get", no_batch), ("answers", no_answers)])
@pytest.mark.parametrize("last", STEPS)
def test_a_charge_without_a_result_is_returned_if_the_vendor_loses_the_batch_or_its_answers(
    client: TextClient, steps: Steps, monkeypatch: pytest.MonkeyPatch, last: str, call: str, lost_by: Any
) -> None:
    batch, message = killed_after(last, client, steps, monkeypatch)
    monkeypatch.setattr(VendorCalls, call, lost_by)
    run_one(message)
    found, outputs, errors = run(client, batch)
    lost = [each["custom_id"] for each in errors if each["error"]["code"] == "response_lost"]
    assert (found.status, len(errors), lost) == (
        "completed",
        len(lost),
        [] if last == "the hold" else ["line-0"],
    )
    assert len(outputs) + len(lost) == 2
    _, *returned = client.entries_of(EntryKind.CREDIT)
    assert len(returned) == len(lost)
    paid = sum(-entry.amount_micro_usd for entry in [*client.texts(), *returned])
    assert USD - client.balance() == paid
    # No hold is left.
    assert client.settled()


@pytest.mark.parametrize("last", STEPS)
def test_a_cap_and_a_budget_count_the_lines_of_a_worker_that_died(
    client: TextClient, steps: Steps, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    api, account_id = api_parts.api(), client.account.account_id
    budget = {"name": "All", "scope": "account", "per": "month", "limitCents": 50}
    api.budgets.create(account_id, budget, None)
    key_id = "key_" + client.account.api_key.split("_")[2]
    api.keys.update(account_id, key_id, {"spendingCap": {"capCents": 50, "per": "month"}}, None)
    batch, message = killed_after(last, client, steps, monkeypatch)
    run_one(message)
    found, outputs, errors = run(client, batch)
    assert (found.status, len(outputs), errors) == ("completed", 2, [])
    paid = USD - client.balance()
    assert paid > 0
    assert list(api.accounts.me(account_id).counters.values()) == [paid]
    (kept,) = api.budgets.budgets.read(account_id).budgets
    stamp, _ = period_at(kept.per, api.budgets.clock.now_ms())
    assert list(api.budgets.budgets.spent(account_id, kept, stamp).values()) == [paid]
    assert client.settled()


@pytest.mark.parametrize("last", ["the charge", "the settlement"])
def test_a_charged_line_has_its_answer_even_if_the_results_are_full_meanwhile(
    client: TextClient, steps: Steps, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    batch, message = killed_after(last, client, steps, monkeypatch)
    monkeypatch.setattr(collecting, "MAX_OUTPUT_BYTES", 0)
    run_one(message)
    found, outputs, errors = run(client, batch)
    assert (found.status, [each["custom_id"] for each in outputs]) == ("completed", ["line-0"])
    assert [each["error"]["code"] for each in errors] == ["batch_output_full"]
    assert len(client.texts()) == 1
    assert client.settled()


def test_a_budget_for_a_part_still_gives_the_batch_price(client: TextClient) -> None:
    api_parts.api().budgets.create(
        client.account.account_id, {"name": "All", "scope": "account", "per": "month", "limitCents": 1}, None
    )
    # At the batch price each line holds at least 0.225 cents.
    bodies = [chat(f"[[tokens 20]] {n}", model=GPT, max_tokens=1_000) for n in range(12)]
    batch, outputs, errors = run(client, start(client, lines_of(*bodies)))
    assert (batch.status, len(outputs), errors) == ("completed", 12, [])
    assert [(entry.usage or {}).get("service") for entry in client.texts()] == ["batch"] * 12
    assert client.settled()
