"""Uploaded files in the shapes of OpenAI's and Anthropic's Files APIs, and their requests. Pure.

Source: https://platform.openai.com/docs/api-reference/files and `openai.types.FileObject`;
https://docs.claude.com/en/api/files-create and `anthropic.types.FileMetadata`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.kit.clock import MS_PER_S, iso
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.query import QueryReader, id_of
from tollgate.kit.problems import Problem, one_of, unknown_fields

DEFAULT_PAGE, MAX_PAGE = 20, 100
"""Files of a page. Each needs a request to S3 for its name."""
LARGEST_LIMIT = 10_000
"""OpenAI's own bound. A page has `MAX_PAGE` files at most, and its clients then read the next one."""
BATCH, OUTPUT = "batch", "batch_output"
PURPOSES = ("user_data", "vision", "assistants", BATCH)
LISTED_PURPOSES = (*PURPOSES, OUTPUT)
ORDERS = ("asc", "desc")
CURSOR = "page_"


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file that was uploaded. `file_id` contains the time of its creation."""

    file_id: str
    name: str
    content_type: str
    size_bytes: int
    purpose: str
    created_at_ms: int
    usable_until_ms: int

    def as_openai(self) -> dict[str, Any]:
        """Return OpenAI's file object."""
        return {
            "id": self.file_id,
            "object": "file",
            "bytes": self.size_bytes,
            "created_at": self.created_at_ms // MS_PER_S,
            "expires_at": self.usable_until_ms // MS_PER_S,
            "filename": self.name,
            "purpose": self.purpose,
            "status": "processed",
            "status_details": None,
        }

    def as_anthropic(self) -> dict[str, Any]:
        """Return Anthropic's file metadata."""
        return {
            "id": self.file_id,
            "type": "file",
            "filename": self.name,
            "mime_type": self.content_type,
            "size_bytes": self.size_bytes,
            "created_at": iso(self.created_at_ms),
            "expires_at": iso(self.usable_until_ms),
            "downloadable": True,
        }


@dataclass(frozen=True, slots=True)
class FilesQuery:
    """A page of files: those after the id `after`, in the order of their creation, of one purpose or all."""

    limit: int
    after: str | None
    oldest_first: bool
    purpose: str | None


def read_files_query(query: Mapping[str, str]) -> FilesQuery:
    """Read the query of a list in either protocol. Raises `InvalidInputError` with every problem."""
    # Anthropic's clients send `beta=true` with each request of its beta API.
    sent = {name: text for name, text in query.items() if name != "beta"}
    reader = QueryReader(sent, ("after", "after_id", "page", "limit", "order", "purpose"))
    limit = reader.limit(DEFAULT_PAGE, LARGEST_LIMIT)
    cursors = [reader.read(name, id_of("file"), None, "Not a file's id.") for name in ("after", "after_id")]
    cursors.append(reader.read("page", _cursor, None, "Not the next_page of a list."))
    order = reader.one_of("order", ORDERS, "desc")
    purpose = reader.one_of("purpose", LISTED_PURPOSES, None)
    reader.finish()
    after = next((one for one in cursors if one is not None), None)
    return FilesQuery(min(limit, MAX_PAGE), after, order == "asc", purpose)


def files_page(files: Iterable[UploadedFile], *, has_more: bool, as_anthropic: bool) -> dict[str, Any]:
    """Return a list of files in the shape of either protocol."""
    shown = [each.as_anthropic() if as_anthropic else each.as_openai() for each in files]
    first_id, last_id = (shown[0]["id"], shown[-1]["id"]) if shown else (None, None)
    page = {"data": shown, "first_id": first_id, "last_id": last_id, "has_more": has_more}
    if as_anthropic:
        return {**page, "next_page": f"{CURSOR}{last_id}" if has_more else None}
    return {"object": "list", **page}


def read_upload_fields(fields: Mapping[str, str], lifetime_s: int, batch_lifetime_s: int) -> str:
    """Return the purpose of an upload from the texts of its form.

    A form in Anthropic's protocol has none. Raises `InvalidInputError` with every problem. A lifetime other
    than `lifetime_s` seconds, or `batch_lifetime_s` for a batch, is refused.
    """
    lifetimes = ("expires_after[seconds]", "expires_in_seconds")
    problems = unknown_fields(fields, ("purpose", "expires_after[anchor]", *lifetimes))
    purpose = fields.get("purpose", PURPOSES[0])
    if purpose not in PURPOSES:
        problems.append(Problem("/purpose", "Files with this purpose cannot be used here.", list(PURPOSES)))
    lifetime_s = batch_lifetime_s if purpose == BATCH else lifetime_s
    if fields.get("expires_after[anchor]") not in (None, "created_at"):
        problems.append(one_of("/expires_after/anchor", ["created_at"]))
    for name in lifetimes:
        if fields.get(name) not in (None, str(lifetime_s)):
            path = f"/{name.replace('[', '/').removesuffix(']')}"
            problems.append(Problem(path, f"Each file expires after {lifetime_s} seconds.", [lifetime_s]))
    if problems:
        raise InvalidInputError(problems)
    return purpose


def _cursor(text: str) -> str:
    return id_of("file")(text.removeprefix(CURSOR))
