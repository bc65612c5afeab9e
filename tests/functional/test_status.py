"""The status page: what it shows of models, of checks and visits in 90 days, and of incidents."""

import json
import re

import pytest

from local.machine.events import Context
from sweep.app import handler as sweep
from tests.conftest import Aws
from tests.functional.test_sweep import EVENT
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.samples import PAID_IMAGE
from tollgate.composition import api as api_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.composition.database import database
from tollgate.kit.dynamodb.expressions import Add
from tollgate.kit.dynamodb.writes import CountingWrite
from tollgate.routing.measures import Call, counted, key_of
from tollgate.status.repository import StatusRepository
from tollgate.status.service import CHECK_MS, VisitRecorder
from tollgate.web.development import OPERATOR

pytestmark = pytest.mark.usefixtures("dashboard")
TEXT_MODEL = "claude-haiku-4-5"
STRANGER = Browser(base="")


def check() -> None:
    """Sweep once, as the schedule does."""
    sweep(EVENT, Context("SweepFunction"))


def shown() -> str:
    """Return the page as a new process shows it."""
    parts.forget()
    return STRANGER.get("/status").text


def monitored() -> dict[str, dict[str, str]]:
    """Return the page as monitors read it, from a new process."""
    parts.forget()
    found: dict[str, dict[str, str]] = json.loads(STRANGER.get("/status?format=json").text)
    return found


def rows() -> StatusRepository:
    return StatusRepository(database(), dashboard_parts.dashboard().settings.usage_table)


def call_text(clock: ManualClock, provider: str, calls: int, *, is_up: bool) -> None:
    """Have `record_usage` measure calls of a text model now."""
    found = counted([Call(TEXT_MODEL, provider, clock.now_ms(), is_up)] * calls)
    table = dashboard_parts.dashboard().settings.usage_table
    writes = [
        CountingWrite(
            table, key=key_of(*row), update=[Add(name, count, start=0) for name, count in counts.items()]
        )
        for row, counts in found.items()
    ]
    database().transact(writes)


class TestModels:
    def test_a_model_without_a_provider_is_shown_as_unavailable_to_everybody(self, aws: Aws) -> None:
        browser = Browser(base="")
        assert "All systems are operational" in browser.get("/status").text
        health = dashboard_parts.dashboard().health
        providers = {
            route.provider for route in api_parts.api().catalog.catalog().media_model(PAID_IMAGE).routes
        }
        first, *_ = sorted(providers)
        health.switch(f"{first}/{PAID_IMAGE}", disabled=True, reason="a secret of ours")
        parts.forget()
        assert "<h1>All models work, 1 on a backup provider</h1>" in browser.get("/status").text
        for provider in providers:
            health.switch(provider, disabled=True, reason="a secret of ours")
        parts.forget()
        answer = browser.get("/status")
        assert answer.status == 200
        assert re.search(rf"/models/{PAID_IMAGE}\".*?Unavailable", answer.text)
        assert "a secret of ours" not in answer.text
        assert answer.cookie is None

        told = browser.get("/status?format=json")
        assert told.headers["content-type"].startswith("application/json")
        models = json.loads(told.text)["models"]
        assert models[PAID_IMAGE] == "down"
        down = list(models.values()).count("down")
        assert f"<h1>{down} models are unavailable</h1>" in answer.text
        assert down < len(models)
        assert browser.get("/status?format=xml").status == 400

    def test_a_text_model_is_judged_by_its_calls(self, aws: Aws, clock: ManualClock) -> None:
        assert TEXT_MODEL not in monitored()["models"]
        call_text(clock, "anthropic", 2, is_up=False)
        assert TEXT_MODEL not in monitored()["models"]
        call_text(clock, "anthropic", 1, is_up=False)
        found = monitored()
        assert (found["models"][TEXT_MODEL], found["parts"]["text"]) == ("down", "down")
        call_text(clock, "bedrock", 1, is_up=True)
        found = monitored()
        assert (found["models"][TEXT_MODEL], found["parts"]["text"]) == ("reserve", "up")
        clock.advance_ms(11 * 60_000)
        assert TEXT_MODEL not in monitored()["models"]

    def test_a_text_provider_that_is_off_is_unavailable_and_its_models_have_a_reserve(
        self, aws: Aws, clock: ManualClock
    ) -> None:
        health = dashboard_parts.dashboard().health
        health.switch("anthropic", disabled=True, reason="a secret of ours")
        found = monitored()
        assert (found["models"][TEXT_MODEL], found["parts"]["text"]) == ("reserve", "up")
        page = shown()
        assert re.search(r">Anthropic \(Claude\)</span><span class=\"chip failed\">Unavailable<", page)
        assert "a secret of ours" not in page
        for route in api_parts.api().catalog.catalog().text_model(TEXT_MODEL).routes:
            health.switch(f"{route.provider}/{TEXT_MODEL}", disabled=True, reason="all of it")
        found = monitored()
        assert (found["models"][TEXT_MODEL], found["parts"]["text"]) == ("down", "degraded")
        health.switch("anthropic", disabled=False, reason="it is over")
        call_text(clock, "bedrock", 1, is_up=True)
        assert monitored()["models"][TEXT_MODEL] == "down"


