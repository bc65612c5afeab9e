"""Moves the parcels of a batch. Makes parcels of the lines that wait."""

import asyncio
import time
from dataclasses import dataclass, replace

from tollgate.batches import parcels
from tollgate.batches.collecting import SentLine, store_content
from tollgate.batches.models import Batch
from tollgate.batches.parcel_money import ParcelMoney
from tollgate.batches.parcel_steps import ChangeOwn, KeyOf, LaterError, ParcelSteps
from tollgate.batches.parcels import Parcel, Stage, parcels_of
from tollgate.batches.repository import BatchRepository
from tollgate.batches.vendor_calls import UnsureError
from tollgate.batches.vendor_lines import VendorLines, numbers_to_text
from tollgate.kit.ids import new_id
from tollgate.kit.observability import logger
from tollgate.ledger.reservations import QUOTE_PREFIX
from tollgate.text.models import BATCH
from tollgate.text.money.handover import prices_of
from tollgate.text.service import TextService

# Steps of one parcel by one worker; more than it has stages.
MAX_STEPS = 10


@dataclass(frozen=True, slots=True)
class ParcelWorker:
    """Moves parcels. `key_of` reads a key that can be used."""

    kept: BatchRepository
    money: ParcelMoney
    text: TextService
    key_of: KeyOf
    change: ChangeOwn

    @property
    def _steps(self) -> ParcelSteps:
        return ParcelSteps(self.kept, self.money, self.text, self.key_of, self.change)

    async def choose(self, batch: Batch, texts: list[bytes]) -> dict[str, object]:
        """Return the fields of a new batch with the lines that a vendor can get; none without any."""
        key = await self.key_of(batch.row["key_id"])
        if key is None:
            return {}
        lines = await self._lines(batch)
        found = await asyncio.to_thread(lines.chosen, texts, key)
        logger.info("run_batch.chosen", lines=len(texts), at_vendor=len(found))
        return parcels.new_fields(found)

    async def move(self, batch: Batch, texts: list[bytes], until: float) -> tuple[Batch, int]:
        """Move all parcels as far as possible now. Then make more parcels, until the monotonic time `until`.

        An input that was deleted has no `texts`. Returns the batch, and in how many seconds it wants to be
        moved again.
        """
        lines, waits = replace(await self._lines(batch), until=until), [parcels.MAX_POLL_S]
        for parcel in parcels_of(batch):
            batch, wait_s = await self._moved(batch, parcel.number, lines)
            waits.append(wait_s)
        now_s = self.kept.storage.now_s()
        for _ in range(parcels.MAX_AT_ONCE):
            if not batch.row["waiting"] or len(parcels_of(batch)) >= parcels.MAX_AT_ONCE:
                break
            if not texts or not parcels.may_send(batch, now_s):
                batch = await self._nothing_waits(batch)
                break
            made = batch.row["parcels_made"]
            batch = await self._made(batch, texts, lines)
            if batch.row["parcels_made"] == made:
                break
            batch, wait_s = await self._moved(batch, made, lines)
            waits.append(wait_s)
        return batch, min(waits)

    async def _lines(self, batch: Batch) -> VendorLines:
        row = batch.row
        upstreams = await self.text.calls.upstreams_now()
        return VendorLines(
            self.text.models,
            upstreams,
            self.text.use_of,
            batch.kind,
            row["endpoint"],
            row["headers"],
            self.kept.storage.now_s(),
            self.text.calls.is_off,
        )

    async def _nothing_waits(self, batch: Batch) -> Batch:
        """Leave the waiting lines to the ordinary way."""
        return await self.change(batch, lambda now: now.changed(waiting=""))

    async def _made(self, batch: Batch, texts: list[bytes], lines: VendorLines) -> Batch:
        """Make a parcel of waiting lines; or none if they have to wait, or run the ordinary way."""
        key = await self.key_of(batch.row["key_id"])
        if key is None:
            return await self._nothing_waits(batch)
        room = await self.money.room(batch.account_id) // parcels.BALANCE_SHARE
        waiting = parcels.waiting(batch)
        found, gone = await asyncio.to_thread(parcels.filled, waiting, texts, lines, key, room)
        if not found and parcels_of(batch):
            # The money of other parcels may be enough for the next one.
            return batch
        if not found:
            return await self._nothing_waits(batch)
        number = int(batch.row["parcels_made"])
        sample = next(iter(found.values()))
        model = sample.candidate.model
        parcel = Parcel(
            number=number,
            stage=Stage.NEW,
            claim=int(batch.row["claims"]),
            quote_id=new_id(QUOTE_PREFIX),
            provider=sample.candidate.provider,
            model=model.id,
            endpoint=sample.endpoint,
            key_id=key.key_id,
            labels=sample.labels.stored(),
            amount_micro_usd=sum(one.plan.amount_micro_usd for one in found.values()),
            prices=prices_of(model),
            factor=f"{model.services[BATCH]:f}",
            made_at_s=self.kept.storage.now_s(),
            upstream=sample.candidate.route.upstream_id,
            lines=len(found),
        )
        content = [SentLine(line, one.plan, texts[line]) for line, one in found.items()]
        await store_content(self.kept, batch, parcel, content)
        left = numbers_to_text([each for each in waiting if each not in found and each not in gone])
        logger.info("run_batch.parcel", parcel=number, lines=len(found), micro_usd=parcel.amount_micro_usd)
        return await self.change(
            batch, lambda now: parcels.with_parcel(now, parcel, waiting=left, parcels_made=number + 1)
        )

    async def _moved(self, batch: Batch, number: int, lines: VendorLines) -> tuple[Batch, int]:
        """Move a parcel as far as it goes now; return when it wants to be looked at again."""
        for _ in range(MAX_STEPS):
            parcel = next((one for one in parcels_of(batch) if one.number == number), None)
            if parcel is None:
                return batch, parcels.MAX_POLL_S
            if time.monotonic() >= lines.until:
                return batch, 0
            try:
                batch = await self._steps.next(batch, parcel, lines)
            except LaterError as later:
                return await self._current(batch), later.wait_s
            except UnsureError:
                return await self._current(batch), parcels.RETRY_S
        return batch, parcels.RETRY_S

    async def _current(self, batch: Batch) -> Batch:
        """Return the batch with the changes of a step that did not end."""
        return await self.kept.find(batch.account_id, batch.id) or batch
