"""The providers' cost reports: the published responses, and responses that are none."""

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal

import httpx
import pytest

from tollgate.providers.runtime.secret import Credentials
from tollgate.reconciliation import client
from tollgate.reconciliation.client import ReportClient
from tollgate.reconciliation.comparison import Row
from tollgate.reconciliation.reports import REPORTS, ReportError

DAY = date(2024, 11, 1)

# The example of OpenAI's document, of 2024-11-01, with a line item; Anthropic's says that "123.45" is $1.23;
# OpenRouter's example has usage 0.015.
OPENAI = """{"object": "page", "data": [{"object": "bucket", "start_time": 1730419200, "end_time": 1730505600,
  "results": [{"object": "organization.costs.result", "amount": {"value": 0.06, "currency": "usd"},
  "line_item": "gpt-4o-2024-08-06, input", "project_id": null}]}], "has_more": %s, "next_page": %s}"""
ANTHROPIC = """{"data": [{"starting_at": "2024-11-01T00:00:00Z", "ending_at": "2024-11-02T00:00:00Z",
  "results": [
  {"amount": "123.45", "currency": "USD", "cost_type": "tokens", "model": "claude-haiku-4-5-20251001"},
  {"amount": "1", "currency": "USD", "cost_type": "web_search", "model": null}]}],
  "has_more": false, "next_page": null}"""
OPENROUTER = """{"data": [{"date": "2024-11-01", "model": "openai/gpt-4.1", "usage": 0.015},
  {"date": "2024-10-31", "model": "openai/gpt-4.1", "usage": 9}]}"""
# fal's example of one day, in UTC, and a line with the discount that its newer documents name.
FAL = """{"time_series": [{"bucket": "2024-11-01T00:00:00+00:00", "results": [
  {"endpoint_id": "fal-ai/flux/dev", "unit": "image", "quantity": 4, "unit_price": 0.1, "cost": 0.4,
   "currency": "USD"},
  {"endpoint_id": "fal-ai/flux/schnell", "unit": "image", "quantity": 1, "unit_price": 0.2,
   "cost_subtotal": 0.2, "cost_discount": 0.05, "cost_total": 0.15, "currency": "USD"}]},
  {"bucket": "2024-11-02T00:00:00+00:00", "results": [
  {"endpoint_id": "fal-ai/flux/dev", "unit": "image", "quantity": 1, "unit_price": 9, "cost": 9,
   "currency": "USD"}]}], "next_cursor": null, "has_more": false}"""
LAST = ("false", "null")


@pytest.mark.parametrize(
    ("provider", "text", "expected"),
    [
        ("openai", OPENAI % LAST, {"gpt-4o": "60000"}),
        # The report of another day, and a day without costs
        ("openai", (OPENAI % LAST).replace("1730419200", "1730505600"), {}),
        ("anthropic", ANTHROPIC, {"claude-haiku-4-5": "1234500", "web_search": "10000"}),
        ("openrouter", OPENROUTER, {"openai/gpt-4.1": "15000"}),
        ("fal", FAL, {"fal-ai/flux/dev": "400000", "fal-ai/flux/schnell": "150000"}),
    ],
)
def test_published_responses(provider: str, text: str, expected: dict[str, str]) -> None:
    page = REPORTS[provider].page(text, DAY)
    assert page.costs == {model: Decimal(cost) for model, cost in expected.items()}
    assert page.next_page is None


@pytest.mark.parametrize("provider", list(REPORTS))
def test_the_next_page_is_asked_for_by_the_parameter_of_the_provider(provider: str) -> None:
    report = REPORTS[provider]
    more = report.parameters(DAY, "Mg==").keys() - report.parameters(DAY, None).keys()
    assert more == {"openrouter": set(), "fal": {"cursor"}}.get(provider, {"page"})


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", (OPENAI % LAST).replace("usd", "eur"), (OPENAI % LAST).replace("0.06", '"x"')],
)
def test_an_unreadable_report_is_an_error(text: str) -> None:
    with pytest.raises(ReportError, match="unreadable"):
        REPORTS["openai"].page(text, DAY)


Answer = Callable[[httpx.Request], httpx.Response]


def costs(answer: Answer, slept: list[float] | None = None) -> dict[str, Decimal]:
    pauses: list[float] = [] if slept is None else slept
    reader = ReportClient(pauses.append, httpx.MockTransport(answer))
    return reader.costs(REPORTS["openai"], Credentials(key="sk-admin-x"), DAY)


class TestClient:
    def test_all_pages_are_read(self) -> None:
        asked: list[str | None] = []

        def answer(request: httpx.Request) -> httpx.Response:
            asked.append(request.url.params.get("page"))
            more = ("true", f'"page_{len(asked)}"') if len(asked) < 3 else LAST
            return httpx.Response(200, text=OPENAI % more)

        assert costs(answer) == {"gpt-4o": Decimal("180000")}
        assert asked == [None, "page_1", "page_2"]

    def test_pages_without_an_end_are_an_error(self) -> None:
        with pytest.raises(ReportError, match=f"more than {client.MAX_PAGES} pages"):
            costs(lambda _: httpx.Response(200, text=OPENAI % ("true", '"again"')))

    @pytest.mark.parametrize(
        ("status", "stated", "waits", "reason"),
        [
            (500, None, [1.0, 2.0], "HTTP 500"),
            (429, "7", [7.0, 7.0], "HTTP 429"),
            # No wait is longer than 20 s
            (429, "60", [20.0, 20.0], "HTTP 429"),
            (429, "soon", [1.0, 2.0], "HTTP 429"),
            (401, None, [], "HTTP 401"),
        ],
    )
    def test_failures_that_may_pass_are_tried_again(
        self, status: int, stated: str | None, waits: list[float], reason: str
    ) -> None:
        headers = {} if stated is None else {"retry-after": stated}
        slept: list[float] = []
        with pytest.raises(ReportError, match=reason):
            costs(lambda _: httpx.Response(status, headers=headers, text="no"), slept)
        assert slept == waits

    def test_a_connection_that_fails_is_tried_again(self) -> None:
        asked: list[httpx.Request] = []

        def answer(request: httpx.Request) -> httpx.Response:
            asked.append(request)
            if len(asked) == 1:
                raise httpx.ConnectError("no")
            return httpx.Response(200, text=OPENAI % LAST)

        assert costs(answer) == {"gpt-4o": Decimal("60000")}

    def test_a_report_without_an_end_is_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(client, "MAX_BYTES", 100)
        with pytest.raises(ReportError, match="more than 100 bytes"):
            costs(lambda _: httpx.Response(200, text=json.dumps("x" * 200)))


@pytest.mark.parametrize(
    ("booked", "reported", "is_off"),
    [
        (0, 1_000_000, False),
        (0, 1_000_001, True),
        (3_000_000, 2_000_000, False),
        (3_000_000, 1_999_999, True),
        (100_000_000, 105_000_000, False),
        (100_000_000, 105_000_001, True),
        (100_000_000, 94_999_999, True),
    ],
)
def test_a_drift_is_above_a_dollar_and_5_percent(booked: int, reported: int, is_off: bool) -> None:
    row = Row("openai", "m", 1, 0, 200_000_000, booked, reported)
    assert row.is_off is is_off
    assert row.margin_micro_usd == 200_000_000 - reported
