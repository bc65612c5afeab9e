"""The catalog while the service runs: a document in S3 reaches all who use it, and a bad one nobody."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from local.machine.clients import Clients
from tests.conftest import Aws
from tests.functional.conftest import balance_cents, create, with_prompt
from tests.functional.test_api import call
from tests.functional.test_run_task import run_to_end, task_of
from tests.support.clock import ManualClock
from tests.support.losses import OneLoss
from tests.support.lossy_botocore import losing
from tests.support.samples import PAID_BODY, PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.catalog.loader import compiled
from tollgate.catalog.refresh import DOCUMENT_KEY, REREAD_MS
from tollgate.command.app import cli
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.composition import text as text_parts
from tollgate.kit.aws.s3_document import S3Document
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, utc_day
from tollgate.kit.remote_document import (
    MAX_DOCUMENT_BYTES,
    DocumentConflictError,
    DocumentTooLargeError,
    Found,
    Nothing,
)
from tollgate.text.money.billing import TextBilling

SHIPPED: dict[str, Any] = json.loads(compiled())
MODEL = PAID_IMAGE
TEXT_MODEL = "gpt-5.4-mini"
CATALOG = "/api/v1/catalog"


def image(price: str = "0.07", *providers: str) -> dict[str, Any]:
    """Return an image model at another price, with only the routes of these providers where any are named."""
    raw: dict[str, Any] = json.loads(json.dumps(SHIPPED[MODEL]))
    raw["pricing"]["prices"][0]["price"] = price
    if providers:
        raw["routes"] = [route for route in raw["routes"] if route["provider"] in providers]
    return raw


def text(price: str) -> dict[str, Any]:
    """Return the text model with another price of output."""
    raw: dict[str, Any] = json.loads(json.dumps(SHIPPED[TEXT_MODEL]))
    raw["prices"]["output"] = price
    return raw


def document(**models: Any) -> bytes:
    """Return a document of few models, because each of them is checked; `None` is without."""
    merged = {MODEL: SHIPPED[MODEL], TEXT_MODEL: SHIPPED[TEXT_MODEL], **models}
    return json.dumps({model_id: raw for model_id, raw in merged.items() if raw is not None}).encode()


@pytest.fixture
def live(aws: Aws) -> S3Document:
    """Return the document's place, which is empty."""
    return S3Document(aws.clients.s3, aws.stack.refs["ConfigBucket"], DOCUMENT_KEY)


class Publisher:
    """Writes the document, and lets the minute pass after which it is used."""

    def __init__(self, live: S3Document, clock: ManualClock) -> None:
        self._live, self._clock = live, clock

    def __call__(self, **models: Any) -> None:
        self.put(document(**models))

    def put(self, body: bytes) -> None:
        before = self._live.read()
        self._live.put(body, before.etag if isinstance(before, Found) else None)
        self.wait()

    def wait(self) -> None:
        self._clock.advance_ms(REREAD_MS)


@pytest.fixture
def publish(live: S3Document, clock: ManualClock) -> Publisher:
    """Return what publishes a document."""
    return Publisher(live, clock)


def estimate(customer: OpenedAccount) -> Any:
    """Return what that model costs now, in cents, or the error."""
    status, body, _ = call("POST", "/api/v1/generation/estimate", customer.api_key, PAID_BODY)
    return body["data"]["price"] if status == 200 else body["error"]["code"]


