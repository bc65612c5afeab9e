"""The bodies and queries of batches, in both protocols. Pure.

Source: `openai.types.batch_create_params`, `anthropic.types.messages.batch_create_params` and the parameters
of both lists.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.batches.lines import encoded_requests
from tollgate.batches.models import WINDOW, Kind
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.query import QueryReader
from tollgate.kit.ids import is_id
from tollgate.kit.problems import Problem, one_of, unknown_fields
from tollgate.text.body.json_body import read_json_body
from tollgate.text.models import TextProtocol
from tollgate.text.responses.metadata import metadata_of

RESPONSES, COMPLETIONS, MESSAGES = "/v1/responses", "/v1/completions", "/v1/messages"
ENDPOINTS = {
    "/v1/chat/completions": TextProtocol.OPENAI,
    RESPONSES: TextProtocol.OPENAI,
    "/v1/embeddings": TextProtocol.EMBEDDINGS,
    COMPLETIONS: TextProtocol.OPENAI,
    "/v1/moderations": TextProtocol.MODERATIONS,
    "/v1/rerank": TextProtocol.RERANK,
}
"""The endpoints of a batch in OpenAI's protocol, and how their lines are read."""
FILE_LIFETIME_S = 7 * 24 * 3600
DEFAULT_PAGE = 20
# Each page is one read of the table. Anthropic takes up to 1,000, and its clients then read the next page.
MAX_PAGE = 100
LARGEST_LIMIT = {Kind.OPENAI: 100, Kind.ANTHROPIC: 1000}
_FIELDS = ("input_file_id", "endpoint", "completion_window", "metadata", "output_expires_after")


@dataclass(frozen=True, slots=True)
class OpenAICreate:
    """The request for a batch in OpenAI's protocol."""

    input_file_id: str
    endpoint: str
    metadata: dict[str, str]


@dataclass(frozen=True, slots=True)
class BatchQuery:
    """A page of batches, the newest first: those before the id `after`, or those after the id `before`."""

    limit: int
    after: str | None
    before: str | None


def read_openai_create(body: bytes) -> OpenAICreate:
    """Return the request in `body`. Raises `InvalidInputError` with every problem."""
    fields = read_json_body(body).fields
    problems = unknown_fields(fields, _FIELDS)
    file_id = fields.get("input_file_id")
    if not isinstance(file_id, str) or not is_id("file", file_id):
        problems.append(Problem("/input_file_id", "Must be the id of a file with the purpose batch."))
    if fields.get("endpoint") not in (endpoints := tuple(ENDPOINTS)):
        problems.append(one_of("/endpoint", endpoints))
    if fields.get("completion_window") != WINDOW:
        problems.append(one_of("/completion_window", [WINDOW]))
    expiry = fields.get("output_expires_after")
    if expiry not in (None, {"anchor": "created_at", "seconds": FILE_LIFETIME_S}):
        message = f"Files of results expire {FILE_LIFETIME_S} seconds after their creation."
        problems.append(Problem("/output_expires_after", message, [FILE_LIFETIME_S]))
    if problems:
        raise InvalidInputError(problems)
    return OpenAICreate(str(file_id), fields["endpoint"], metadata_of(fields.get("metadata")))


def read_anthropic_create(body: bytes) -> bytes:
    """Return the lines of the requests in `body`. Raises `InvalidInputError` with every problem."""
    fields = read_json_body(body).fields
    if problems := unknown_fields(fields, ("requests",)):
        raise InvalidInputError(problems)
    return encoded_requests(fields.get("requests"))


def read_batch_query(query: Mapping[str, str], kind: Kind) -> BatchQuery:
    """Return the page that a query names. Raises `InvalidInputError` with every problem."""
    most = LARGEST_LIMIT[kind]
    # Anthropic's clients send `beta=true` with each request of its beta API.
    sent = {name: text for name, text in query.items() if name != "beta"}
    names = ("after",) if kind is Kind.OPENAI else ("after_id", "before_id")
    reader = QueryReader(sent, (*names, "limit"))
    limit = reader.limit(DEFAULT_PAGE, most)
    cursors = [reader.read(name, _id_reader(kind), None, "Not a batch's id.") for name in names]
    reader.finish()
    after, before = (*cursors, None)[:2]
    return BatchQuery(min(limit, MAX_PAGE), after, before)


def _id_reader(kind: Kind) -> Any:
    def reader(text: str) -> str:
        if not is_id(kind.prefix, text):
            raise ValueError(text)
        return text

    return reader
