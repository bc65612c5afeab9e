"""Reads a provider's cost report over HTTP: bounded in pages, attempts, bytes and time."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import httpx

from tollgate.kit.numbers import digits
from tollgate.providers.runtime.secret import Credentials
from tollgate.reconciliation.reports import Report, ReportError

TIMEOUT_S = 20.0
# Pages of one day. A page has a whole day or many endpoints, so more than a few would be an error.
MAX_PAGES = 50
MAX_BYTES = 8 * 1024 * 1024
ATTEMPTS = 3
FIRST_WAIT_S, MAX_WAIT_S = 1.0, 20.0
# A longer wait than this is no number of seconds.
MOST_STATED_S = 86_400
_RETRIED = frozenset((408, 429, 500, 502, 503, 504, 529))


@dataclass(frozen=True, slots=True)
class ReportClient:
    """Reads reports. `transport` replaces the network in tests."""

    sleep: Callable[[float], None] = time.sleep
    transport: httpx.BaseTransport | None = None

    def costs(self, report: Report, credentials: Credentials, day: date) -> dict[str, Decimal]:
        """Return the reported costs of a day in micro-USD, by model. Raises `ReportError`."""
        found: dict[str, Decimal] = {}
        page: str | None = None
        with httpx.Client(timeout=TIMEOUT_S, transport=self.transport) as http:
            for _ in range(MAX_PAGES):
                read = report.page(self._text(http, report, credentials, day, page), day)
                for model, cost in read.costs.items():
                    found[model] = found.get(model, Decimal(0)) + cost
                page = read.next_page
                if page is None:
                    return found
        raise ReportError(f"more than {MAX_PAGES} pages")

    def _text(
        self, http: httpx.Client, report: Report, credentials: Credentials, day: date, page: str | None
    ) -> str:
        request = http.build_request(
            "GET",
            f"{credentials.base_url or report.address}{report.path}",
            params=report.parameters(day, page),
            headers=dict(report.headers(credentials.key)),
        )
        reason = ""
        for attempt in range(ATTEMPTS):
            try:
                response = http.send(request, stream=True)
                try:
                    if response.is_success:
                        return _bounded(response)
                finally:
                    response.close()
            except httpx.HTTPError as exc:
                reason, wait_s = type(exc).__name__, None
            else:
                reason, wait_s = f"HTTP {response.status_code}", _seconds(response.headers.get("retry-after"))
                if response.status_code not in _RETRIED:
                    break
            if attempt + 1 < ATTEMPTS:
                self.sleep(min(wait_s or FIRST_WAIT_S * 2**attempt, MAX_WAIT_S))
        raise ReportError(reason)


def _bounded(response: httpx.Response) -> str:
    body = bytearray()
    for some in response.iter_bytes():
        body += some
        if len(body) > MAX_BYTES:
            raise ReportError(f"more than {MAX_BYTES} bytes")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise ReportError("no UTF-8") from None


def _seconds(text: Any) -> int | None:
    return digits(text, 0, MOST_STATED_S)
