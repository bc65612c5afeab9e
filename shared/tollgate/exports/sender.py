"""Sends requests that ended to their customer: one webhook for each, and spans for a sample of them.

    {account_id, entries} ─► records ─► deliveries, each written once ─► spans, in one request

A message that comes again writes no delivery twice, and its spans have the same ids.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import httpx

from tollgate.activity.found import SHOWN, Found, found_of
from tollgate.activity.record import record_of
from tollgate.exports.repository import ExportRepository
from tollgate.exports.settings import SpanTarget
from tollgate.exports.spans import export_body, is_sampled, rejected_of
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import Clock
from tollgate.kit.http.addresses import ForbiddenAddressError
from tollgate.kit.http.outbound import Outbound, OutboundAnswer
from tollgate.kit.ids import time_of_id
from tollgate.kit.numbers import digits
from tollgate.kit.observability import logger
from tollgate.ledger.reader import LedgerReader
from tollgate.tasks.repository import TaskRepository
from tollgate.webhooks.models import Delivery, named_delivery_id
from tollgate.webhooks.payload import readable
from tollgate.webhooks.repository import DeliveryRepository, LaneRepository, StaleDeliveryError
from tollgate.webhooks.schedule import due_now, spread_s

EVENT = "request.completed"
TIMEOUT_S = 10.0
MAX_ANSWER = 4_096
SLOW_MS = 2_000
# Attempts of one message. Lost spans are counted after the last.
MAX_ATTEMPTS = 8
FIRST_WAIT_S, MAX_WAIT_S = 10, 900
# The responses after which the same spans may be sent again (OTLP specification, "Failures").
RETRYABLE = frozenset({429, 502, 503, 504})
_OK, _FIRST_NOT_OK = 200, 300
USER_AGENT = "Tollgate-Exports/1"


class RequestOutcome(StrEnum):
    """The result of a message."""

    NOTHING = "nothing"  # The account exports no requests any more, or none of these.
    SENT = "sent"  # Everything was sent.
    AGAIN = "again"  # The receiver did not accept the spans; they are sent again.
    LOST = "lost"  # The receiver did not accept the spans in any attempt.


@dataclass(frozen=True, slots=True)
class RequestExporter:
    """Sends requests that ended."""

    exports: ExportRepository
    ledger: LedgerReader
    tasks: TaskRepository
    deliveries: DeliveryRepository
    lanes: LaneRepository
    queue: Queue
    outbound: Outbound
    clock: Clock

    def send(self, account_id: str, entries: Sequence[str], attempt: int) -> RequestOutcome:
        """Send the requests of these entries; if their spans are not accepted, send a message for later."""
        settings = self.exports.read(account_id)
        if not settings.has_requests:
            return RequestOutcome.NOTHING
        found = self._found(account_id, entries)
        # A later attempt is only for spans.
        if settings.webhook is not None and attempt == 1:
            for one in found:
                self._deliver(account_id, settings.webhook, one)
        spans = settings.spans
        sampled = [one for one in found if spans is not None and is_sampled(one.request_id, spans.rate)]
        if spans is None or not sampled:
            return RequestOutcome.SENT if found else RequestOutcome.NOTHING
        return self._send_spans(account_id, spans, sampled, attempt)

    def _found(self, account_id: str, entry_ids: Sequence[str]) -> list[Found]:
        entries = [entry for entry in self.ledger.named(account_id, entry_ids) if entry.kind in SHOWN]
        return found_of(entries, self.tasks.get_all)

    def _deliver(self, account_id: str, url: str, found: Found) -> None:
        now_ms = self.clock.now_ms()
        event_id, data = event_id_of(found.request_id), dict(record_of(found))
        delivery = due_now(Delivery(event_id, account_id, url, EVENT, now_ms, data=data))
        try:
            self.deliveries.add(delivery)
        except StaleDeliveryError:
            return
        # If a crash prevents this, the sweeper sends the message.
        self.queue.send({"delivery_id": delivery.delivery_id, "seq": delivery.seq})

    def _send_spans(
        self, account_id: str, target: SpanTarget, found: Sequence[Found], attempt: int
    ) -> RequestOutcome:
        # A slow receiver takes few of the workers, as with webhooks.
        lane = f"{account_id}#spans"
        slot = self.lanes.enter(lane, self.clock.now_ms())
        if slot is None:
            return self._failed(account_id, found, attempt, "Too many requests to this receiver at once.")
        started_ms, slow = self.clock.now_ms(), None
        try:
            answer = self._post(account_id, target, found)
            slow = self.clock.now_ms() - started_ms >= SLOW_MS
        except ForbiddenAddressError as exc:
            return self._lost(account_id, found, f"Refused: the address {exc}.")
        except (httpx.TransportError, httpx.InvalidURL) as exc:
            return self._failed(account_id, found, attempt, f"No response: {exc}")
        finally:
            self.lanes.leave(lane, slot, slow=slow)
        return self._judged(account_id, found, attempt, answer)

    def _post(self, account_id: str, target: SpanTarget, found: Sequence[Found]) -> OutboundAnswer:
        body = export_body(account_id, found, target.rate, has_content=target.has_content)
        headers = {"user-agent": USER_AGENT, "accept-encoding": "identity", **target.headers}
        headers |= {"content-type": "application/json"}
        return self.outbound.post(target.endpoint, body, headers, TIMEOUT_S, MAX_ANSWER)

    def _judged(
        self, account_id: str, found: Sequence[Found], attempt: int, answer: OutboundAnswer
    ) -> RequestOutcome:
        if _OK <= answer.status < _FIRST_NOT_OK:
            rejected, message = rejected_of(answer.body)
            rejected = max(0, min(rejected, len(found)))
            reason = f"{rejected} spans were rejected: {message}" if rejected else None
            self.exports.count_spans(
                account_id, self.clock.now_ms(), sent=len(found) - rejected, lost=rejected, error=reason
            )
            return RequestOutcome.LOST if rejected else RequestOutcome.SENT
        reason = f"HTTP {answer.status}: {readable(answer.body)}"
        if answer.status in RETRYABLE:
            return self._failed(account_id, found, attempt, reason, answer.headers.get("retry-after"))
        return self._lost(account_id, found, reason)

    def _failed(
        self,
        account_id: str,
        found: Sequence[Found],
        attempt: int,
        reason: str,
        retry_after: str | None = None,
    ) -> RequestOutcome:
        if attempt >= MAX_ATTEMPTS:
            return self._lost(account_id, found, reason)
        self.exports.note_unsent_spans(account_id, reason, self.clock.now_ms())
        again = {
            "account_id": account_id,
            "entries": [one.entry.entry_id for one in found],
            "attempt": attempt + 1,
        }
        self.queue.send(again, wait_s(found[0].request_id, attempt, retry_after))
        return RequestOutcome.AGAIN

    def _lost(self, account_id: str, found: Sequence[Found], reason: str) -> RequestOutcome:
        logger.warning("deliver_webhook.spans_lost", account_id=account_id, spans=len(found))
        self.exports.count_spans(account_id, self.clock.now_ms(), lost=len(found), error=reason)
        return RequestOutcome.LOST


def wait_s(request_id: str, attempt: int, retry_after: str | None) -> int:
    """Return the seconds until the next attempt: the receiver's wish, or twice as long each time. Pure."""
    asked = digits(retry_after or "", 0, 10**9)
    if asked is not None:
        return min(asked, MAX_WAIT_S)
    return spread_s(f"{request_id}#{attempt}", min(FIRST_WAIT_S << (attempt - 1), MAX_WAIT_S))


def event_id_of(request_id: str) -> str:
    """Return the id of a request's event, which is the same for every attempt. Pure."""
    return named_delivery_id(time_of_id(request_id), request_id)
