"""Batches of the Gemini API.

Source: https://ai.google.dev/api/batch-mode and `google.genai.batches`, `files` and `types` of the package
google-genai 3.6.1 (PyPI) for calls, `displayName` and states; the discovery document of
generativelanguage.googleapis.com (`media.upload`) for uploads in one call. A file of at most 2 GB may have
OpenAI's lines, and its results have them too (https://ai.google.dev/gemini-api/docs/openai#batch, litellm
1.110.2). The counts in such results have other names than in a chat, and `completionTokens` lacks
thinking, as in Google's chats (litellm 1.110.2). Google deletes files after 48 hours. INFERRED: answers
before a cancellation are not in a file, and may be charged to us.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, ClassVar

from tollgate.providers.text.batches.files import (
    JSON,
    FileBatches,
    escaped,
    id_in,
    items_in,
    object_in,
    object_of,
    text_in,
    time_in,
)
from tollgate.text.upstream.exchange import HttpCall, encoded
from tollgate.text.upstream.vendor_batches import Order, VendorBatch

KEY_HEADER = "x-goog-api-key"
# Batches and files have Google's own protocol, above OpenAI's.
COMPATIBLE_PATH = "/openai"
PAGE = 100
ENDED = frozenset({"SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED", "PARTIALLY_SUCCEEDED"})
_STATES = ("BATCH_STATE_", "JOB_STATE_")
_COUNTS = {
    "promptTokens": "prompt_tokens",
    "completionTokens": "completion_tokens",
    "totalTokens": "total_tokens",
    "promptTokensDetails": "prompt_tokens_details",
    "cachedTokens": "cached_tokens",
}


class GoogleBatches(FileBatches):
    """Batches of the Gemini API. `base_url` is the address of OpenAI's protocol there."""

    __slots__ = ()
    endpoints: ClassVar[Mapping[str, str]] = {"/chat/completions": "/v1/chat/completions"}
    cancelling: ClassVar[str] = ":cancel"

    def upload(self, name: str, lines: Sequence[bytes]) -> HttpCall:
        """Return the call that stores the lines of an input."""
        data = b"\n".join(lines)
        boundary = sha256(name.encode() + data).hexdigest()
        told = encoded({"file": {"displayName": name, "mimeType": "application/jsonl"}})
        head = f"--{boundary}\r\nContent-Type: "
        body = b"".join(
            [
                *(f"{head}{JSON}\r\n\r\n".encode(), told),
                *(f"\r\n{head}application/jsonl\r\n\r\n".encode(), data),
                f"\r\n--{boundary}--\r\n".encode(),
            ]
        )
        kind = f"multipart/related; boundary={boundary}"
        return self._media("POST", "upload", "/files?uploadType=multipart", body, kind)

    def file_id(self, body: bytes) -> str:
        """Return the name of the stored input, such as `files/abc`."""
        return id_in(object_of(object_in(body).get("file")), "name")

    def create(self, order: Order) -> HttpCall:
        """Return the call that creates a batch."""
        path = f"/models/{escaped(order.model)}:batchGenerateContent"
        return self.call("POST", path, encoded(self.created(order)))

    def created(self, order: Order) -> Mapping[str, Any]:
        """Return the body that creates a batch."""
        return {"batch": {"displayName": order.label, "inputConfig": {"fileName": order.file_id}}}

    def page(self, after: str | None) -> HttpCall:
        """Return the call that lists batches."""
        cursor = "" if after is None else f"&pageToken={escaped(after)}"
        return self.call("GET", f"{self.path}?pageSize={PAGE}{cursor}")

    def listed(self, body: bytes, after: str | None) -> tuple[list[VendorBatch], str | None]:
        """Return the batches of a page, and the token of the next page."""
        del after
        page = object_in(body)
        return [self.batch(object_of(each)) for each in items_in(page, "operations")], text_in(
            page, "nextPageToken"
        )

    def get(self, batch_id: str) -> HttpCall:
        """Return the call that reads a batch."""
        return self.call("GET", f"/{_resource(batch_id)}")

    def cancel(self, batch_id: str) -> HttpCall:
        """Return the call that cancels a batch."""
        return self.call("POST", f"/{_resource(batch_id)}{self.cancelling}")

    def batch(self, fields: Mapping[str, Any]) -> VendorBatch:
        """Return a batch, which is an operation."""
        told = object_of(fields.get("metadata"))
        state = id_in(told, "state")
        for prefix in _STATES:
            state = state.removeprefix(prefix)
        output = told.get("output") or fields.get("response")
        file_id = text_in(output, "responsesFile")
        return VendorBatch(
            id_in(fields, "name"),
            time_in(told, "createTime"),
            text_in(told, "displayName"),
            state in ENDED,
            () if file_id is None else (file_id,),
            state,
        )

    def content(self, file_id: str) -> HttpCall:
        """Return the call that reads a file of results."""
        return self._media("GET", "download", f"/{_resource(file_id)}:download?alt=media")

    def answer(self, line: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
        """Return the name and the body in a line of results, with OpenAI's names of counts."""
        found = FileBatches.answer(self, line)
        return found and (found[0], {**found[1], "usage": _renamed(found[1].get("usage"))})

    def call(self, method: str, path: str, body: bytes = b"", kind: str = JSON) -> HttpCall:
        """Return a call with our key."""
        headers = {KEY_HEADER: self.key} | ({"content-type": kind} if method == "POST" else {})
        return HttpCall(method, f"{self._root}{path}", headers, body)

    def _media(self, method: str, way: str, path: str, body: bytes = b"", kind: str = JSON) -> HttpCall:
        """Return a call for the bytes of a file. Its path has the way before the version."""
        host, _, version = self._root.rpartition("/")
        return replace(self.call(method, "", body, kind), url=f"{host}/{way}/{version}{path}")

    @property
    def _root(self) -> str:
        return self.base_url.removesuffix(COMPATIBLE_PATH)


def _resource(name: str) -> str:
    """Return the name of a batch or a file as a path."""
    kind, _, rest = name.partition("/")
    return f"{escaped(kind)}/{escaped(rest)}"


def _renamed(usage: Any) -> Any:
    if not isinstance(usage, dict):
        return usage
    return {_COUNTS.get(name, name): _renamed(value) for name, value in usage.items()}
