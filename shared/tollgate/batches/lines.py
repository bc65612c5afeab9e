"""The lines of a batch's input, and of its results. Pure.

Source: https://platform.openai.com/docs/guides/batch (`batch_request_input`, `batch_request_output`) and
`anthropic.types.messages.message_batch_individual_response`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.batches.models import MAX_LINE_BYTES, MAX_LINES, Kind
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.text.body.json_body import dumps

# A batch's `errors` lists this many at most.
MAX_ERRORS = 100
MAX_CUSTOM_ID = 512
ANTHROPIC_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_POST = "POST"
FIRST_ERROR = 400

NOT_RUN = {
    "batch_expired": "This request was not run, because the 24 hours of the batch were over.",
    "batch_cancelled": "This request was not run, because the batch was cancelled.",
    "batch_output_full": "This request was not run, because the results of the batch are too large together.",
    "response_lost": "The response was lost after it was charged. The charge was returned.",
}
"""The errors of lines without a response; the first two codes are OpenAI's."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the input: its id at the customer, and the body of its request."""

    custom_id: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a line: an HTTP response, or `code` of `NOT_RUN`."""

    request_id: str
    status: int = 0
    body: bytes = b"null"
    code: str | None = None

    @property
    def is_error(self) -> bool:
        """Return whether it is no answer of the model."""
        return self.code is not None or self.status >= FIRST_ERROR


def split(data: bytes) -> list[bytes]:
    """Return the lines of an input that are not empty."""
    return [line for line in data.split(b"\n") if line.strip()]


def read_line(kind: Kind, text: bytes) -> Line:
    """Return a line that was checked before."""
    found = json.loads(text)
    return Line(found["custom_id"], found["body" if kind is Kind.OPENAI else "params"])


def problems_of(lines: Sequence[bytes], endpoint: str) -> list[dict[str, Any]]:
    """Return the problems of an input in OpenAI's protocol, for the `errors` of its batch."""
    if not lines:
        return [problem("empty_file", "The file has no lines.")]
    if len(lines) > MAX_LINES:
        return [problem("too_many_lines", f"A batch has at most {MAX_LINES} lines.")]
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    for number, text in enumerate(lines, 1):
        found += [{**each, "line": number} for each in _problems_of_line(text, endpoint, seen)]
        if len(found) >= MAX_ERRORS:
            break
    return found[:MAX_ERRORS]


def _problems_of_line(text: bytes, endpoint: str, seen: set[str]) -> Iterator[dict[str, Any]]:
    if len(text) > MAX_LINE_BYTES:
        yield problem("line_too_large", f"A line has at most {MAX_LINE_BYTES} bytes.")
        return
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        line = None
    if not isinstance(line, dict):
        yield problem("invalid_json_line", "This line is not a JSON object.")
        return
    custom_id = line.get("custom_id")
    if not isinstance(custom_id, str) or not 1 <= len(custom_id) <= MAX_CUSTOM_ID:
        yield problem("invalid_request", f"Must be a text of 1 to {MAX_CUSTOM_ID} characters.", "custom_id")
    elif custom_id in seen:
        yield problem("duplicate_custom_id", "Another line has the same custom_id.", "custom_id")
    else:
        seen.add(custom_id)
    if line.get("method") != _POST:
        yield problem("invalid_method", "Must be POST.", "method")
    if line.get("url") != endpoint:
        yield problem("invalid_url", f"Must be the endpoint of the batch, {endpoint}.", "url")
    if not isinstance(line.get("body"), dict):
        yield problem("invalid_request", "Must be an object.", "body")


def problem(code: str, message: str, param: str | None = None) -> dict[str, Any]:
    """Return a problem of an input in the shape of a batch's `errors`."""
    return {"code": code, "message": message, "param": param, "line": None}


def encoded_requests(requests: Any) -> bytes:
    """Return the requests of a body in Anthropic's protocol as lines.

    Raises `InvalidInputError` with every problem.
    """
    if not isinstance(requests, list) or not 1 <= len(requests) <= MAX_LINES:
        allowed = f"1 to {MAX_LINES} requests"
        raise InvalidInputError([Problem("/requests", f"Must be a list of {allowed}.", allowed)])
    problems: list[Problem] = []
    seen: set[str] = set()
    texts = []
    for number, each in enumerate(requests):
        problems += _problems_of_request(each, f"/requests/{number}", seen)
        texts.append(dumps(each).encode())
        if len(texts[-1]) > MAX_LINE_BYTES:
            problems.append(Problem(f"/requests/{number}", f"Has more than {MAX_LINE_BYTES} bytes."))
    if problems:
        raise InvalidInputError(problems[:MAX_ERRORS])
    return b"\n".join(texts)


def _problems_of_request(each: Any, path: str, seen: set[str]) -> Iterator[Problem]:
    if not isinstance(each, dict):
        yield Problem(path, "Must be an object.")
        return
    for name in each.keys() - {"custom_id", "params"}:
        yield Problem(f"{path}/{name}", "Unknown field.", ["custom_id", "params"])
    custom_id = each.get("custom_id")
    if not isinstance(custom_id, str) or not ANTHROPIC_ID.fullmatch(custom_id):
        rule = "1 to 64 letters, digits, _ and -"
        yield Problem(f"{path}/custom_id", f"Must be {rule}.", rule)
    elif custom_id in seen:
        yield Problem(f"{path}/custom_id", "Another request has the same custom_id.")
    else:
        seen.add(custom_id)
    if not isinstance(each.get("params"), dict):
        yield Problem(f"{path}/params", "Must be an object.")


def result_line(kind: Kind, custom_id: str, outcome: Outcome) -> str:
    """Return the result of a line as JSON."""
    body: Any = json.loads(outcome.body)
    if kind is Kind.ANTHROPIC:
        return dumps({"custom_id": custom_id, "result": _result(outcome, body)})
    response = None
    if outcome.code is None:
        response = {"status_code": outcome.status, "request_id": outcome.request_id, "body": body}
    error = None if outcome.code is None else {"code": outcome.code, "message": _told(outcome)}
    line_id = f"batch_{outcome.request_id}"
    return dumps({"id": line_id, "custom_id": custom_id, "response": response, "error": error})


def _result(outcome: Outcome, body: Any) -> dict[str, Any]:
    if outcome.code == "batch_expired":
        return {"type": "expired"}
    if outcome.code == "batch_cancelled":
        return {"type": "canceled"}
    if outcome.code is not None:
        body = {"type": "error", "error": {"type": "api_error", "message": _told(outcome)}}
    if outcome.is_error:
        return {"type": "errored", "error": {**body, "request_id": outcome.request_id}}
    return {"type": "succeeded", "message": body}


def _told(outcome: Outcome) -> str:
    return NOT_RUN[outcome.code or ""]
