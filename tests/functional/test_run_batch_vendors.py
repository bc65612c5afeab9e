"""The law of batches at every vendor: price, money and results are the same, whatever is lost.

`make test` tries each fifth step of a worker and each fifth call, which differ among vendors (`is_tried`).
"""

from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.functional.test_run_batch import MODEL, chat, lines_of, run_all, run_one, runner, start, take
from tests.functional.test_run_batch_parcels import GPT, KilledError, Steps, run, run_often, soon, steps
from tests.support.laws import is_tried
from tests.support.text_app import USD, TextClient
from tollgate.batches import models, parcel_steps, parcels
from tollgate.batches.collecting import store_content
from tollgate.batches.vendor_calls import UnsureError, VendorCalls
from tollgate.composition import api as api_parts

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]
__all__ = ["runner", "soon", "steps"]


@dataclass(frozen=True)
class Vendor:
    """A vendor in these tests: its model with a batch price, and the list of its batches."""

    name: str
    model: str
    percent: int
    listing: str
    items: str
    header: str = "authorization"
    # Expired and cancelled batches keep the answers of the lines that ran.
    keeps_answers: bool = True

    def batches(self, simulator_url: str) -> int:
        """Return the number of batches at the vendor."""
        key = "Bearer simulated" if self.header == "authorization" else "simulated"
        headers = {self.header: key, "anthropic-version": "2023-06-01"}
        url, found = f"{simulator_url}/{self.name}/{self.listing}", 0
        page = httpx.get(url, headers=headers).json()
        while batches := page.get(self.items, []):
            found += len(batches)
            # Only OpenAI's pages are shorter than what these tests create.
            after = batches[-1]["id"] if self is OPENAI and page["has_more"] else None
            page = httpx.get(f"{url}&after={after}", headers=headers).json() if after else {}
        return found


OPENAI = Vendor("openai", GPT, 50, "v1/batches?limit=100", "data")
ANTHROPIC = Vendor("anthropic", "claude-haiku-5-5", 50, "v1/messages/batches?limit=1000", "data", "x-api-key")
GOOGLE = Vendor(
    "google", "gemini-3.5-flash-lite", 50, "v1/batches?pageSize=1000", "operations", "x-goog-api-key", False
)
MISTRAL = Vendor("mistral", "mistral-small-4", 50, "v1/batch/jobs?page_size=1000", "data")
XAI = Vendor("xai", "grok-4.3", 80, "v1/batches?limit=1000", "batches")
VENDORS = (OPENAI, ANTHROPIC, GOOGLE, MISTRAL, XAI)
each_vendor = pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.name)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "LONG_RETRY_S", 0)


def lines_for(vendor: Vendor, count: int = 2, words: str = "") -> list[dict[str, Any]]:
    """Return lines whose words are in the first one."""
    prompts = [f"[[tokens 20]] {n} {'' if n else words}" for n in range(count)]
    return lines_of(*[chat(prompt, model=vendor.model) for prompt in prompts])


def services(client: TextClient) -> list[str | None]:
    return [(entry.usage or {}).get("service") for entry in client.texts()]


