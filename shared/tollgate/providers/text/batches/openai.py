"""OpenAI's Batch API.

Source: `openai.types.batch`, `batch_create_params`, `file_create_params` and `file_object` of the package
openai 3.57.0 (PyPI), and https://platform.openai.com/docs/guides/batch for the lines of files. A batch has
the requests of one model and one endpoint: 50,000, 200 MB. Its results can have another order than its input.
It has no idempotency key, but metadata.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from tollgate.providers.text.batches.files import LABEL, FileBatches, escaped, page_by_last_id
from tollgate.text.upstream.exchange import HttpCall
from tollgate.text.upstream.vendor_batches import Order, VendorBatch

WINDOW = "24h"
# Files are needed for the time of a batch and some hours more.
FILE_SECONDS = 2 * 24 * 3600
PAGE = 100


class OpenAiBatches(FileBatches):
    """OpenAI's batches."""

    __slots__ = ()
    ended: ClassVar[frozenset[str]] = frozenset({"failed", "completed", "expired", "cancelled"})
    # The endpoints of batches have the version before the path.
    endpoints: ClassVar[Mapping[str, str]] = {
        path: f"/v1{path}" for path in ("/chat/completions", "/responses", "/embeddings")
    }
    form: ClassVar[Mapping[str, str]] = {
        "purpose": "batch",
        "expires_after[anchor]": "created_at",
        "expires_after[seconds]": str(FILE_SECONDS),
    }

    def created(self, order: Order) -> Mapping[str, Any]:
        """Return the body that creates a batch."""
        return {
            "input_file_id": order.file_id,
            "endpoint": order.endpoint,
            "completion_window": WINDOW,
            "metadata": {LABEL: order.label},
            "output_expires_after": {"anchor": "created_at", "seconds": FILE_SECONDS},
        }

    def page(self, after: str | None) -> HttpCall:
        """Return the call that lists batches."""
        cursor = "" if after is None else f"&after={escaped(after)}"
        return self.call("GET", f"{self.path}?limit={PAGE}{cursor}")

    def listed(self, body: bytes, after: str | None) -> tuple[list[VendorBatch], str | None]:
        """Return the batches of a page, and the last id as the name of the next page."""
        del after
        return page_by_last_id(body, self.batch)
