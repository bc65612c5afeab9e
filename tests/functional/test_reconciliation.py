"""Our costs beside the providers' reports: the daily comparison, the operator's page and the command."""

import json
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import httpx
import pytest

from check_ledger.app import handler
from local.machine.events import Context
from local.machine.service import provider_secret
from tests.conftest import Aws
from tests.functional import commands
from tests.functional.commands import Run
from tests.functional.conftest import create, post_text, with_prompt
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.simulator import running_simulator
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import command as command_parts
from tollgate.composition import parts
from tollgate.kit.clock import MS_PER_DAY
from tollgate.providers.runtime.secret import Credentials
from tollgate.reconciliation.client import ReportClient
from tollgate.reconciliation.reports import REPORTS, ReportError
from tollgate.web.development import OPERATOR

run = commands.run
# The clock starts on this day.
DAY = "2023-11-14"
# At 0.75 USD per million tokens these cost 3 USD (catalog/data/text/gpt.yaml).
USAGE = {"input_tokens": 4_000_000, "output_tokens": 0}


def ask(aws: Aws, customer: OpenedAccount, provider: str, model: str = "gpt-5.4-mini") -> None:
    """Put a text request for 4 USD into the ledger."""
    post_text(aws, customer.account_id, 4_000_000, model=model, usage=USAGE, provider=provider)


def store_keys(aws: Aws, simulator_url: str, **keys: str) -> None:
    paths = {
        "openai": "/openai/v1", "anthropic": "/anthropic", "openrouter": "/openrouter/v1", "fal": "/fal/v1"
    }  # fmt: skip
    secret = {name: {"key": key, "baseUrl": f"{simulator_url}{paths[name]}"} for name, key in keys.items()}
    aws.clients.secrets.put_secret_value(
        SecretId=aws.stack.refs["CostKeysSecret"], SecretString=json.dumps(secret)
    )


def report(simulator_url: str, provider: str, **usd: str) -> None:
    httpx.put(f"{simulator_url}/_costs/{provider}", json={DAY: usd}).raise_for_status()


def compare() -> list[Any]:
    """Continue the daily comparison; return the rows of the day as (provider, model, booked, reported)."""
    handler({"continue": True}, Context("CheckLedgerFunction"))
    day = check_ledger_parts.reconciliations().get(DAY)
    return [(row.provider, row.model, row.booked_micro_usd, row.reported_micro_usd) for row in day.rows]


def drifts(printed: str) -> list[Any]:
    lines = [json.loads(line) for line in printed.splitlines()]
    return [line["CostDrift"][0] for line in lines if "CostDrift" in line]


@pytest.fixture
def asked(aws: Aws, customer: OpenedAccount, clock: ManualClock) -> None:
    """Have a request answered by each provider, two days ago."""
    for provider in ("openai", "openrouter", "groq"):
        ask(aws, customer, provider)
    clock.advance_ms(2 * MS_PER_DAY)


