"""OpenAI's Batch API.

Source: `openai.types.batch`, `batch_create_params`, `file_create_params` and `file_object` of the package
openai 3.57.0 (PyPI), and https://platform.openai.com/docs/guides/batch for the lines of files. A batch has
the requests of one model and one endpoint. The order of its results is not that of its input. It has no
idempotency key, but metadata.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from tollgate.providers.text.openai_compatible.facts import CHAT_PATH, EMBEDDINGS_PATH, RESPONSES_PATH
from tollgate.text.upstream import HttpCall, encoded
from tollgate.text.vendor_batches import UnreadableBatchError, VendorBatch

FILES_PATH, BATCHES_PATH = "/files", "/batches"
# The endpoints of batches that we use have the version before the path.
VERSION = "/v1"
PATHS = (CHAT_PATH, RESPONSES_PATH, EMBEDDINGS_PATH)
WINDOW = "24h"
# Files are needed for the time of a batch and some hours more.
FILE_SECONDS = 2 * 24 * 3600
PAGE = 100
LABEL = "tollgate_parcel"
ENDED = frozenset({"failed", "completed", "expired", "cancelled"})
_OK = 200
_MAX_ID_CHARS = 100


@dataclass(frozen=True, slots=True)
class OpenAiBatches:
    """The batch API at `base_url`, with one key. See `BatchApi`."""

    base_url: str
    key: str = field(repr=False)

    def endpoint(self, call: HttpCall) -> str | None:
        """Return the endpoint of a call; `None` if batches have no such endpoint."""
        path = call.url.removeprefix(self.base_url)
        return f"{VERSION}{path}" if path in PATHS else None

    def line(self, name: str, endpoint: str, body: bytes) -> bytes:
        """Return a line of an input."""
        head = json.dumps({"custom_id": name, "method": "POST", "url": endpoint})
        return b'%b, "body": %b}' % (head.encode()[:-1], body.replace(b"\n", b" ").replace(b"\r", b" "))

    def upload(self, name: str, lines: bytes) -> HttpCall:
        """Return the call that stores the lines of an input."""
        fields = {
            "purpose": "batch",
            "expires_after[anchor]": "created_at",
            "expires_after[seconds]": str(FILE_SECONDS),
        }
        # Nothing that is sent contains the hash of all of it, so the file cannot end its part.
        boundary = sha256(name.encode() + lines).hexdigest()
        head = f"--{boundary}\r\nContent-Disposition: form-data; name="
        pieces = [f'{head}"{each}"\r\n\r\n{value}\r\n'.encode() for each, value in fields.items()]
        named = f'{head}"file"; filename="{name}.jsonl"\r\nContent-Type: application/jsonl\r\n\r\n'
        body = b"".join([*pieces, named.encode(), lines, f"\r\n--{boundary}--\r\n".encode()])
        return self._call("POST", FILES_PATH, body, f"multipart/form-data; boundary={boundary}")

    def file_id(self, body: bytes) -> str:
        """Return the id of the stored input."""
        return _id_in(_object(body))

    def create(self, file_id: str, endpoint: str, label: str) -> HttpCall:
        """Return the call that creates a batch."""
        asked = {
            "input_file_id": file_id,
            "endpoint": endpoint,
            "completion_window": WINDOW,
            "metadata": {LABEL: label},
            "output_expires_after": {"anchor": "created_at", "seconds": FILE_SECONDS},
        }
        return self._call("POST", BATCHES_PATH, encoded(asked))

    def page(self, after: str | None) -> HttpCall:
        """Return the call that lists the batches, the newest first."""
        cursor = "" if after is None else f"&after={quote(after, safe='')}"
        return self._call("GET", f"{BATCHES_PATH}?limit={PAGE}{cursor}")

    def listed(self, body: bytes) -> tuple[list[VendorBatch], bool]:
        """Return the batches of a page, and whether there are more."""
        page = _object(body)
        data = page.get("data")
        if not isinstance(data, list):
            raise UnreadableBatchError("a list without data")
        return [_batch(each) for each in data], page.get("has_more") is True

    def get(self, batch_id: str) -> HttpCall:
        """Return the call that reads a batch."""
        return self._call("GET", f"{BATCHES_PATH}/{quote(batch_id, safe='')}")

    def cancel(self, batch_id: str) -> HttpCall:
        """Return the call that cancels a batch."""
        return self._call("POST", f"{BATCHES_PATH}/{quote(batch_id, safe='')}/cancel")

    def read(self, body: bytes) -> VendorBatch:
        """Return the batch in an answer."""
        return _batch(_object(body))

    def content(self, file_id: str) -> HttpCall:
        """Return the call that reads a file of results."""
        return self._call("GET", f"{FILES_PATH}/{quote(file_id, safe='')}/content")

    def answers(self, content: bytes) -> Iterator[tuple[str, bytes]]:
        """Return the name and the body of each line that was answered with 200."""
        for text in content.split(b"\n"):
            if not text.strip():
                continue
            try:
                line = json.loads(text)
                response = line["response"]
                if (
                    response is None
                    or response["status_code"] != _OK
                    or not isinstance(line["custom_id"], str)
                ):
                    continue
                body = encoded(response["body"])
            except (ValueError, KeyError, TypeError, RecursionError):
                # The line is treated as one without an answer.
                continue
            yield line["custom_id"], body

    def _call(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> HttpCall:
        headers = {"authorization": f"Bearer {self.key}"}
        headers |= {"content-type": kind} if method == "POST" else {}
        return HttpCall(method, f"{self.base_url}{path}", headers, body)


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise UnreadableBatchError("not JSON") from exc
    if not isinstance(found, dict):
        raise UnreadableBatchError("not an object")
    return found


def _id_in(fields: Mapping[str, Any], name: str = "id") -> str:
    found = fields.get(name)
    if not isinstance(found, str) or not 0 < len(found) <= _MAX_ID_CHARS:
        raise UnreadableBatchError(f"no {name}")
    return found


def _batch(fields: Any) -> VendorBatch:
    if not isinstance(fields, dict):
        raise UnreadableBatchError("a batch is no object")
    status, created_s = fields.get("status"), fields.get("created_at")
    if not isinstance(status, str) or not isinstance(created_s, int):
        raise UnreadableBatchError("a batch without a status")
    names = ("output_file_id", "error_file_id")
    label = (fields.get("metadata") or {}).get(LABEL)
    return VendorBatch(
        _id_in(fields),
        created_s,
        label if isinstance(label, str) else None,
        status in ENDED,
        tuple(_id_in(fields, name) for name in names if fields.get(name)),
        status[:_MAX_ID_CHARS],
    )
