"""Media that came inside a request, as data URIs: kept in our storage, under an address.

Source: docs/contract.md#generation.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tollgate.artifacts.sniff import HEAD_BYTES, MediaType, media_type
from tollgate.kit.errors import InvalidInputError, Problem

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

PREFIX = "inputs"
MAX_DEPTH = 4
"""How deep the inputs of the profiles are nested, and one more."""

_DATA_URI = re.compile(r"data:(?:image|video|audio)/[\w.+-]+;base64,", re.IGNORECASE)
_KNOWN = "PNG, JPEG, GIF, WebP, AVIF, MP4, MOV, WebM, MP3, M4A, WAV, FLAC or OGG, base64-encoded"


@dataclass(frozen=True, slots=True)
class KeptFile:
    """Media to keep: where, what it is, and its bytes."""

    key: str
    kind: MediaType
    data: bytes


@dataclass(frozen=True, slots=True)
class InputStore:
    """Keeps media of requests. What is kept under a name never changes: the name is made of its bytes."""

    s3: "S3Client"
    bucket: str
    storage_url: str

    def read(self, account_id: str, body: Mapping[str, Any]) -> tuple[dict[str, Any], list[KeptFile]]:
        """Return a create body with URLs of our storage in the place of the data URIs in its input, and the
        files that `keep` must put there.

        Raises `InvalidInputError` for a data URI that does not hold media of a kind that we store.
        """
        files: list[KeptFile] = []
        problems: list[Problem] = []

        def url_of(path: str, uri: str) -> str:
            data = _decoded(uri)
            kind = None if data is None else media_type(data[:HEAD_BYTES])
            if data is None or kind is None:
                problems.append(Problem(path, "The data URI holds no media that can be read.", _KNOWN))
                return uri
            # The account is part of the name, so that nobody can tell what others sent.
            digest = hashlib.sha256(account_id.encode() + data).hexdigest()
            files.append(KeptFile(f"{PREFIX}/{digest}.{kind.extension}", kind, data))
            return f"{self.storage_url}/{files[-1].key}"

        changed = {**body, "input": _replaced(body.get("input"), "/input", url_of, MAX_DEPTH)}
        if problems:
            raise InvalidInputError(problems)
        return changed if files else dict(body), files

    def keep(self, files: Sequence[KeptFile]) -> None:
        """Put files where their URLs say; a repeat changes nothing."""
        for file in files:
            self.s3.put_object(
                Bucket=self.bucket, Key=file.key, Body=file.data, ContentType=file.kind.content_type
            )


def _replaced(value: Any, path: str, url_of: Callable[[str, str], str], depth: int) -> Any:
    """Return a JSON value with `url_of(path, uri)` in the place of each data URI of media in it."""
    if isinstance(value, str):
        return url_of(path, value) if _DATA_URI.match(value) else value
    if depth == 0:
        return value
    if isinstance(value, list):
        return [_replaced(one, f"{path}/{index}", url_of, depth - 1) for index, one in enumerate(value)]
    if isinstance(value, dict):
        return {name: _replaced(one, f"{path}/{name}", url_of, depth - 1) for name, one in value.items()}
    return value


def _decoded(uri: str) -> bytes | None:
    try:
        return base64.b64decode(uri.partition(",")[2], validate=True)
    except (binascii.Error, ValueError):
        return None
