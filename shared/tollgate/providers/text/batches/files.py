"""The form of most vendors' batch APIs: a file of lines, a batch of it, and files of results.

It is OpenAI's, whose file formats most others took over. A vendor's class has its paths, its status words and
the names of its fields.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, ClassVar
from urllib.parse import quote

from tollgate.text.upstream.exchange import HttpCall, encoded
from tollgate.text.upstream.vendor_batches import Order, UnreadableBatchError, VendorBatch

FILES_PATH = "/files"
# The name of our label, if a vendor has labels with names.
LABEL = "tollgate_parcel"
# Of an id, and of a status word.
MAX_ID_CHARS = 200
JSON = "application/json"
_OK = 200


@dataclass(frozen=True, slots=True)
class FileBatches(ABC):
    """The batch API at `base_url`, with one key. See `BatchApi`.

    `endpoints` are the paths of requests that batches may have, with their names in a batch. `path` is the
    path of batches, and `cancelling` is the end of the path that cancels one. `form` has the fields of an
    upload, `ended` the status words of a batch that has ended, and `results` the fields with its files.
    """

    base_url: str
    key: str = field(repr=False)

    stores_lines: ClassVar[bool] = True
    has_labels: ClassVar[bool] = True
    endpoints: ClassVar[Mapping[str, str]]
    path: ClassVar[str] = "/batches"
    cancelling: ClassVar[str] = "/cancel"
    form: ClassVar[Mapping[str, str]] = {"purpose": "batch"}
    ended: ClassVar[frozenset[str]]
    results: ClassVar[tuple[str, ...]] = ("output_file_id", "error_file_id")

    def endpoint(self, call: HttpCall) -> str | None:
        """Return the endpoint of a call; `None` if batches have no such endpoint."""
        return self.endpoints.get(call.url.removeprefix(self.base_url))

    def line(self, name: str, endpoint: str, body: bytes) -> bytes:
        """Return a line of an input."""
        return with_body({"custom_id": name, "method": "POST", "url": endpoint}, "body", body)

    def upload(self, name: str, lines: Sequence[bytes]) -> HttpCall:
        """Return the call that stores the lines of an input."""
        data = b"\n".join(lines)
        # Nothing that is sent contains the hash of all of it, so the file cannot end its part.
        boundary = sha256(name.encode() + data).hexdigest()
        head = f"--{boundary}\r\nContent-Disposition: form-data; name="
        pieces = [f'{head}"{each}"\r\n\r\n{value}\r\n'.encode() for each, value in self.form.items()]
        named = f'{head}"file"; filename="{name}.jsonl"\r\nContent-Type: application/jsonl\r\n\r\n'
        body = b"".join([*pieces, named.encode(), data, f"\r\n--{boundary}--\r\n".encode()])
        return self.call("POST", FILES_PATH, body, f"multipart/form-data; boundary={boundary}")

    def file_id(self, body: bytes) -> str:
        """Return the id of the stored input."""
        return id_in(object_in(body))

    def create(self, order: Order) -> HttpCall:
        """Return the call that creates a batch."""
        return self.call("POST", self.path, encoded(self.created(order)))

    @abstractmethod
    def created(self, order: Order) -> Mapping[str, Any]:
        """Return the body that creates a batch."""

    @abstractmethod
    def page(self, after: str | None) -> HttpCall:
        """Return the call that lists batches."""

    @abstractmethod
    def listed(self, body: bytes, after: str | None) -> tuple[list[VendorBatch], str | None]:
        """Return the batches of a page, and the name of the next page."""

    def get(self, batch_id: str) -> HttpCall:
        """Return the call that reads a batch."""
        return self.call("GET", f"{self.path}/{escaped(batch_id)}")

    def cancel(self, batch_id: str) -> HttpCall:
        """Return the call that cancels a batch."""
        return self.call("POST", f"{self.path}/{escaped(batch_id)}{self.cancelling}")

    def read(self, body: bytes) -> VendorBatch:
        """Return the batch in an answer."""
        return self.batch(object_in(body))

    def batch(self, fields: Mapping[str, Any]) -> VendorBatch:
        """Return a batch in the vendor's form. Raises `UnreadableBatchError`."""
        status = id_in(fields, "status")
        return VendorBatch(
            id_in(fields),
            number_in(fields, "created_at"),
            text_in(fields.get("metadata"), LABEL),
            status in self.ended,
            tuple(id_in(fields, name) for name in self.results if fields.get(name)),
            status,
        )

    def content(self, file_id: str) -> HttpCall:
        """Return the call that reads a file of results."""
        return self.call("GET", f"{FILES_PATH}/{escaped(file_id)}/content")

    def answers(self, content: bytes) -> Iterator[tuple[str, bytes]]:
        """Return the name and the body of each line that was answered with 200."""
        return answers_in(content, self.answer)

    def answer(self, line: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
        """Return the name and the body in a line of results, if it is an answer."""
        response = line["response"]
        is_answer = response is not None and response["status_code"] == _OK
        return (line["custom_id"], response["body"]) if is_answer else None

    def next_file(self, file_id: str, content: bytes) -> str | None:
        """Return nothing: a file is whole."""
        del file_id, content
        return None

    def name_in(self, line: bytes) -> str:
        """Return the name in a line of a file of results."""
        return id_in(object_in(line), "custom_id")

    def call(self, method: str, path: str, body: bytes = b"", kind: str = JSON) -> HttpCall:
        """Return a call with our key."""
        headers = self.keyed() | ({"content-type": kind} if method == "POST" else {})
        return HttpCall(method, f"{self.base_url}{path}", headers, body)

    def keyed(self) -> dict[str, str]:
        """Return the headers with our key."""
        return {"authorization": f"Bearer {self.key}"}


def with_body(fields: Mapping[str, Any], name: str, body: bytes) -> bytes:
    """Return one line of JSON: the fields, and a body that is JSON already."""
    head = json.dumps({**fields, name: None}).encode().removesuffix(b"null}")
    return b"%b%b}" % (head, body.replace(b"\n", b" ").replace(b"\r", b" "))


def answers_in(
    content: bytes, answer: Callable[[Mapping[str, Any]], tuple[str, Mapping[str, Any]] | None]
) -> Iterator[tuple[str, bytes]]:
    """Return the name and the body of each line for which `answer` returns them."""
    for text in content.split(b"\n"):
        if not text.strip():
            continue
        try:
            found = answer(json.loads(text))
            if found is None or not isinstance(found[0], str):
                continue
            body = encoded(found[1])
        except (ValueError, KeyError, TypeError, RecursionError):
            # The line is treated as one without an answer.
            continue
        yield found[0], body


def page_by_last_id(
    body: bytes, batch: Callable[[Mapping[str, Any]], VendorBatch]
) -> tuple[list[VendorBatch], str | None]:
    """Return the batches of a page, and the last id as the name of the next page.

    OpenAI and Anthropic list in this form. Raises `UnreadableBatchError`.
    """
    page = object_in(body)
    found = [batch(object_of(each)) for each in list_in(page, "data")]
    return found, found[-1].id if found and page.get("has_more") is True else None


def object_in(body: bytes) -> dict[str, Any]:
    """Return a JSON object. Raises `UnreadableBatchError`."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise UnreadableBatchError("not JSON") from exc
    return object_of(found)


def object_of(found: Any) -> dict[str, Any]:
    """Return an object. Raises `UnreadableBatchError`."""
    if not isinstance(found, dict):
        raise UnreadableBatchError("not an object")
    return found


def list_in(fields: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list. Raises `UnreadableBatchError`."""
    found = fields.get(name)
    if not isinstance(found, list):
        raise UnreadableBatchError(f"no list {name}")
    return found


def items_in(fields: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list that an empty page lacks. Raises `UnreadableBatchError`."""
    return [] if fields.get(name) is None else list_in(fields, name)


def id_in(fields: Mapping[str, Any], name: str = "id") -> str:
    """Return an id. Raises `UnreadableBatchError`."""
    found = fields.get(name)
    if not isinstance(found, str) or not 0 < len(found) <= MAX_ID_CHARS:
        raise UnreadableBatchError(f"no {name}")
    return found


def number_in(fields: Mapping[str, Any], name: str) -> int:
    """Return a whole number. Raises `UnreadableBatchError`."""
    found = fields.get(name)
    if not isinstance(found, int):
        raise UnreadableBatchError(f"no number {name}")
    return found


def text_in(fields: object, name: str) -> str | None:
    """Return a text of an object, if there is one."""
    found = fields.get(name) if isinstance(fields, dict) else None
    return found if isinstance(found, str) and found else None


def time_in(fields: Mapping[str, Any], name: str) -> int:
    """Return a time in RFC 3339 in epoch seconds. Raises `UnreadableBatchError`."""
    try:
        found = datetime.fromisoformat(id_in(fields, name))
    except ValueError as exc:
        raise UnreadableBatchError(f"no time {name}") from exc
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())


def escaped(text: str) -> str:
    """Return a text as a part of a path or a query."""
    return quote(text, safe="")