@pytest.mark.usefixtures("asked")
class TestReconciliation:
    def test_costs_that_agree_are_no_alarm(
        self, aws: Aws, simulator_url: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        store_keys(aws, simulator_url, openai="sk-admin-1", openrouter="sk-or-1")
        report(simulator_url, "openai", **{"gpt-5.4-mini-2026-03-17": "3.5"})
        report(simulator_url, "openrouter", **{"openai/gpt-5.4-mini": "2.9"})
        assert compare() == [
            ("openai", "gpt-5.4-mini", 3_000_000, 3_500_000),
            ("openrouter", "openai/gpt-5.4-mini", 3_000_000, 2_900_000),
        ]
        assert drifts(capsys.readouterr().out) == [0]
        # It is done once a day.
        compare()
        assert drifts(capsys.readouterr().out) == []

    def test_a_drift_and_a_model_that_we_do_not_know_ring(
        self, aws: Aws, simulator_url: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        store_keys(aws, simulator_url, openai="sk-admin-1", anthropic="sk-ant-admin-1")
        report(simulator_url, "openai", **{"gpt-5.4-mini": "4.5", "dall-e": "2"})
        report(simulator_url, "anthropic")
        assert compare() == [
            ("openai", "dall-e", 0, 2_000_000),
            ("openai", "gpt-5.4-mini", 3_000_000, 4_500_000),
        ]
        assert drifts(capsys.readouterr().out) == [2]

    def test_a_report_that_fails_is_read_again_and_rings_at_last(
        self, aws: Aws, simulator_url: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        store_keys(aws, simulator_url, openai="sk-proj-not-an-admin")
        for _ in range(7):
            compare()
        assert drifts(capsys.readouterr().out) == []
        compare()
        assert drifts(capsys.readouterr().out) == [1]
        assert check_ledger_parts.reconciliations().get(DAY).skipped == {
            "openai": "HTTP 401",
            "anthropic": "no admin key is stored",
            "openrouter": "no admin key is stored",
            "fal": "no admin key is stored",
        }

    def test_without_keys_it_says_so(self, aws: Aws, capsys: pytest.CaptureFixture[str]) -> None:
        assert compare() == []
        assert drifts(capsys.readouterr().out) == [0]
        assert set(check_ledger_parts.reconciliations().get(DAY).skipped) == {
            "openai", "anthropic", "openrouter", "fal"
        }  # fmt: skip

    def test_the_page_and_the_command_show_it(
        self, aws: Aws, simulator_url: str, run: Run, browser: Browser
    ) -> None:
        store_keys(aws, simulator_url, openai="sk-admin-1")
        report(simulator_url, "openai", **{"gpt-5.4-mini": "4.5"})
        said = run("reconcile", "--day", DAY)
        assert said.exit_code == 1
        assert "openai gpt-5.4-mini requests=1 charged=4" in said.stdout
        assert "drift=1.5" in said.stdout
        assert f"{DAY}: 1 rows, 1 differ" in said.stdout
        assert run("reconcile", "--day", "2023-11-16").exit_code == 1
        browser.sign_in(OPERATOR)
        page = browser.at("/admin").get("/costs").text
        assert DAY in page
        assert "gpt-5.4-mini" in page
        assert "anthropic is not compared: no admin key is stored." in page

    def test_a_run_that_stops_goes_on(self, aws: Aws, simulator_url: str) -> None:
        store_keys(aws, simulator_url, openai="sk-admin-1")
        report(simulator_url, "openai", **{"gpt-5.4-mini": "3"})
        reconciler = check_ledger_parts.reconciler()
        time = iter([True, False])
        assert not reconciler.continue_daily(lambda: next(time)).done  # type: ignore[union-attr]
        assert compare() == [("openai", "gpt-5.4-mini", 3_000_000, 3_000_000)]


IMAGE, EDIT = "fal-ai/z-image/turbo", "fal-ai/z-image/turbo/image-to-image"
VIDEO = "fal-ai/bytedance/seedance/v1.5/pro/text-to-video"
# Of an image, and of a second at 480p with sound (catalog/data/z-image.yaml, seedance-1.5-pro.yaml).
PRICES = {IMAGE: "0.01", EDIT: "0.01", VIDEO: "0.0241056"}


@pytest.fixture
def fal(aws: Aws, clock: ManualClock) -> Iterator[str]:
    """Have all providers simulated in the tests' own time; return the address of fal's reports."""
    with running_simulator(clock=clock) as url:
        secret = provider_secret({}, url)
        aws.clients.secrets.put_secret_value(SecretId=aws.stack.refs["ProviderSecret"], SecretString=secret)
        store_keys(aws, url, fal="admin-1")
        parts.forget()
        yield url
    parts.forget()


def bill(fal: str, limited: int = 0, prices: Mapping[str, str] = PRICES) -> None:
    """Set fal's prices, and how many requests for its report are refused first."""
    body = {"prices": dict(prices), "limited": limited}
    httpx.put(f"{fal}/_usage/fal", json=body).raise_for_status()


def generate(customer: OpenedAccount, clock: ManualClock, prompt: str, **body: Any) -> list[tuple[str, Any]]:
    """Run a task to its end; return the provider and the failure of each attempt."""
    task = run_to_end(create(customer, **{"model": "z-image", **with_prompt(prompt), **body}), clock)
    return [(attempt.provider, attempt.failure) for attempt in task.attempts]


class TestGenerations:
    def test_what_all_attempts_cost_by_endpoint_is_what_fal_reports(
        self, customer: OpenedAccount, clock: ManualClock, fal: str
    ) -> None:
        bill(fal)
        poyo = ("poyo", None)
        told = {
            "a fox": [("fal", None)],
            # A failover after a result without a file, and one while the job ran on: both are billed.
            "b [[fal: vanish]]": [("fal", "bad_result"), poyo],
            "c [[fal: lost]]": [("fal", "lost_answer"), poyo],
            # fal's own error, and a refused submit: neither is.
            "d [[fal: fail]]": [("fal", "provider_error"), poyo],
            "e [[fal: status 503]]": [("fal", "provider_error"), poyo],
            # Refunded, and yet fal may bill it.
            "f [[reject]]": [("fal", "content_rejected")],
        }
        assert {prompt: generate(customer, clock, prompt) for prompt in told} == told
        edit = {"prompt": "g", "size": "1:1", "urls": ["https://files.test/cat.png"]}
        generate(customer, clock, "", input=edit)
        video = {"prompt": "h", "resolution": "480p", "duration": 4, "generateAudio": True}
        generate(customer, clock, "", model="seedance-1.5-pro", input=video)
        clock.advance_ms(2 * MS_PER_DAY)
        assert compare() == [
            ("fal", VIDEO, 96_422, 96_422),
            ("fal", IMAGE, 40_000, 40_000),
            ("fal", EDIT, 10_000, 10_000),
        ]
        rows = check_ledger_parts.reconciliations().get(DAY).rows
        # The customer's charge belongs to the last attempt, and a refunded task has none.
        assert {row.model: (row.requests, row.unknown, row.charged_micro_usd) for row in rows} == {
            VIDEO: (1, 0, 100_000), IMAGE: (4, 0, 10_000), EDIT: (1, 0, 10_000)
        }  # fmt: skip
        # The providers that have no report are booked too: four images at PoYo (catalog/data/z-image.yaml).
        assert command_parts.operator().provider_costs() == (DAY, {"fal": 146_422, "poyo": 40_000})

    def test_a_wrong_cost_in_the_catalog_is_a_drift(
        self, customer: OpenedAccount, clock: ManualClock, fal: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        # 1.01 USD more, for one image
        bill(fal, prices={IMAGE: "1.02"})
        generate(customer, clock, "a fox")
        clock.advance_ms(2 * MS_PER_DAY)
        assert compare() == [("fal", IMAGE, 10_000, 1_020_000)]
        assert drifts(capsys.readouterr().out) == [1]

    def test_the_report_wants_an_admin_key_and_has_pages(
        self, customer: OpenedAccount, clock: ManualClock, fal: str
    ) -> None:
        bill(fal, limited=1)
        for _ in range(2):
            generate(customer, clock, "a fox")
        slept: list[float] = []
        reader, on = ReportClient(slept.append), date.fromisoformat(DAY)

        def costs(key: str) -> Any:
            return reader.costs(REPORTS["fal"], Credentials(key=key, base_url=f"{fal}/fal/v1"), on)

        for key, status in {"bad-key": 401, "a-key-for-models": 403}.items():
            with pytest.raises(ReportError, match=f"HTTP {status}"):
                costs(key)
        assert costs("admin-1") == {IMAGE: 20_000}
        assert slept == [1.0]