class TestApi:
    def test_prices_pages_and_etags_follow_the_document(
        self, customer: OpenedAccount, publish: Publisher
    ) -> None:
        assert estimate(customer) == 1
        publish(suno=SHIPPED["suno"])
        _, before, old = call("GET", CATALOG)
        publish(**{MODEL: image(), "suno": None})
        assert estimate(customer) == 7
        _, after, new = call("GET", CATALOG)
        assert {dto["id"] for dto in before} - {dto["id"] for dto in after} == {"suno"}
        assert old["etag"] != new["etag"]
        assert call("GET", f"/api/v1/cost/{MODEL}")[1]["prices"][0]["price"] == "0.07"
        assert call("GET", f"{CATALOG}/suno")[0] == 404
        create(customer)
        assert balance_cents(customer) == 93

    def test_a_document_from_before_the_first_request_counts_from_it_on(
        self, customer: OpenedAccount, publish: Publisher
    ) -> None:
        publish(**{MODEL: image()})
        assert estimate(customer) == 7

    def test_a_document_is_not_looked_for_before_a_minute_is_over(
        self, live: S3Document, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        assert estimate(customer) == 1
        live.put(document(**{MODEL: image()}), None)
        clock.advance_ms(REREAD_MS - 1)
        assert estimate(customer) == 1
        clock.advance_ms(1)
        assert estimate(customer) == 7

    def test_a_removed_document_gives_the_shipped_prices_back(
        self, live: S3Document, customer: OpenedAccount, publish: Publisher
    ) -> None:
        publish(**{MODEL: image()})
        assert estimate(customer) == 7
        found = live.read()
        assert isinstance(found, Found)
        live.remove(found.etag)
        publish.wait()
        assert estimate(customer) == 1

    @pytest.mark.parametrize(
        "bad", [b"", b"{", b"{}", document(**{MODEL: image("0.001")}), document(**{MODEL: {"id": MODEL}})]
    )
    def test_a_bad_document_is_refused_counted_and_leaves_the_last_good_one(
        self,
        customer: OpenedAccount,
        publish: Publisher,
        capsys: pytest.CaptureFixture[str],
        caplog: pytest.LogCaptureFixture,
        bad: bytes,
    ) -> None:
        publish(**{MODEL: image()})
        assert estimate(customer) == 7
        publish.put(bad)
        capsys.readouterr()
        assert estimate(customer) == 7
        written = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        (metric,) = [line for line in written if "CatalogRefused" in line]
        assert (metric["service"], metric["CatalogRefused"]) == ("tollgate", [1.0])
        (directive,) = metric["_aws"]["CloudWatchMetrics"]
        assert (directive["Namespace"], directive["Dimensions"]) == ("Tollgate", [["service"]])
        levels = [record.levelname for record in caplog.records if record.message == "catalog.refused"]
        assert levels == ["ERROR"]

    def test_when_s3_does_not_answer_requests_are_served_all_the_same(
        self, aws: Aws, live: S3Document, customer: OpenedAccount, publish: Publisher
    ) -> None:
        publish(**{MODEL: image()})
        assert estimate(customer) == 7
        aws.clients.s3.delete_object(Bucket=live.bucket, Key=live.key)
        aws.clients.s3.delete_bucket(Bucket=live.bucket)
        publish.wait()
        assert estimate(customer) == 7
        assert call("GET", CATALOG)[0] == 200


class TestAnnouncedPrices:
    def test_an_estimate_a_create_and_the_pages_have_the_price_of_their_moment(
        self, customer: OpenedAccount, publish: Publisher, clock: ManualClock
    ) -> None:
        today, tomorrow = utc_day(clock.now_ms()), utc_day(clock.now_ms() + MS_PER_DAY)
        raw = image()
        (row,) = raw["pricing"]["prices"]
        raw["pricing"]["prices"] = [row | {"until": today}, row | {"price": "0.09", "from": tomorrow}]
        publish(**{MODEL: raw})
        clock.set(ms_of(tomorrow) - 1)
        _, agreed, _ = call("POST", "/api/v1/generation/estimate", customer.api_key, PAID_BODY)
        _, shown, old = call("GET", f"{CATALOG}/{MODEL}")
        assert (agreed["data"]["price"], shown["nextPrices"]["day"]) == (7, tomorrow)
        clock.advance_ms(1)
        assert estimate(customer) == 9
        _, shown, new = call("GET", f"{CATALOG}/{MODEL}")
        assert "nextPrices" not in shown
        assert old["etag"] != new["etag"]
        assert call("GET", f"/api/v1/cost/{MODEL}")[1]["prices"][0]["price"] == "0.09"
        version = {"priceVersion": agreed["data"]["priceVersion"]}
        status, refused, _ = call(
            "POST", "/api/v1/generation/create", customer.api_key, {**PAID_BODY, **version}
        )
        assert (status, refused["error"]["code"]) == (409, "price_changed")
        create(customer)
        assert balance_cents(customer) == 91


def ms_of(day: str) -> int:
    """Return the first moment of a day in UTC."""
    return int(datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()) * MS_PER_S


class TestRunTask:
    def test_a_task_not_yet_begun_whose_model_disappears_is_refunded(
        self, customer: OpenedAccount, clock: ManualClock, publish: Publisher
    ) -> None:
        task_id = create(customer)
        publish(**{MODEL: None})
        task = run_to_end(task_id, clock)
        assert (task.status, task.attempts) == ("failed", ())
        assert balance_cents(customer) == 100

    def test_a_task_at_a_provider_whose_model_disappears_still_finishes(
        self, customer: OpenedAccount, clock: ManualClock, publish: Publisher
    ) -> None:
        task_id = create(customer)
        run_task_parts.step_runner().run(task_id, 0)
        publish(**{MODEL: None})
        assert run_to_end(task_id, clock).status == "finished"
        assert balance_cents(customer) == 99

    def test_one_that_fails_there_is_refunded(
        self, customer: OpenedAccount, clock: ManualClock, publish: Publisher
    ) -> None:
        task_id = create(customer, **with_prompt("[[fal: fail]]"))
        run_task_parts.step_runner().run(task_id, 0)
        assert task_of(task_id).attempts[0].provider == "fal"
        publish(**{MODEL: None})
        assert run_to_end(task_id, clock).status == "failed"
        assert balance_cents(customer) == 100

    def test_a_route_of_the_new_document_takes_over_for_the_same_charge(
        self, customer: OpenedAccount, clock: ManualClock, publish: Publisher
    ) -> None:
        publish(**{MODEL: image("0.01", "fal")})
        task_id = create(customer, **with_prompt("[[fal: fail]]"))
        run_task_parts.step_runner().run(task_id, 0)
        publish(**{MODEL: image("0.07", "poyo")})
        task = run_to_end(task_id, clock)
        assert [attempt.provider for attempt in task.attempts] == ["fal", "poyo"]
        assert task.status == "finished"
        assert balance_cents(customer) == 99


class TestS3Document:
    def test_a_read_names_what_it_has(self, live: S3Document) -> None:
        assert live.read() is Nothing.MISSING
        etag = live.put(b"1", None)
        assert live.read() == Found(etag, b"1")
        assert live.read(etag) is Nothing.UNCHANGED
        assert live.read('"another"') == Found(etag, b"1")

    def test_of_two_who_saw_the_same_one_writes(self, live: S3Document) -> None:
        seen = live.put(b"1", None)
        live.put(b"2", seen)
        with pytest.raises(DocumentConflictError):
            live.put(b"3", seen)
        with pytest.raises(DocumentConflictError):
            live.put(b"3", None)
        with pytest.raises(DocumentConflictError):
            live.remove(seen)
        found = live.read()
        assert isinstance(found, Found)
        assert found.body == b"2"

    def test_what_was_removed_meanwhile_is_not_written_again(self, live: S3Document) -> None:
        seen = live.put(b"1", None)
        live.remove(seen)
        with pytest.raises(DocumentConflictError):
            live.put(b"2", seen)
        assert live.read() is Nothing.MISSING

    def test_a_lost_answer_is_no_conflict(self, live: S3Document) -> None:
        with losing(OneLoss(0)):
            first = live.put(b"1", None)
        with losing(OneLoss(0)):
            second = live.put(b"2", first)
        assert live.read() == Found(second, b"2")
        with losing(OneLoss(0)):
            live.remove(second)
        assert live.read() is Nothing.MISSING

    def test_no_more_than_a_document_is_read(self, live: S3Document, monkeypatch: pytest.MonkeyPatch) -> None:
        live.put(b"x" * 11, None)
        monkeypatch.setattr("tollgate.kit.aws.s3_document.MAX_DOCUMENT_BYTES", 10)
        with pytest.raises(DocumentTooLargeError):
            live.read()
        assert len(compiled()) < MAX_DOCUMENT_BYTES


class TestCommand:
    def test_what_is_pushed_is_used_and_what_is_reset_is_not(
        self, customer: OpenedAccount, live: S3Document, publish: Publisher, tmp_path: Path
    ) -> None:
        (tmp_path / "environment.json").write_text(
            json.dumps(
                {
                    "CONFIG_BUCKET": live.bucket,
                    "AWS_ACCESS_KEY_ID": "local",
                    "AWS_SECRET_ACCESS_KEY": "local",
                    "AWS_REGION": "us-east-1",
                }
            )
        )

        def tollgate(*words: str) -> Any:
            found = CliRunner().invoke(cli, ["catalog", *words, "--local", str(tmp_path), "--json"])
            assert found.exit_code == 0, found.stderr
            return json.loads(found.stdout)

        publish(**{MODEL: image()})
        assert estimate(customer) == 7
        assert list(tollgate("diff")["changed"]) == [MODEL]
        assert tollgate("push")["pushed"] is True
        publish.wait()
        assert estimate(customer) == 1
        assert tollgate("diff")["same"] is True
        publish(**{MODEL: image()})
        assert estimate(customer) == 7
        assert tollgate("reset", "--yes")["removed"]
        publish.wait()
        assert estimate(customer) == 1


@pytest.fixture
def text_live(
    service: None, stack_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[S3Document]:
    """The document's place in the emulator, where text reads without the SDK; empty before and after."""
    client = Clients.at(stack_environment["AWS_ENDPOINT_URL"]).s3
    bucket = stack_environment["CONFIG_BUCKET"]
    text_parts.settings.cache_clear()
    text_parts.catalog.cache_clear()
    # A request waits so long for the first read, and on a busy machine it takes longer than in production.
    monkeypatch.setattr(text_parts, "READ_TIMEOUT_S", 60.0)
    yield S3Document(client, bucket, DOCUMENT_KEY)
    client.delete_object(Bucket=bucket, Key=DOCUMENT_KEY)
    text_parts.settings.cache_clear()
    text_parts.catalog.cache_clear()


@pytest.mark.ministack
@pytest.mark.xdist_group("ministack")
class TestText:
    def test_models_and_prices_follow_the_document(
        self, text_live: S3Document, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = ManualClock()
        clock.set_to_now()
        monkeypatch.setattr(text_parts, "SystemClock", lambda: clock)
        api_key = api_parts.api().accounts.open(1_000_000).api_key
        text_live.put(document(**{TEXT_MODEL: text("9")}), None)
        seen = asyncio.run(_watch(text_live, clock, api_key))
        assert seen == [
            ("9", "9"),  # from the first request on
            ("11", "11"),  # a minute after it was written
            ("11", "11"),  # a bad one
            (None, None),  # no such model any more
            ("4.5", "4.5"),  # removed: the shipped price (catalog/data)
        ]

    def test_a_request_pays_the_price_of_its_start(
        self, text_live: S3Document, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = ManualClock()
        clock.set_to_now()
        monkeypatch.setattr(text_parts, "SystemClock", lambda: clock)
        account = api_parts.api().accounts.open(1_000_000)
        today, tomorrow = utc_day(clock.now_ms()), utc_day(clock.now_ms() + MS_PER_DAY)
        clock.set(ms_of(tomorrow) - 1)
        raw = text("7")
        raw["prices"] = [raw["prices"] | {"until": today}, text("9")["prices"] | {"from": tomorrow}]
        text_live.put(document(**{TEXT_MODEL: raw}), None)
        settle, held = TextBilling.settle, list[str]()

        async def later(billing: TextBilling, placed: Any, model: Any, usage: Any) -> Any:
            """Let the day begin, and another request arrive, before the charge."""
            held.append(f"{model.prices.output:f}")
            clock.set(ms_of(tomorrow))
            assert (await _prices(account.api_key))[0] == "9"
            return await settle(billing, placed, model, replace(usage, output_tokens=1_000))

        monkeypatch.setattr(TextBilling, "settle", later)
        charges = [asyncio.run(_charge(account.api_key)) for _ in range(2)]
        assert held == ["7", "9"]
        # The second request differs only by its price of output: 2 USD per million, for 1,000 tokens.
        assert charges[1] - charges[0] == 2_000


async def _charge(api_key: str) -> int:
    """Return the charge of a chat, in micro-USD."""
    from text.app import app  # noqa: PLC0415 - with the environment set

    body = {"model": TEXT_MODEL, "max_tokens": 2_000, "messages": [{"role": "user", "content": "hello"}]}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://text") as client:
        head = {"authorization": f"Bearer {api_key}"}
        answer = await client.post("/api/v1/chat/completions", headers=head, json=body)
    await text_parts.close()
    assert answer.status_code == 200, answer.text
    return int(answer.headers["x-tollgate-cost-micro-usd"])


async def _watch(live: S3Document, clock: ManualClock, api_key: str) -> list[tuple[Any, Any]]:
    """Return the price that the service has, and the published one, after each change of the document."""
    seen = [await _prices(api_key)]
    for body in (
        document(**{TEXT_MODEL: text("11")}),
        document(**{TEXT_MODEL: text("0.001")}),
        document(**{TEXT_MODEL: None}),
        None,
    ):
        found = live.read()
        assert isinstance(found, Found)
        if body is None:
            live.remove(found.etag)
        else:
            live.put(body, found.etag)
        clock.advance_ms(REREAD_MS)
        made = await text_parts.text()
        assert made._reading is not None
        await made._reading
        seen.append(await _prices(api_key))
    await text_parts.close()
    return seen


async def _prices(api_key: str) -> tuple[Any, Any]:
    from text.app import app  # noqa: PLC0415 - with the environment set

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://text") as client:
        answer = await client.get("/api/v1/models", headers={"authorization": f"Bearer {api_key}"})
    published = {model["id"]: model["pricing"].get("output") for model in answer.json()["data"]}
    found = (await text_parts.text()).service.models.get(TEXT_MODEL)
    return found and f"{found.prices.output:f}", published.get(TEXT_MODEL)
