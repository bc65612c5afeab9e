"""Finds the batch of a parcel at its vendor after the answer to its create was lost.

With labels: the vendor's list has them. Without labels, batches with a later time and the same number of
lines are candidates.

    known to be another's ──► not this one
    known to be ours, or ended, and its results have our names ──► this one
    otherwise ──► undecided: nothing is created until it has ended
"""

from dataclasses import dataclass

from tollgate.batches.models import Batch
from tollgate.batches.parcels import Parcel, label_of, prefix_of
from tollgate.batches.repository import BatchRepository
from tollgate.batches.vendor_calls import VendorCalls
from tollgate.batches.vendor_lines import prefix_in
from tollgate.kit.observability import logger
from tollgate.text.upstream.vendor_batches import VendorBatch

# Of a batch at the vendor that is not known to be a parcel, and has ended without results.
NOBODY = "-"


class UndecidedError(Exception):
    """A batch at the vendor may belong to the parcel. Its end shows that."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Finds batches at one vendor. All methods raise `UnsureError` and `RefusedError`."""

    kept: BatchRepository
    vendor: VendorCalls

    async def created(self, batch: Batch, parcel: Parcel) -> list[VendorBatch]:
        """Return the vendor's batches of a parcel, the oldest first. Raises `UndecidedError`."""
        since = await self.vendor.since(parcel.made_at_s)
        if self.vendor.api.has_labels:
            return [one for one in since if one.label == label_of(batch, parcel)]
        own, found, undecided = prefix_of(batch, parcel), [], []
        for one in since:
            if one.lines == parcel.lines:
                owner = await self._owner(one)
                if owner is None:
                    undecided.append(one.id)
                elif owner == own:
                    found.append(one)
        if undecided and not found:
            logger.info("run_batch.undecided", parcel=parcel.number, batches=len(undecided))
            raise UndecidedError
        return found

    async def noted(self, batch: Batch, parcel: Parcel, found: VendorBatch) -> None:
        """Note whose a new batch is, if the vendor has no labels."""
        if not self.vendor.api.has_labels:
            await self.kept.know(self.vendor.provider, found.id, prefix_of(batch, parcel))

    async def _owner(self, one: VendorBatch) -> str | None:
        provider = self.vendor.provider
        owner = await self.kept.owner(provider, one.id)
        if owner is None and one.has_ended:
            name = await self.vendor.name_in(one.files[0]) if one.files else ""
            owner = prefix_in(name) or NOBODY
            await self.kept.know(provider, one.id, owner)
        return owner
