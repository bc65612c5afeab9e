"""The steps of a parcel of a batch: it reserves, stores, sends, looks, collects and ends.

Each step is stored in the row of the batch before the next one begins, so another worker can continue after
any of them.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from tollgate.accounts.models import ApiKey
from tollgate.batches import parcels
from tollgate.batches.attempts import LIMITED, NO_MONEY
from tollgate.batches.collecting import (
    Collecting,
    SentLine,
    UnfinishedError,
    names_of,
    read_content,
    store_content,
)
from tollgate.batches.finding import Finding, UndecidedError
from tollgate.batches.models import Batch, request_id_of
from tollgate.batches.parcel_money import OrdinaryOnlyError, ParcelMoney
from tollgate.batches.parcels import Parcel, Stage, attempt_of, parcels_of
from tollgate.batches.repository import BatchRepository
from tollgate.batches.vendor_calls import RefusedError, UnsureError, VendorCalls
from tollgate.batches.vendor_lines import VendorLines, numbers_to_text
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.errors import TollgateError
from tollgate.kit.ids import new_id
from tollgate.kit.observability import logger
from tollgate.ledger.reservations import QUOTE_PREFIX
from tollgate.text.service import TextService
from tollgate.text.upstream.vendor_batches import Order, VendorBatch

_GONE = 404

ChangeOwn = Callable[[Batch, Callable[[Batch], Item]], Awaitable[Batch]]
"""Changes the row of the batch that this worker has. Raises `LostClaimError`."""
KeyOf = Callable[[str], Awaitable[ApiKey | None]]


class LaterError(Exception):
    """The step is tried again after `wait_s` seconds."""

    def __init__(self, wait_s: int = parcels.RETRY_S) -> None:
        super().__init__(f"in {wait_s} s")
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class ParcelSteps:
    """Takes the steps of parcels. `key_of` reads a key that can be used."""

    kept: BatchRepository
    money: ParcelMoney
    text: TextService
    key_of: KeyOf
    change: ChangeOwn

    async def next(self, batch: Batch, parcel: Parcel, lines: VendorLines) -> Batch:
        """Do the next step of a parcel. Raises `LaterError` and `UnsureError`."""
        now_s = self.kept.storage.now_s()
        api, is_sent = lines.api(parcel.provider), parcel.stage is Stage.SENT
        if parcels.must_give_up(batch, now_s) and (api is None or not is_sent):
            return await self._dropped(batch, parcel, "given_up")
        is_off = lines.is_off(parcel.provider, parcel.model)
        if not parcel.creates and (is_off or parcels.must_cancel(batch, now_s)):
            return await self._dropped(batch, parcel, "switched_off" if is_off else "cancelled")
        if api is None:
            # Its key was removed. An operator may add it again.
            raise LaterError
        vendor = VendorCalls(self.text.calls.http, parcel.provider, api)
        match parcel.stage:
            case Stage.NEW:
                return await self._reserved(batch, parcel, lines)
            case Stage.RESERVED if api.stores_lines:
                return await self._stored(batch, parcel, vendor, lines)
            case Stage.RESERVED | Stage.STORED:
                return await self._sent(batch, parcel, vendor, lines)
            case Stage.SENT:
                return await self._looked(batch, parcel, vendor, lines)

    async def _reserved(self, batch: Batch, parcel: Parcel, lines: VendorLines) -> Batch:
        if parcel.claim != batch.row["claims"]:
            # Its worker may have died after it held the money.
            await self.money.release(batch.account_id, parcel)
            claim = int(batch.row["claims"])
            fresh = replace(parcel, quote_id=new_id(QUOTE_PREFIX), claim=claim)
            return await self.change(batch, lambda now: parcels.with_parcel(now, fresh))
        key = await self.key_of(batch.row["key_id"])
        content = await read_content(self.kept, batch, parcel)
        sample = None if key is None or not content else lines.prepared(content[0].text, key)
        if key is None or sample is None:
            return await self._dropped(batch, parcel, "refused")
        # A worker that halved it may have died before it stored the new numbers.
        amount = sum(line.plan.amount_micro_usd for line in content)
        parcel = replace(parcel, lines=len(content), amount_micro_usd=amount)
        try:
            reservation, is_doubtful = await self.money.reserve(batch, parcel, key, sample)
        except LIMITED as exc:
            raise LaterError from exc
        except (OrdinaryOnlyError, TollgateError) as exc:
            lacks_money = isinstance(exc, NO_MONEY)
            if lacks_money and len(parcels_of(batch)) > 1:
                # The others return money when they end.
                raise LaterError from exc
            if lacks_money and len(content) > 1:
                return await self._halved(batch, parcel, content)
            logger.info("run_batch.not_reserved", parcel=parcel.number, reason=type(exc).__name__)
            return await self._dropped(batch, parcel, "not_reserved", waits=False)
        held = replace(
            parcel,
            stage=Stage.RESERVED,
            reservation=reservation.to_item(),
            release_from_s=self.money.release_from_s(is_doubtful=is_doubtful),
        )
        return await self.change(batch, lambda now: parcels.with_parcel(now, held))

    async def _halved(self, batch: Batch, parcel: Parcel, content: Sequence[SentLine]) -> Batch:
        """Leave half of the lines to a later parcel: a cap or a budget has no room for all of them."""
        await self.money.release(batch.account_id, parcel)
        half, left = content[: len(content) // 2], content[len(content) // 2 :]
        # The content first: a line that is in a parcel and waits as well could be sent twice.
        await store_content(self.kept, batch, parcel, half)
        amount = sum(line.plan.amount_micro_usd for line in half)
        smaller = replace(parcel, amount_micro_usd=amount, quote_id=new_id(QUOTE_PREFIX), lines=len(half))
        numbers = sorted([*parcels.waiting(batch), *(line.number for line in left)])
        logger.info("run_batch.halved", parcel=parcel.number, lines=len(half), micro_usd=amount)
        return await self.change(
            batch, lambda now: parcels.with_parcel(now, smaller, waiting=numbers_to_text(numbers))
        )

    async def _stored(self, batch: Batch, parcel: Parcel, vendor: VendorCalls, lines: VendorLines) -> Batch:
        """Store the lines at the vendor. A second file of a repeat is not used, and expires."""
        if parcel.uploads >= parcels.MAX_UPLOADS:
            return await self._dropped(batch, parcel, "not_stored", waits=False)
        counted = replace(parcel, uploads=parcel.uploads + 1)
        batch = await self.change(batch, lambda now: parcels.with_parcel(now, counted))
        sent = await self._input(batch, parcel, vendor, lines)
        if not sent:
            return await self._dropped(batch, counted, "refused")
        try:
            file_id = await vendor.upload(parcels.prefix_of(batch, parcel), sent)
        except RefusedError as exc:
            return await self._refused(batch, counted, exc)
        stored = replace(counted, stage=Stage.STORED, file_id=file_id)
        return await self.change(batch, lambda now: parcels.with_parcel(now, stored))

    async def _input(
        self, batch: Batch, parcel: Parcel, vendor: VendorCalls, lines: VendorLines
    ) -> list[bytes]:
        """Return the lines of a parcel as the vendor gets them; none if the key or the model has changed."""
        key = await self.key_of(batch.row["key_id"])
        content = await read_content(self.kept, batch, parcel)
        prepared = [(one.number, key and lines.prepared(one.text, key)) for one in content]
        name, endpoint, order = names_of(batch, parcel, vendor.api), parcel.endpoint, parcel.order
        alike = [(number, one) for number, one in prepared if one and one.order == order]
        sent = [vendor.api.line(name(number), endpoint, one.body) for number, one in alike]
        return sent if len(sent) == len(content) else []

    async def _sent(self, batch: Batch, parcel: Parcel, vendor: VendorCalls, lines: VendorLines) -> Batch:
        """Create the vendor's batch, or find the one whose answer was lost."""
        now_s, finding = self.kept.storage.now_s(), Finding(self.kept, vendor)
        if parcel.creates:
            retry_s = parcels.RETRY_S if vendor.api.stores_lines else parcels.LONG_RETRY_S
            if now_s < parcel.asked_at_s + retry_s:
                # The create may still be under way.
                raise LaterError
            try:
                found = await finding.created(batch, parcel)
            except UndecidedError as exc:
                raise LaterError(parcels.poll_wait_s(parcel, now_s)) from exc
            except RefusedError as exc:
                raise LaterError from exc
            if found:
                for other in found[1:]:
                    logger.error("run_batch.second_at_vendor", provider=parcel.provider, id=other.id)
                    await _cancelled(vendor, other.id)
                return await self._is_at_vendor(batch, parcel, found[0])
            is_off = self.text.calls.is_off(parcel.provider, parcel.model)
            if is_off or parcel.creates >= parcels.MAX_CREATES or parcels.must_cancel(batch, now_s):
                return await self._dropped(batch, parcel, "not_created", waits=False)
        sent = [] if vendor.api.stores_lines else await self._input(batch, parcel, vendor, lines)
        if not (sent or vendor.api.stores_lines):
            return await self._dropped(batch, parcel, "refused")
        asked = replace(parcel, creates=parcel.creates + 1, asked_at_s=now_s)
        batch = await self.change(batch, lambda now: parcels.with_parcel(now, asked))
        label, file_id = parcels.label_of(batch, parcel), parcel.file_id or ""
        try:
            made = await vendor.create(Order(label, parcel.endpoint, parcel.upstream, file_id, sent))
        except RefusedError as exc:
            return await self._refused(batch, asked, exc)
        await finding.noted(batch, asked, made)
        return await self._is_at_vendor(batch, asked, made)

    async def _is_at_vendor(self, batch: Batch, parcel: Parcel, found: VendorBatch) -> Batch:
        sent = replace(parcel, stage=Stage.SENT, vendor_id=found.id)
        logger.info("run_batch.sent", parcel=parcel.number, provider=parcel.provider, id=found.id)
        batch = await self.change(batch, lambda now: parcels.with_parcel(now, sent))
        if not found.has_ended:
            raise LaterError(parcels.FIRST_POLL_S)
        return batch

    async def _refused(self, batch: Batch, parcel: Parcel, refusal: RefusedError) -> Batch:
        """Try again later, or leave the lines to the ordinary way."""
        if refusal.passes:
            raise LaterError
        return await self._dropped(batch, parcel, "refused", waits=False)

    async def _looked(self, batch: Batch, parcel: Parcel, vendor: VendorCalls, lines: VendorLines) -> Batch:
        """Collect the results of a parcel if its batch has ended, or give it up if its time is over."""
        try:
            found = await self._final(batch, parcel, vendor)
            collecting = Collecting(self.kept, self.money, self.text, lines)
            results = await collecting.run(batch, parcel, vendor, found)
        except UnfinishedError as exc:
            raise LaterError(0) from exc
        except (UnsureError, RefusedError, LaterError) as exc:
            is_gone = isinstance(exc, RefusedError) and exc.status == _GONE
            if is_gone or parcels.must_give_up(batch, self.kept.storage.now_s()):
                return await self._dropped(batch, parcel, "lost" if is_gone else "given_up")
            raise LaterError(getattr(exc, "wait_s", parcels.RETRY_S)) from exc
        logger.info("run_batch.collected", parcel=parcel.number, status=found.status, lines=len(results))
        errored = sum(result.is_error for result in results)
        is_whole = len(results) == parcel.lines
        if not is_whole:
            # A worker that died may have read more answers than are there now.
            await self._end_holds(batch, parcel)
        early = {
            "early_succeeded": len(results) - errored,
            "early_errored": errored,
            "early_bytes": sum(len(result.text) for result in results),
        }
        return await self._ended(
            batch,
            parcel,
            lambda now: _added(now, early) | ({} if is_whole else _without_answers(now, parcel)),
        )

    async def _final(self, batch: Batch, parcel: Parcel, vendor: VendorCalls) -> VendorBatch:
        """Return the vendor's batch if it has ended.

        Otherwise cancels it if it is time, and raises `LaterError`.
        """
        now_s, vendor_id = self.kept.storage.now_s(), parcel.vendor_id or ""
        found = await vendor.get(vendor_id)
        # xAI's batches count their lines while they read them.
        if found.has_ended and not 0 < found.lines < parcel.lines:
            return found
        if not parcels.must_cancel(batch, now_s):
            raise LaterError(parcels.poll_wait_s(parcel, now_s))
        await _cancelled(vendor, vendor_id)
        raise LaterError(parcels.FIRST_POLL_S)

    async def _dropped(self, batch: Batch, parcel: Parcel, why: str, *, waits: bool = True) -> Batch:
        """End a parcel without its results. Its lines run the ordinary way.

        So do the lines that wait for a parcel, if they cannot expect another outcome (`waits` is false).
        """
        # A vendor may charge us for a batch that is given up.
        log = logger.error if why == "given_up" and parcel.creates else logger.warning
        log("run_batch.parcel_dropped", parcel=parcel.number, reason=why, id=parcel.vendor_id)
        was_sent = parcel.stage is Stage.SENT
        if was_sent:
            await self._end_holds(batch, parcel)

        def more(now: Batch) -> Item:
            return (_without_answers(now, parcel) if was_sent else {}) | ({} if waits else {"waiting": ""})

        return await self._ended(batch, parcel, more)

    async def _end_holds(self, batch: Batch, parcel: Parcel) -> None:
        """Return the holds of lines that a worker that died has not charged."""
        content = await read_content(self.kept, batch, parcel)
        attempt = attempt_of(parcel.number)
        ids = {request_id_of(batch.id, line.number, 0, attempt) for line in content}
        await self.money.end_holds(batch.account_id, parcel, ids)

    async def _ended(self, batch: Batch, parcel: Parcel, more: Callable[[Batch], Item]) -> Batch:
        """Return the rest of a parcel's money, and remove the parcel."""
        wait_s = parcel.release_from_s - self.kept.storage.now_s()
        if wait_s > 0:
            raise LaterError(min(wait_s, parcels.MAX_POLL_S))
        await self.money.release(batch.account_id, parcel)
        row_id = parcels.content_id(batch, parcel.number)
        if (row := await self.kept.storage.row(batch.account_id, row_id)) is not None:
            await self.kept.storage.empty_object(row)
        return await self.change(batch, lambda now: parcels.without_parcel(now, parcel.number, **more(now)))


def _without_answers(batch: Batch, parcel: Parcel) -> Item:
    """Return the field by which a line that runs the ordinary way is first looked for among the charges."""
    return {"dropped": [*parcels.dropped(batch), parcel.number]}


def _added(batch: Batch, counts: dict[str, int]) -> Item:
    return {name: batch.row.get(name, 0) + count for name, count in counts.items()}


async def _cancelled(vendor: VendorCalls, batch_id: str) -> None:
    """Cancel a vendor's batch. If it has ended meanwhile, the next look shows that."""
    try:
        await vendor.cancel(batch_id)
    except RefusedError:
        return
