"""Anthropic's Message Batches.

Source: `anthropic.types.messages` of the package anthropic 2.14.0 (PyPI): `message_batch`,
`batch_create_params`, `batch_list_params`, `message_batch_individual_response`; and
https://platform.claude.com/docs/en/build-with-claude/batch-processing: 100,000 requests, 256 MB, an end
after 24 hours, and no charge for requests that were not answered. The create has the requests. A batch has
neither a label nor an idempotency key, but the results have our names of lines (1 to 64 letters, digits, `_`
and `-`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tollgate.providers.text.anthropic.facts import BETA_HEADER, MESSAGES_PATH, VERSION, VERSION_HEADER
from tollgate.providers.text.batches.files import (
    JSON,
    answers_in,
    escaped,
    id_in,
    number_in,
    object_in,
    object_of,
    page_by_last_id,
    time_in,
    with_body,
)
from tollgate.text.upstream.exchange import HttpCall
from tollgate.text.upstream.vendor_batches import Order, UnreadableBatchError, VendorBatch

PATH = f"{MESSAGES_PATH}/batches"
PAGE = 100
ENDED = "ended"
SUCCEEDED = "succeeded"
COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")


@dataclass(frozen=True, slots=True)
class AnthropicBatches:
    """The batch API at `base_url`, with one key. See `BatchApi`.

    The endpoint of a line has the version and the betas of its request, because a batch has one header for
    all.
    """

    base_url: str
    key: str = field(repr=False)

    stores_lines: ClassVar[bool] = False
    has_labels: ClassVar[bool] = False

    def endpoint(self, call: HttpCall) -> str | None:
        """Return the endpoint of a call; `None` if batches have no such endpoint."""
        if call.url != f"{self.base_url}{MESSAGES_PATH}":
            return None
        asked = (call.headers[VERSION_HEADER], call.headers.get(BETA_HEADER, ""))
        return " ".join((MESSAGES_PATH, *asked)).strip()

    def line(self, name: str, endpoint: str, body: bytes) -> bytes:
        """Return a request of a create."""
        del endpoint
        return with_body({"custom_id": name}, "params", body)

    def upload(self, name: str, lines: Sequence[bytes]) -> HttpCall:
        """Raise `NotImplementedError`: no lines are stored."""
        raise NotImplementedError

    def file_id(self, body: bytes) -> str:
        """Raise `NotImplementedError`: no lines are stored."""
        raise NotImplementedError

    def create(self, order: Order) -> HttpCall:
        """Return the call that creates a batch."""
        body = b'{"requests": [%b]}' % b",".join(order.lines)
        version, _, betas = order.endpoint.partition(" ")[2].partition(" ")
        return self._call("POST", PATH, body, version, betas)

    def page(self, after: str | None) -> HttpCall:
        """Return the call that lists batches, the newest first."""
        cursor = "" if after is None else f"&after_id={escaped(after)}"
        return self._call("GET", f"{PATH}?limit={PAGE}{cursor}")

    def listed(self, body: bytes, after: str | None) -> tuple[list[VendorBatch], str | None]:
        """Return the batches of a page, and the last id as the name of the next page."""
        del after
        return page_by_last_id(body, _batch)

    def get(self, batch_id: str) -> HttpCall:
        """Return the call that reads a batch."""
        return self._call("GET", f"{PATH}/{escaped(batch_id)}")

    def cancel(self, batch_id: str) -> HttpCall:
        """Return the call that cancels a batch."""
        return self._call("POST", f"{PATH}/{escaped(batch_id)}/cancel")

    def read(self, body: bytes) -> VendorBatch:
        """Return the batch in an answer."""
        return _batch(object_in(body))

    def content(self, file_id: str) -> HttpCall:
        """Return the call that reads the results of a batch. The file has the id of the batch."""
        return self._call("GET", f"{PATH}/{escaped(file_id)}/results")

    def answers(self, content: bytes) -> Iterator[tuple[str, bytes]]:
        """Return the name and the message of each line that succeeded."""
        return answers_in(content, _answer)

    def next_file(self, file_id: str, content: bytes) -> str | None:
        """Return nothing: a file is whole."""
        del file_id, content
        return None

    def name_in(self, line: bytes) -> str:
        """Return the name in a line of results."""
        return id_in(object_in(line), "custom_id")

    def _call(
        self, method: str, path: str, body: bytes = b"", version: str = VERSION, betas: str = ""
    ) -> HttpCall:
        headers = {"x-api-key": self.key, VERSION_HEADER: version}
        headers |= {"content-type": JSON} if method == "POST" else {}
        return HttpCall(
            method, f"{self.base_url}{path}", headers | ({BETA_HEADER: betas} if betas else {}), body
        )


def _answer(line: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    result = line["result"]
    return (line["custom_id"], result["message"]) if result["type"] == SUCCEEDED else None


def _batch(fields: Mapping[str, Any]) -> VendorBatch:
    batch_id, status = id_in(fields), id_in(fields, "processing_status")
    if fields.get("type") != "message_batch":
        raise UnreadableBatchError("no batch")
    counts = object_of(fields.get("request_counts"))
    has_ended = status == ENDED
    return VendorBatch(
        batch_id,
        time_in(fields, "created_at"),
        None,
        has_ended,
        (batch_id,) if has_ended and fields.get("results_url") else (),
        status,
        sum(number_in(counts, name) for name in COUNTS),
    )