@each_vendor
def test_a_line_costs_the_vendors_share_of_the_ordinary_price(client: TextClient, vendor: Vendor) -> None:
    prompt = "[[tokens 4000]] hello"
    assert client.post("/chat/completions", chat(prompt, model=vendor.model)).status_code == 200
    (alone,) = client.texts_when(1)
    bodies = [chat(prompt, model=vendor.model)] * 3
    batch, outputs, errors = run(client, start(client, lines_of(*bodies)))
    assert (batch.status, errors) == ("completed", [])
    assert [each["custom_id"] for each in outputs] == ["line-0", "line-1", "line-2"]
    lines = [entry for entry in client.texts() if entry.entry_id != alone.entry_id]
    assert [(entry.provider, (entry.usage or {})["service"]) for entry in lines] == [
        (vendor.name, "batch")
    ] * 3
    # Rounded up, as each charge is.
    share = -(alone.amount_micro_usd * vendor.percent // 100)
    assert all(abs(-entry.amount_micro_usd - share) <= 1 for entry in lines)
    told = {each["response"]["request_id"]: each["response"]["body"]["usage"]["cost"] for each in outputs}
    assert told == {entry.request_id: -entry.amount_micro_usd / USD for entry in lines}
    assert client.settled()


@each_vendor
def test_both_protocols_read_its_answers(client: TextClient, vendor: Vendor) -> None:
    params: Any = chat("[[tokens 30]]", model=vendor.model)
    made = client.anthropic.messages.batches.create(requests=[{"custom_id": "one", "params": params}])
    run_all()
    assert client.anthropic.messages.batches.retrieve(made.id).processing_status == "ended"
    (result,) = client.anthropic.messages.batches.results(made.id)
    assert result.result.type == "succeeded"
    assert result.result.message.usage.output_tokens > 0
    assert services(client) == ["batch"]
    assert client.settled()


@pytest.mark.parametrize(
    ("words", "at_vendor"),
    [
        ("[[batch-refuse]]", 0),
        ("[[batch-fail]]", 0),
        ("[[batch-gone]]", 0),
        ("[[batch-busy 2]]", 2),
        ("[[batch-expire]]", 1),
        ("[[batch-lost]]", 2),
        ("[[batch-vanish]]", 2),
    ],
)
@each_vendor
def test_lines_that_the_vendor_does_not_answer_run_the_ordinary_way(
    client: TextClient, simulator_url: str, vendor: Vendor, words: str, at_vendor: int
) -> None:
    before = vendor.batches(simulator_url)
    batch, outputs, errors = run(client, start(client, lines_for(vendor, 2, words)))
    assert (batch.status, len(outputs), errors) == ("completed", 2, [])
    if words == "[[batch-expire]]" and not vendor.keeps_answers:
        at_vendor = 0
    assert (len(services(client)), services(client).count("batch")) == (2, at_vendor)
    assert vendor.batches(simulator_url) - before == (0 if words == "[[batch-refuse]]" else 1)
    assert client.settled()


@each_vendor
def test_a_cancelled_batch_is_cancelled_at_the_vendor_and_pays_for_what_ran(
    client: TextClient, vendor: Vendor
) -> None:
    batch = start(client, lines_for(vendor, 4, "[[batch-slow 60000]]"))
    for message in take():
        run_one(message)
    assert client.openai.batches.cancel(batch.id).status == "cancelling"
    found, outputs, errors = run(client, batch)
    assert found.status == "cancelled"
    assert len(outputs) + len(errors) == 4
    assert {each["error"]["code"] for each in errors} == {"batch_cancelled"}
    assert len(client.texts()) == len(outputs)
    assert client.settled()


@each_vendor
def test_a_budget_for_a_part_still_gives_the_batch_price(client: TextClient, vendor: Vendor) -> None:
    cents = 3
    api_parts.api().budgets.create(
        client.account.account_id,
        {"name": "All", "scope": "account", "per": "month", "limitCents": cents},
        None,
    )
    bodies = [chat(f"[[tokens 20]] {n}", model=vendor.model, max_tokens=4_000) for n in range(16)]
    batch, outputs, errors = run(client, start(client, lines_of(*bodies)))
    assert (batch.status, len(outputs), errors) == ("completed", 16, [])
    assert services(client) == ["batch"] * 16
    assert USD - client.balance() <= cents * USD // 100
    assert client.settled()


def test_answers_are_counted_while_lines_are_at_another_vendor(client: TextClient) -> None:
    # No vendor has a batch price for the last one.
    models_of = [(MISTRAL.model, ""), (MISTRAL.model, ""), (ANTHROPIC.model, "[[batch-stuck]]"), (MODEL, "")]
    batch = start(
        client, lines_of(*[chat(f"[[tokens 20]] {words}", model=name) for name, words in models_of])
    )
    for _ in range(4):
        for message in take():
            run_one(message)
    counts = client.openai.batches.retrieve(batch.id).request_counts
    assert counts is not None
    assert (counts.total, counts.completed, counts.failed) == (4, 3, 0)
    assert services(client).count("batch") == 2
    client.openai.batches.cancel(batch.id)
    found, outputs, errors = run(client, batch)
    assert (found.status, len(outputs) + len(errors)) == ("cancelled", 4)
    assert client.settled()


# At the batch price, 16 lines of 4,000 tokens hold 1.8 cents at Anthropic and more than 3 at xAI.
@pytest.mark.parametrize(("vendor", "cents"), [(ANTHROPIC, 1), (XAI, 3)], ids=["anthropic", "xai"])
def test_a_worker_that_dies_while_it_halves_a_parcel_leaves_one_that_can_end(
    client: TextClient, monkeypatch: pytest.MonkeyPatch, vendor: Vendor, cents: int
) -> None:
    monkeypatch.setattr(models, "CLAIM_S", 0)
    account_id, budgets = client.account.account_id, api_parts.api().budgets
    limit = {"name": "All", "scope": "account", "per": "month", "limitCents": cents}
    budget = budgets.create(account_id, limit, None)

    async def killed(*args: Any) -> None:
        await store_content(*args)
        raise KilledError

    bodies = [chat(f"[[tokens 20]] {n}", model=vendor.model, max_tokens=4_000) for n in range(16)]
    batch = start(client, lines_of(*bodies))
    (message,) = take()
    monkeypatch.setattr(parcel_steps, "store_content", killed)
    with pytest.raises(KilledError):
        run_one(message)
    monkeypatch.setattr(parcel_steps, "store_content", store_content)
    # There is room for all lines meanwhile, so nothing is halved again.
    budgets.delete(account_id, budget["id"], by=None)
    run_one(message)
    found, outputs, errors = run(client, batch)
    assert (found.status, len(outputs), errors) == ("completed", 16, [])
    # The other half runs the ordinary way: it is in no parcel, and waits for none.
    assert services(client).count("batch") >= 8
    assert client.settled()


@pytest.mark.parametrize("vendor", [OPENAI, ANTHROPIC, XAI], ids=lambda vendor: vendor.name)
def test_a_worker_that_dies_after_any_step_leaves_one_batch_at_the_vendor_and_one_charge_a_line(
    client: TextClient, steps: Steps, simulator_url: str, monkeypatch: pytest.MonkeyPatch, vendor: Vendor
) -> None:
    monkeypatch.setattr(models, "CLAIM_S", 0)
    first = start(client, lines_for(vendor))
    steps.names.clear()
    run(client, first)
    in_peace, cost, at_vendor = list(steps.names), USD - client.balance(), vendor.batches(simulator_url)
    assert len(in_peace) >= 20
    # Only the steps from the one before a vendor's first call to its last call differ among vendors.
    calls = [number for number, name in enumerate(in_peace, 1) if " " in name]
    own = range(1, len(in_peace) + 1) if vendor is OPENAI else range(calls[0] - 1, calls[-1] + 1)
    tried = [number for number in own if is_tried(number + VENDORS.index(vendor))]
    for made, number in enumerate(tried, 1):
        name = in_peace[number - 1]

        def killed(at: int, _: str, number: int = number) -> None:
            if at == number:
                raise KilledError

        before, known = client.balance(), len(client.texts())
        batch = start(client, lines_for(vendor))
        (message,) = take()
        steps.names.clear()
        steps.fails = killed
        with pytest.raises(KilledError):
            run_often(message)
        steps.fails = lambda *_: None
        run_one(message)
        found, outputs, errors = run(client, batch)
        assert (number, name, found.status, len(outputs), errors) == (number, name, "completed", 2, [])
        assert (number, name, vendor.batches(simulator_url) - at_vendor) == (number, name, made)
        paid = before - client.balance()
        assert (number, name, len(client.texts()) - known, paid) == (number, name, 2, cost)
        assert client.settled(), (number, name)


@pytest.mark.parametrize("is_done", [True, False], ids=["the answer is lost", "the call is lost"])
@each_vendor
def test_a_lost_call_of_the_vendor_changes_nothing(
    client: TextClient,
    steps: Steps,
    simulator_url: str,
    monkeypatch: pytest.MonkeyPatch,
    vendor: Vendor,
    *,
    is_done: bool,
) -> None:
    run(client, start(client, lines_for(vendor)))
    calls, cost = [name for name in steps.names if " " in name], USD - client.balance()
    read, at_vendor = VendorCalls._read, vendor.batches(simulator_url)
    tried = [number for number in range(len(calls)) if is_tried(number + VENDORS.index(vendor))]
    for ran, number in enumerate(tried, 1):
        name, made = calls[number], list[str]()

        async def lost(
            vendor: VendorCalls, call: Any, *rest: Any, made: list[str] = made, number: int = number
        ) -> Any:
            made.append(call.method)
            if len(made) - 1 != number:
                return await read(vendor, call, *rest)
            if is_done:
                await read(vendor, call, *rest)
            raise UnsureError

        before = client.balance()
        with monkeypatch.context() as patch:
            patch.setattr(VendorCalls, "_read", lost)
            batch = start(client, lines_for(vendor))
            found, outputs, errors = run(client, batch)
        assert (name, found.status, len(outputs), errors) == (name, "completed", 2, [])
        assert (name, vendor.batches(simulator_url) - at_vendor) == (name, ran)
        assert (name, before - client.balance()) == (name, cost)
        assert client.settled(), name


class TestWithoutLabels:
    """A create at Anthropic whose answer was lost: other batches of the same size are not taken for it."""

    def test_two_lost_creates_find_each_its_own_batch(self, client: TextClient, simulator_url: str) -> None:
        before = ANTHROPIC.batches(simulator_url)
        batches = [start(client, lines_for(ANTHROPIC, 3, f"[[batch-lost]] {n}")) for n in range(2)]
        for each in batches:
            found, outputs, errors = run(client, each)
            assert (found.status, len(outputs), errors) == ("completed", 3, [])
        assert ANTHROPIC.batches(simulator_url) - before == 2
        assert services(client) == ["batch"] * 6
        assert client.settled()

    @pytest.mark.parametrize("is_done", [True, False], ids=["it was created", "it was not created"])
    def test_nothing_is_created_while_a_batch_of_someone_else_may_be_ours(
        self, client: TextClient, simulator_url: str, monkeypatch: pytest.MonkeyPatch, *, is_done: bool
    ) -> None:
        headers = {"x-api-key": "simulated", "anthropic-version": "2023-06-01"}
        url = f"{simulator_url}/anthropic/v1/messages/batches"
        params = {**chat("[[batch-stuck]]", model="claude-haiku-5-5")}
        foreign = {"requests": [{"custom_id": f"other-{n}", "params": params} for n in range(2)]}
        other = httpx.post(url, json=foreign, headers=headers).json()["id"]
        before = ANTHROPIC.batches(simulator_url)
        words = "[[batch-lost]] [[batch-slow 2000]]" if is_done else "[[batch-vanish]]"
        batch = start(client, lines_for(ANTHROPIC, 2, f"{words} {is_done}"))
        for _ in range(3):
            for message in take():
                run_one(message)
        assert ANTHROPIC.batches(simulator_url) - before == is_done
        assert client.balance() < USD
        assert client.texts() == []
        httpx.post(f"{url}/{other}/cancel", headers=headers)
        found, outputs, errors = run(client, batch)
        assert (found.status, len(outputs), errors) == ("completed", 2, [])
        assert ANTHROPIC.batches(simulator_url) - before == 1
        assert services(client) == ["batch"] * 2
        assert client.settled()

    def test_an_undecided_create_is_given_up_and_the_lines_run_the_ordinary_way(
        self, client: TextClient, simulator_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        batch = start(client, lines_for(ANTHROPIC, 2, "[[batch-lost]] [[batch-stuck]] given up"))
        for _ in range(2):
            for message in take():
                run_one(message)
        assert client.balance() < USD
        monkeypatch.setattr(parcels, "GIVE_UP_AFTER_S", 0)
        found, outputs, errors = run(client, batch)
        assert (found.status, len(outputs), errors) == ("completed", 2, [])
        assert services(client) == [None, None]
        assert client.settled()
