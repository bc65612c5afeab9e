"""The calls of a vendor's batch API over HTTP."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from tollgate.batches.parcels import CLOCK_S, MAX_PAGES, MAX_RESULT_PAGES
from tollgate.kit.http.client import HttpClient, header_lines
from tollgate.kit.http.response import HttpError
from tollgate.kit.observability import emit_provider_error, logger
from tollgate.text.upstream.exchange import HttpCall
from tollgate.text.upstream.vendor_batches import BatchApi, Order, UnreadableBatchError, VendorBatch

# Of a call, and of a call with a file.
CALL_S, FILE_S = 30.0, 180.0
MAX_ANSWER_BYTES = 2 * 1024 * 1024
# Results of a parcel in all pages of a file. Larger files are not read, and their lines run the ordinary way.
MAX_FILE_BYTES = 96 * 1024 * 1024
_FIRST_ERROR, _TIMEOUT, _LIMITED, _FIRST_SERVER_ERROR = 400, 408, 429, 500

# Our key or our account at the vendor, which an operator can mend.
_OURS = (401, 402, 403)

T = TypeVar("T")


class UnsureError(Exception):
    """The vendor gave no clear answer: the call may have been carried out."""


class RefusedError(Exception):
    """The vendor refused the call, so it was not carried out. `passes`: the same call may succeed later."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.passes = status in (*_OURS, _LIMITED)


@dataclass(frozen=True, slots=True)
class VendorCalls:
    """Calls of one vendor. All methods raise `UnsureError` and `RefusedError`."""

    http: HttpClient
    provider: str
    api: BatchApi

    async def upload(self, name: str, lines: Sequence[bytes]) -> str:
        """Store the lines of an input; return its id."""
        return await self._read(self.api.upload(name, lines), self.api.file_id, FILE_S)

    async def create(self, order: Order) -> VendorBatch:
        """Create a batch, and return it."""
        timeout_s = CALL_S if self.api.stores_lines else FILE_S
        return await self._read(self.api.create(order), self.api.read, timeout_s)

    async def get(self, batch_id: str) -> VendorBatch:
        """Return a batch."""
        return await self._read(self.api.get(batch_id), self.api.read)

    async def cancel(self, batch_id: str) -> None:
        """Cancel a batch. A refusal says that it has ended."""
        await self._read(self.api.cancel(batch_id), bytes)

    async def since(self, since_s: int) -> list[VendorBatch]:
        """Return the batches that were created since then, the oldest first.

        Raises `UnsureError` if the list is longer than `MAX_PAGES`.
        """
        found: list[VendorBatch] = []
        after: str | None = None
        first_s = since_s - CLOCK_S
        for _ in range(MAX_PAGES):
            page, after = await self._read(self.api.page(after), partial(self.api.listed, after=after))
            found += [batch for batch in page if batch.created_s >= first_s]
            times = [batch.created_s for batch in page]
            # Not each vendor says in which order it lists.
            is_falling = times == sorted(times, reverse=True) and times[:1] > times[-1:]
            is_last = is_falling and times[-1] < first_s
            if after is None or is_last:
                return sorted(found, key=lambda batch: batch.created_s)
        raise UnsureError

    async def answers(self, file_id: str) -> list[tuple[str, bytes]]:
        """Return the name and the body of each answer in a file of results, and in those that continue it.

        Raises `UnsureError` if they are too many, or too large together.
        """

        def page(content: bytes) -> tuple[int, list[tuple[str, bytes]], str | None]:
            following = self.api.next_file(file_id, content)
            return len(content), list(self.api.answers(content)), following

        found: list[tuple[str, bytes]] = []
        left = MAX_FILE_BYTES
        for _ in range(MAX_RESULT_PAGES):
            size, some, following = await self._read(self.api.content(file_id), page, FILE_S, left)
            found += some
            left -= size
            if following is None:
                return found
            file_id = following
        raise UnsureError

    async def name_in(self, file_id: str) -> str:
        """Return the name of a line of a file of results."""

        def name(content: bytes) -> str:
            return self.api.name_in(content.partition(b"\n")[0])

        return await self._read(self.api.content(file_id), name, FILE_S, MAX_FILE_BYTES)

    async def _read(
        self,
        call: HttpCall,
        reader: Callable[[bytes], T],
        timeout_s: float = CALL_S,
        most: int = MAX_ANSWER_BYTES,
    ) -> T:
        status = 0
        try:
            response = await self.http.request(
                call.method,
                call.url,
                header_lines(call.headers),
                call.body,
                timeout_s=timeout_s,
                repeatable=call.method == "GET",
            )
            status = response.status
            body = await response.read(most)
            if status < _FIRST_ERROR:
                return reader(body)
        except (HttpError, TimeoutError, UnreadableBatchError) as exc:
            self._failed(call, status)
            raise UnsureError from exc
        self._failed(call, status)
        if status >= _FIRST_SERVER_ERROR or status == _TIMEOUT:
            raise UnsureError
        raise RefusedError(status)

    def _failed(self, call: HttpCall, status: int) -> None:
        logger.warning("run_batch.vendor_failed", provider=self.provider, method=call.method, status=status)
        emit_provider_error(self.provider, is_ours=status in _OURS)
