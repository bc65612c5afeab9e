"""The requests of a quote, checked as a whole (site/quotes.md). Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import Scope
from tollgate.kit.errors import ForbiddenError, InvalidInputError, PayloadTooLargeError
from tollgate.kit.problems import Problem, one_of, unknown_fields
from tollgate.text.body.request import TextRequest, read_request
from tollgate.text.kinds.table import KINDS
from tollgate.text.models import TextProtocol
from tollgate.text.responses.as_chat import complete_chat, own_names

# The transaction that creates them has two rows for each generation, and DynamoDB accepts 100 rows in one.
MAX_PARTS = 40
# The bodies of generations are stored with the quote. A row has 400 KB, and is written twice.
MAX_STORED_BYTES = 64 * 1024
GENERATION = "/api/v1/generation/create"
# Their paths differ from their names, and a recording cannot be in a quote.
_AUDIO = (TextProtocol.SPEECH, TextProtocol.TRANSCRIPTION)
_PROTOCOLS = {
    "/api/v1/chat/completions": TextProtocol.OPENAI,
    "/api/v1/messages": TextProtocol.ANTHROPIC,
    **{f"/api/v1/{protocol}": protocol for protocol in KINDS if protocol not in _AUDIO},
    "/api/v1/audio/speech": TextProtocol.SPEECH,
}
RESPONSES = "/api/v1/responses"
PATHS = (GENERATION, *_PROTOCOLS, RESPONSES)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a quote: its body, and the text request in it if it is one."""

    pointer: str
    path: str
    body: Mapping[str, Any]
    text: TextRequest | None = None
    origins: Sequence[int] | None = None
    """Of the chat's messages, if the request has the Responses protocol."""

    def own_names(self) -> AbstractContextManager[None]:
        """Name fields in errors by their names in the protocol of the request."""
        return nullcontext() if self.origins is None else own_names(self.origins)


def read_requests(body: Mapping[str, Any], key: ApiKey) -> list[Asked]:
    """Return the checked requests in a body; generations are checked when they are priced.

    Raises `InvalidInputError` with every problem, `PayloadTooLargeError`, and `ForbiddenError` for a request
    that the key may not send.
    """
    sent, problems = body.get("requests"), unknown_fields(body, ["requests"])
    if not isinstance(sent, list) or not 1 <= len(sent) <= MAX_PARTS:
        allowed = f"1 to {MAX_PARTS} objects with path and body"
        problems.append(Problem("/requests", f"Must be a list of {allowed}.", allowed))
        sent = []
    found: list[Asked] = []
    for number, one in enumerate(sent):
        try:
            found.append(_asked(f"/requests/{number}", one))
        except InvalidInputError as exc:
            problems += exc.problems
    if problems:
        raise InvalidInputError(problems)
    check_scopes((one.text is not None for one in found), key)
    if sum(len(stored_body(one.body)) for one in found if one.text is None) > MAX_STORED_BYTES:
        raise PayloadTooLargeError(MAX_STORED_BYTES)
    return found


def check_scopes(are_text: Iterable[bool], key: ApiKey) -> None:
    """Raise `ForbiddenError` unless the key may send requests of these kinds."""
    for scope in sorted({Scope.TEXT if is_text else Scope.MEDIA for is_text in are_text} - key.scopes):
        raise ForbiddenError(f"This API key has no '{scope}' scope.", "Use a key that has this scope.")


def stored_body(body: Mapping[str, Any]) -> str:
    """Return a body as it is stored."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _asked(pointer: str, sent: Any) -> Asked:
    if not isinstance(sent, dict):
        raise InvalidInputError([Problem(pointer, "Must be an object with path and body.")])
    path: Any = sent.get("path")
    body: Any = sent.get("body")
    problems = unknown_fields(sent, ["path", "body"], pointer)
    if path not in PATHS:
        problems.append(one_of(f"{pointer}/path", PATHS))
    if not isinstance(body, dict):
        problems.append(Problem(f"{pointer}/body", "Must be the body of the request, an object."))
    if problems:
        raise InvalidInputError(problems)
    try:
        return Asked(pointer, path, body, *_text(path, body))
    except InvalidInputError as exc:
        raise exc.renamed(
            lambda problem: Problem(f"{pointer}/body{problem.path}", problem.message, problem.allowed)
        ) from exc


def _text(path: str, body: Mapping[str, Any]) -> tuple[TextRequest | None, Sequence[int] | None]:
    if path == GENERATION:
        return None, None
    # The longest of the usual forms of the same body, because its bytes bound its input.
    sent = json.dumps(body).encode()
    if path == RESPONSES:
        return complete_chat(body, len(sent))
    protocol = _PROTOCOLS[path]
    if (kind := KINDS.get(protocol)) is not None:
        return kind.read(sent), None
    return read_request(protocol, sent), None
