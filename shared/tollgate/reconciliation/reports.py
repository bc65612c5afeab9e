"""The providers' cost reports: how to request a day, and how to read a page. Pure.

Sources: OpenAI, `usage-costs` of the OpenAPI document 2.3.0 (`/organization/costs`); Anthropic, Get Cost
Report (platform.claude.com/docs/en/api/admin/cost_report); OpenRouter, Get user activity
(openrouter.ai/docs/api/api-reference/analytics/get-user-activity); fal, Usage
(fal.ai/docs/platform-apis/v1/models/usage). All want an admin key, not a key for models. OpenAI names a line
by its model and a word for its tokens, such as `gpt-4o, input` (INFERRED from published exports).
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

MICRO = 1_000_000
_CENT = 10_000
# The release at the end of a model's name: `-2026-03-05` or `-20260305`.
_RELEASE = re.compile(r"-\d{4}-?\d{2}-?\d{2}$", re.ASCII)
# One bucket is one day.
_ONE_DAY = "1"


class ReportError(Exception):
    """A report that cannot be read; the message contains nothing of it."""


class Line(NamedTuple):
    """A provider, and its name for a model without the release."""

    provider: str
    model: str


class Page(NamedTuple):
    """The costs in micro-USD of one page, by model, and the next page's token; `None` on the last page."""

    costs: Mapping[str, Decimal]
    next_page: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """One provider's report.

    `query` returns the parameters of a day, and `read` the models and costs in a response. `page_by` is the
    parameter of the next page; a report without it has a whole day in its only response.
    """

    provider: str
    address: str
    path: str
    headers: Callable[[str], Mapping[str, str]]
    query: Callable[[date], Mapping[str, str]]
    read: Callable[[Any, date], Iterator[tuple[str, Decimal]]]
    page_by: str | None = "page"

    def parameters(self, day: date, page: str | None) -> dict[str, str]:
        """Return the parameters of a page; `None` is the first page."""
        return {**self.query(day), **({} if self.page_by is None or page is None else {self.page_by: page})}

    def page(self, text: str, day: date) -> Page:
        """Read a response. Raises `ReportError`."""
        try:
            # Money as it was written, never as a float.
            body = json.loads(text, parse_float=Decimal)
            following = None if self.page_by is None else _next(body, f"next_{self.page_by}")
            return Page(_summed(self.read(body, day)), following)
        except (ValueError, KeyError, TypeError, AttributeError, InvalidOperation) as exc:
            raise ReportError(f"an unreadable report ({type(exc).__name__})") from None


def model_name(name: str) -> str:
    """Return a model's name without its release, because reports and the catalog may differ in it."""
    return _RELEASE.sub("", name)


def _summed(costs: Iterator[tuple[str, Decimal]]) -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    for name, cost in costs:
        found[name] = found.get(name, Decimal(0)) + cost
    return found


def _bearer(key: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {key}"}


def _start_s(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def _next(body: Any, name: str) -> str | None:
    return str(body[name]) if body["has_more"] and body[name] else None


def _openai_query(day: date) -> Mapping[str, str]:
    return {
        "start_time": str(_start_s(day)),
        "end_time": str(_start_s(day + timedelta(days=1))),
        "bucket_width": "1d",
        "group_by": "line_item",
        "limit": _ONE_DAY,
    }


def _openai_costs(body: Any, day: date) -> Iterator[tuple[str, Decimal]]:
    for bucket in body["data"]:
        if bucket["start_time"] != _start_s(day):
            continue
        for result in bucket["results"]:
            _check_dollars(result["amount"]["currency"])
            model = (result["line_item"] or "").partition(",")[0]
            yield model_name(model), Decimal(str(result["amount"]["value"])) * MICRO


def _anthropic_query(day: date) -> Mapping[str, str]:
    return {
        "starting_at": f"{day}T00:00:00Z",
        "ending_at": f"{day + timedelta(days=1)}T00:00:00Z",
        "bucket_width": "1d",
        "group_by[]": "description",
        "limit": _ONE_DAY,
    }


def _anthropic_costs(body: Any, day: date) -> Iterator[tuple[str, Decimal]]:
    for bucket in body["data"]:
        if not bucket["starting_at"].startswith(day.isoformat()):
            continue
        for result in bucket["results"]:
            _check_dollars(result["currency"])
            # Costs that are none of tokens, such as searches, have no model. Amounts are cents.
            name = result["model"] or result["cost_type"] or ""
            yield model_name(name), Decimal(result["amount"]) * _CENT


def _openrouter_costs(body: Any, day: date) -> Iterator[tuple[str, Decimal]]:
    for row in body["data"]:
        if row["date"][:10] == day.isoformat():
            yield model_name(row["model"]), Decimal(str(row["usage"])) * MICRO


def _fal_query(day: date) -> Mapping[str, str]:
    return {
        "start": f"{day}T00:00:00Z",
        "end": f"{day + timedelta(days=1)}T00:00:00Z",
        # Without it, a single day comes by the hour.
        "timeframe": "day",
        "timezone": "UTC",
        "expand": "time_series",
    }


def _fal_costs(body: Any, day: date) -> Iterator[tuple[str, Decimal]]:
    for bucket in body["time_series"]:
        if bucket["bucket"][:10] != day.isoformat():
            continue
        for result in bucket["results"]:
            _check_dollars(result["currency"])
            # Newer documents have the cost after the account's discount too.
            cost = result["cost_total"] if "cost_total" in result else result["cost"]
            yield result["endpoint_id"], Decimal(str(cost)) * MICRO


def _check_dollars(currency: str) -> None:
    if currency.lower() != "usd":
        raise ValueError(currency)


REPORTS: Mapping[str, Report] = {
    report.provider: report
    for report in (
        Report(
            "openai",
            "https://api.openai.com/v1",
            "/organization/costs",
            _bearer,
            _openai_query,
            _openai_costs,
        ),
        Report(
            "anthropic",
            "https://api.anthropic.com",
            "/v1/organizations/cost_report",
            lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"},
            _anthropic_query,
            _anthropic_costs,
        ),
        Report(
            "openrouter",
            "https://openrouter.ai/api/v1",
            "/activity",
            _bearer,
            lambda day: {"date": day.isoformat()},
            _openrouter_costs,
            page_by=None,
        ),
        Report(
            "fal",
            "https://api.fal.ai/v1",
            "/models/usage",
            lambda key: {"authorization": f"Key {key}"},
            _fal_query,
            _fal_costs,
            page_by="cursor",
        ),
    )
}
"""The providers that publish their costs by day and model or endpoint, by name."""
