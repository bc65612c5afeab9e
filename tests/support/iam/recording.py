"""What the functions asked of AWS in the last full run of the functional tests: `calls.json`."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.support.iam.rights import Request

PATH = Path(__file__).parent / "calls.json"

Call = tuple[str, Request]
"""The function that made it, by its logical id, and what it needs."""


def read() -> set[Call]:
    """Return the calls of the last full run."""
    return of_json(json.loads(PATH.read_text())) if PATH.exists() else set()


def write(calls: Iterable[Call]) -> None:
    """Write calls in the place of those of the last run."""
    PATH.write_text(json.dumps(as_json(calls), indent=1) + "\n")


def as_json(calls: Iterable[Call]) -> dict[str, list[str]]:
    """Return calls as lines by function, sorted: action, resource, and condition keys as `name=value`."""
    found: dict[str, list[str]] = defaultdict(list)
    for function, request in calls:
        keys = (f"{name}={value}" for name, value in request.context)
        found[function].append(" ".join((request.action, request.resource, *keys)))
    return {function: sorted(lines) for function, lines in sorted(found.items())}


def of_json(lines: Mapping[str, Sequence[str]]) -> set[Call]:
    """Return calls from what `as_json` made of them."""
    return {(function, _request(line)) for function, some in lines.items() for line in some}


def _request(line: str) -> Request:
    action, resource, *keys = line.split(" ")
    context = tuple((name, value) for name, _, value in (key.partition("=") for key in keys))
    return Request(action, resource, context)
