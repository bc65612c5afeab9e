"""The record of one request: its cost, its steps, its providers, and the calculation of the cost."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.pages.activity import key_names
from dashboard.render import page
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.activity.views import RequestEventView, RequestPriceView, RequestRecordView
from tollgate.kit.clock import MS_PER_S

APIS = {
    "chat": "Chat completions",
    "completions": "Completions",
    "responses": "Responses",
    "messages": "Messages",
    "embeddings": "Embeddings",
    "rerank": "Rerank",
    "moderations": "Moderations",
    "speech": "Speech",
    "transcription": "Transcription",
    "translation": "Translation",
}
QUANTITIES = {
    "inputTokens": "Input",
    "cacheReadTokens": "Read from the cache",
    "cacheWriteTokens": "Written to the cache",
    "cacheWrite1hTokens": "Written to the cache for an hour",
    "outputTokens": "Output",
    "imageTokens": "Images",
    "searchUnits": "Search units",
    "webSearches": "Web searches",
    "characters": "Characters",
    "seconds": "Seconds",
}

router = APIRouter(prefix="/requests")


@router.get("/{request_id}")
def show(services: Services, request: Request, visitor: SignedIn, request_id: str) -> Response:
    """Show the record of a request of the account, by any of its ids."""
    found, record = services.api.records.shown(visitor.account_id, request_id)
    return page(
        request,
        "request.html",
        record=record,
        task=found.task,
        steps=_steps(record),
        lines=_lines(record["price"]),
        api_name=APIS.get(record.get("api", "")),
        key_name=key_names(services, visitor.account_id).get(record.get("keyId", ""), record.get("keyId")),
        member=_member(services, record),
    )


def _steps(record: RequestRecordView) -> list[tuple[RequestEventView, str]]:
    """Return the steps, each with the time since the first one."""
    events = record["events"]
    first = datetime.fromisoformat(events[0]["happenedAt"])
    return [(event, _since(first, datetime.fromisoformat(event["happenedAt"]))) for event in events]


def _since(first: datetime, then: datetime) -> str:
    passed_s = (then - first).total_seconds()
    return f"+{round(passed_s * MS_PER_S)} ms" if passed_s < 1 else f"+{passed_s:.1f} s"


def _lines(price: list[RequestPriceView]) -> list[dict[str, Any]]:
    """Return the lines of the calculation, with the words of their quantities."""
    return [
        {
            **line,
            "name": QUANTITIES.get(line["key"], line["key"]),
            "units": "million tokens" if line["per"] > 1 else line["unit"],
            "quantity": f"{Decimal(line['quantity']):,f}",
        }
        for line in price
    ]


def _member(services: Services, record: RequestRecordView) -> str | None:
    """Return the name of the member who created the key."""
    member_id = record.get("memberId")
    if member_id is None:
        return None
    return services.members.names([member_id]).get(member_id, member_id)
