"""Mistral AI's batch jobs.

Source: `mistralai.client.models` of the package mistralai 3.7.0 (PyPI): `CreateBatchJobRequest`, `BatchJob`,
`BatchJobStatus`, `ListBatchJobsResponse`, `JobsAPIRoutesBatchGetBatchJobsRequest`; and
https://docs.mistral.ai/capabilities/batch for lines: up to a million, of one model. Results have OpenAI's
form (litellm 1.110.2, PyPI). INFERRED: answers before a cancellation or the time-out are in the file of
results, and are charged.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from tollgate.providers.text.batches.files import (
    LABEL,
    FileBatches,
    items_in,
    number_in,
    object_in,
    object_of,
    with_body,
)
from tollgate.text.upstream.exchange import HttpCall
from tollgate.text.upstream.vendor_batches import Order, VendorBatch

WINDOW_HOURS = 24
PAGE = 100


class MistralBatches(FileBatches):
    """Mistral's batch jobs."""

    __slots__ = ()
    ended: ClassVar[frozenset[str]] = frozenset({"SUCCESS", "FAILED", "TIMEOUT_EXCEEDED", "CANCELLED"})
    results: ClassVar[tuple[str, ...]] = ("output_file", "error_file")
    endpoints: ClassVar[Mapping[str, str]] = {
        path: f"/v1{path}" for path in ("/chat/completions", "/embeddings")
    }
    path: ClassVar[str] = "/batch/jobs"

    def line(self, name: str, endpoint: str, body: bytes) -> bytes:
        """Return a line of an input."""
        del endpoint
        return with_body({"custom_id": name}, "body", body)

    def created(self, order: Order) -> Mapping[str, Any]:
        """Return the body that creates a job."""
        return {
            "input_files": [order.file_id],
            "endpoint": order.endpoint,
            "model": order.model,
            "metadata": {LABEL: order.label},
            "timeout_hours": WINDOW_HOURS,
        }

    def page(self, after: str | None) -> HttpCall:
        """Return the call that lists jobs, the newest first."""
        return self.call("GET", f"{self.path}?page={after or 0}&page_size={PAGE}&order_by=-created")

    def listed(self, body: bytes, after: str | None) -> tuple[list[VendorBatch], str | None]:
        """Return the jobs of a page, and the number of the next page."""
        page, number = object_in(body), int(after or 0)
        data = items_in(page, "data")
        has_more = bool(data) and (number + 1) * PAGE < number_in(page, "total")
        return [self.batch(object_of(each)) for each in data], str(number + 1) if has_more else None
