"""Reads the results of a parcel: each answer is charged, and then stored as the result of its line."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

from tollgate.batches.lines import Outcome, read_line, result_line
from tollgate.batches.models import MAX_AT_ONCE, MAX_OUTPUT_BYTES, Batch, request_id_of
from tollgate.batches.parcel_money import ParcelMoney
from tollgate.batches.parcels import CONTENT_LIFETIME_S, Parcel, attempt_of, content_id, prefix_of
from tollgate.batches.repository import BatchRepository, Result
from tollgate.batches.vendor_calls import VendorCalls
from tollgate.batches.vendor_lines import VendorLines, line_name
from tollgate.kit.errors import TollgateError
from tollgate.kit.observability import logger
from tollgate.text.models import BATCH, TextModel, TextRoute
from tollgate.text.money.handover import at_prices
from tollgate.text.money.metering import HoldPlan
from tollgate.text.routes.exchanges import REQUEST_PREFIX
from tollgate.text.service import TextService
from tollgate.text.upstream.vendor_batches import BatchApi, VendorBatch
from tollgate.text.wire.faults import FaultError

_OK = 200


class UnfinishedError(Exception):
    """The time of this worker is over before all results are stored."""


@dataclass(frozen=True, slots=True)
class SentLine:
    """A line of a parcel: its number, the hold that covers it, and its text in the input."""

    number: int
    plan: HoldPlan
    text: bytes


async def read_content(kept: BatchRepository, batch: Batch, parcel: Parcel) -> list[SentLine]:
    """Return the lines of a parcel; none if they are gone."""
    row = await kept.storage.row(batch.account_id, content_id(batch, parcel.number))
    content = None if row is None else await kept.storage.content(row)
    return [
        SentLine(number, HoldPlan(amount, limit), text.encode())
        for number, amount, limit, text in json.loads(content or "[]")
    ]


async def store_content(
    kept: BatchRepository, batch: Batch, parcel: Parcel, lines: Sequence[SentLine]
) -> None:
    """Store the lines of a parcel instead of those that it had."""
    fields = {"is_error": False, "expires_at_s": parcel.made_at_s + CONTENT_LIFETIME_S}
    content = json.dumps(
        [[one.number, one.plan.amount_micro_usd, one.plan.output_limit, one.text.decode()] for one in lines]
    )
    await kept.storage.put(batch.account_id, content_id(batch, parcel.number), content, fields)


@dataclass(frozen=True, slots=True)
class Collecting:
    """Collects the results of parcels."""

    kept: BatchRepository
    money: ParcelMoney
    text: TextService
    lines: VendorLines

    async def run(
        self, batch: Batch, parcel: Parcel, vendor: VendorCalls, found: VendorBatch
    ) -> list[Result]:
        """Store the results of all answered lines; return them.

        Raises `UnfinishedError`, `UnsureError` and `RefusedError`.
        """
        content = await read_content(self.kept, batch, parcel)
        answers: dict[str, bytes] = {}
        for file_id in found.files:
            for name, body in await vendor.answers(file_id):
                # An answer that comes twice was billed to us once.
                answers.setdefault(name, body)
        names = names_of(batch, parcel, vendor.api)
        answered = [line for line in content if names(line.number) in answers]
        results: list[Result] = []
        size = int(batch.row.get("early_bytes", 0))
        for start in range(0, len(answered), MAX_AT_ONCE):
            if time.monotonic() >= self.lines.until:
                raise UnfinishedError
            some = answered[start : start + MAX_AT_ONCE]
            is_full = size >= MAX_OUTPUT_BYTES
            ended = await asyncio.gather(
                *(
                    self._result(batch, parcel, line, answers[names(line.number)], is_full=is_full)
                    for line in some
                )
            )
            stored = [result for result in ended if result is not None]
            results += stored
            size += sum(len(result.text) for result in stored)
        return results

    async def _result(
        self, batch: Batch, parcel: Parcel, line: SentLine, body: bytes, *, is_full: bool
    ) -> Result | None:
        """Charge a line and store its result; `None` if it runs the ordinary way, and costs nothing here."""
        if (stored := await self.kept.result(batch, line.number)) is not None:
            return stored
        request_id = request_id_of(batch.id, line.number, 0, attempt_of(parcel.number))
        outcome = Outcome(request_id, code="batch_output_full")
        # A worker that died may have charged it before the results were so large.
        if not is_full or await self.money.is_billed(batch.account_id, request_id):
            answer = await self._charged(parcel, line, body, request_id)
            if answer is None:
                return None
            outcome = Outcome(request_id, _OK, answer)
        custom_id = read_line(batch.kind, line.text).custom_id
        result = Result(result_line(batch.kind, custom_id, outcome), outcome.is_error)
        await self.kept.keep_result(batch, line.number, result)
        return result

    async def _charged(self, parcel: Parcel, line: SentLine, body: bytes, request_id: str) -> bytes | None:
        """Return the customer's answer after it is charged; `None` if it cannot be read or charged."""
        model = self.text.models.get(parcel.model.casefold())
        route = None if model is None else _route_of(model, parcel)
        if model is None or route is None:
            logger.error("run_batch.model_gone", model=parcel.model)
            return None
        priced = replace(at_prices(model, parcel.prices), services={BATCH: Decimal(parcel.factor)})
        try:
            request = self.lines.request(line.text)
            if request is None:
                return None
            exchange = self.lines.exchange(
                request, priced, route, line.plan, request_id.removeprefix(REQUEST_PREFIX)
            )
            answer = exchange.read_whole(body)
        except (TollgateError, FaultError) as exc:
            logger.warning("run_batch.unreadable", request=request_id, reason=type(exc).__name__)
            return None
        usage = exchange.meter.usage()
        is_charged = await self.money.charge(
            parcel, request_id, line.plan, model=priced, usage=usage, api=request.api
        )
        return answer if is_charged else None


def names_of(batch: Batch, parcel: Parcel, api: BatchApi) -> Callable[[int], str]:
    """Return the function that names the lines of a parcel at its vendor."""
    return line_name if api.has_labels else partial(line_name, prefix=prefix_of(batch, parcel))


def _route_of(model: TextModel, parcel: Parcel) -> TextRoute | None:
    return next((route for route in model.routes if route.provider == parcel.provider), None)