class TestDays:
    def test_a_check_is_counted_once_every_five_minutes(self, aws: Aws, clock: ManualClock) -> None:
        clock.advance_ms(CHECK_MS - clock.now_ms() % CHECK_MS)
        for _ in range(2):
            check()
            check()
            clock.advance_ms(60_000)
        # Another process, which does not know what this one has counted.
        parts.forget()
        check()
        clock.advance_ms(CHECK_MS)
        check()
        (day,) = rows().days("checks", "2000-01-01", "2100-01-01")
        assert day.counts["webhooks"] == day.counts["media"] == day.counts[f"model/{PAID_IMAGE}"] == (2, 0, 0)
        assert "model/test-image" not in day.counts
        assert "Webhooks: 100 % uptime in 90 days" in shown()

    def test_yesterdays_outage_is_a_bar_and_lowers_the_uptime(self, aws: Aws, clock: ManualClock) -> None:
        health = dashboard_parts.dashboard().health
        models = api_parts.api().catalog.catalog().media_models()
        providers = {route.provider for model in models for route in model.routes}
        for provider in providers:
            health.switch(provider, disabled=True, reason="an outage")
        parts.forget()
        check()
        clock.advance_ms(24 * 3_600_000)
        for provider in providers:
            health.switch(provider, disabled=False, reason="it is over")
        parts.forget()
        for _ in range(3):
            check()
            clock.advance_ms(CHECK_MS)
        page = shown()
        assert "All systems are operational" in page
        assert "Images, video and music: 75 % uptime in 90 days" in page
        assert re.search(r'<path class="down" d="M88 4h1"/>', page)
        assert "unavailable in 1 of 1 checks" in page

    def test_visits_show_the_api_and_the_dashboard(self, aws: Aws, clock: ManualClock) -> None:
        recorder = VisitRecorder(rows(), clock)
        assert not {"api", "dashboard"} & monitored()["parts"].keys()
        for failed, expected in (
            (["key"], {}),
            (["chat"], {"api": "degraded", "dashboard": "up"}),
            (["page", "image", "chat"], {"api": "down", "dashboard": "down"}),
            ([], {"api": "up", "dashboard": "up"}),
        ):
            recorder.record(failed)
            found = monitored()["parts"]
            assert {name: found[name] for name in ("api", "dashboard") if name in found} == expected
            clock.advance_ms(15 * 60_000)
        assert "Dashboard: 66.66 % uptime in 90 days" in shown()


class TestIncidents:
    def test_an_operator_tells_customers_from_the_start_to_the_end(self, aws: Aws) -> None:
        browser = Browser()
        browser.sign_in(OPERATOR)
        operator = browser.at("/admin")
        sent = {
            "title": "Videos are <late>",
            "impact": "degraded",
            "phase": "investigating",
            "words": "We look.",
        }
        refused = operator.post("/incidents", sent)
        assert (refused.status, "The affected parts" in refused.text) == (400, True)
        assert operator.post("/incidents", {**sent, "part-media": "1"}).status == 200
        page = shown()
        assert "<h1>Videos are &lt;late&gt;</h1>" in page
        assert "We look." in page
        assert monitored()["parts"]["media"] == "degraded"
        incident_id = re.search(r"inc_\w+", operator.get("/incidents").text)
        assert incident_id is not None
        update = {"incident": incident_id[0], "phase": "resolved", "words": "It is over."}
        # The second is a repeat whose first response was lost.
        for _ in range(2):
            assert operator.post("/incidents", update).status == 200
        page = shown()
        assert "All systems are operational" in page
        assert page.count("It is over.") == 1
        again = operator.post("/incidents", {**update, "words": "And again."})
        assert (again.status, "is resolved" in again.text) == (400, True)
        assert "Posted an incident" in operator.get("/log").text
