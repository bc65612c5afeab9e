"""xAI's Batch API.

Source: https://docs.x.ai/developers/advanced-api-usage/batch-api, `xai_sdk.proto.v6.batch_pb2` of the package
xai-sdk 1.21.0 (PyPI) for fields, and litellm 1.110.2 (PyPI) for the same over REST: a file has OpenAI's
lines, a batch has counts instead of a status, and its results come in pages. A time may be a day without a
time. INFERRED: requests that ran before a cancellation are charged. A batch may count its lines while it
still reads them, so it has ended only with all of them.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from tollgate.providers.text.batches.files import (
    FileBatches,
    escaped,
    id_in,
    items_in,
    list_in,
    number_in,
    object_in,
    object_of,
    text_in,
    time_in,
)
from tollgate.text.upstream.exchange import HttpCall, encoded
from tollgate.text.upstream.vendor_batches import Order, VendorBatch

PAGE = 100
RESULTS_PAGE = 1_000
DAY_CHARS, DAY_S = len("2026-11-27"), 24 * 3600


class XaiBatches(FileBatches):
    """xAI's batches. The id of a file of results has the id of the batch and the token of a page."""

    __slots__ = ()
    endpoints: ClassVar[Mapping[str, str]] = {"/chat/completions": "/v1/chat/completions"}
    cancelling: ClassVar[str] = ":cancel"

    def created(self, order: Order) -> Mapping[str, Any]:
        """Return the body that creates a batch."""
        return {"name": order.label, "input_file_id": order.file_id}

    def page(self, after: str | None) -> HttpCall:
        """Return the call that lists batches."""
        return self.call("GET", f"{self.path}?limit={PAGE}{_cursor(after)}")

    def listed(self, body: bytes, after: str | None) -> tuple[list[VendorBatch], str | None]:
        """Return the batches of a page, and the token of the next page."""
        del after
        page = object_in(body)
        found = [self.batch(object_of(each)) for each in items_in(page, "batches")]
        return found, text_in(page, "pagination_token") if found else None

    def batch(self, fields: Mapping[str, Any]) -> VendorBatch:
        """Return a batch."""
        batch_id, state = id_in(fields, "batch_id"), object_of(fields.get("state") or {})
        total, pending = (
            number_in(state, name) if state.get(name) is not None else 0
            for name in ("num_requests", "num_pending")
        )
        is_cancelled = bool(fields.get("cancel_time"))
        created_s = time_in(fields, "create_time")
        if len(str(fields["create_time"])) == DAY_CHARS:
            # The latest time that it can mean.
            created_s += DAY_S - 1
        has_ended = not pending and (total > 0 or is_cancelled)
        return VendorBatch(
            batch_id,
            created_s,
            text_in(fields, "name"),
            has_ended,
            (batch_id,) if has_ended and total else (),
            "cancelled" if is_cancelled else "ended" if has_ended else "in_progress",
            0 if is_cancelled else total,
        )

    def content(self, file_id: str) -> HttpCall:
        """Return the call that reads a page of results."""
        batch_id, _, token = file_id.partition(" ")
        return self.call(
            "GET", f"{self.path}/{escaped(batch_id)}/results?limit={RESULTS_PAGE}{_cursor(token or None)}"
        )

    def answers(self, content: bytes) -> Iterator[tuple[str, bytes]]:
        """Return the name and the body of each answer. The body has the name of its endpoint before it."""
        for each in list_in(object_in(content), "results"):
            try:
                bodies = [*(each["batch_result"].get("response") or {}).values()]
                if not bodies or not isinstance(each["batch_request_id"], str):
                    continue
                body = encoded(bodies[0])
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                # The line is treated as one without an answer.
                continue
            yield each["batch_request_id"], body

    def next_file(self, file_id: str, content: bytes) -> str | None:
        """Return the id of the next page of results, if there is one."""
        page = object_in(content)
        token = text_in(page, "pagination_token") if page.get("results") else None
        return None if token is None else f"{file_id.partition(' ')[0]} {token}"


def _cursor(token: str | None) -> str:
    return "" if token is None else f"&pagination_token={escaped(token)}"
