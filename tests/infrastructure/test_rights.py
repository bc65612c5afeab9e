"""What the functions ask of AWS against their roles: a right that is missing and a right that nobody needs
both fail.

The calls are those of all functional tests (`tests/support/iam/calls.json`), and those that Lambda makes
with a function's role for its event sources.
"""

import json
from collections import defaultdict
from collections.abc import Iterator

from local.template import Template, named
from tests.support.iam import recording
from tests.support.iam.recording import Call
from tests.support.iam.rights import Request, roles

QUEUE_ACTIONS = ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")
"""Lambda Developer Guide, "Using Lambda with Amazon SQS": the permissions of the execution role."""
STREAM_ACTIONS = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
"""Lambda Developer Guide, "Using Lambda with Amazon DynamoDB": the permissions of the execution role."""

NEVER_SEEN = {
    (function, right)
    for by_function in json.loads((recording.PATH.parent / "unseen.json").read_text()).values()
    for function, rights in by_function.items()
    for right in rights
}
"""Rights that no recorded call uses; the file says why they stay."""


def calls_of_lambda(template: Template) -> Iterator[Call]:
    """Yield what Lambda asks for the event sources of the functions."""
    for source in template.of_type("AWS::Lambda::EventSourceMapping").values():
        function, origin = named(source["FunctionName"]), named(source["EventSourceArn"])
        if origin.endswith(".StreamArn"):
            table = origin.removesuffix(".StreamArn")
            for action in STREAM_ACTIONS:
                yield function, Request(f"dynamodb:{action}", f"${{{table}.Arn}}/stream/LABEL")
            lost = named(source["DestinationConfig"]["OnFailure"]["Destination"])
            yield function, Request("sqs:SendMessage", f"${{{lost}.Arn}}")
        else:
            for action in QUEUE_ACTIONS:
                yield function, Request(f"sqs:{action}", f"${{{origin}.Arn}}")


def calls(template: Template) -> dict[str, list[Request]]:
    """Return all calls by function."""
    found: dict[str, list[Request]] = defaultdict(list)
    for function, request in sorted({*recording.read(), *calls_of_lambda(template)}, key=str):
        found[function].append(request)
    return found


RECORD = (
    "A new test adds its calls: TOLLGATE_RECORD_CALLS=1 .venv/bin/python -m pytest -q tests/functional/<file>"
)


class TestRights:
    def test_every_call_is_allowed(self, template: Template) -> None:
        known = roles(template)
        denied = [
            f"{function} may not: {request}"
            for function, requests in calls(template).items()
            for request in requests
            if not known[function].allows(request)
        ]
        assert denied == []

    def test_without_any_one_right_a_call_is_denied(self, template: Template) -> None:
        made = calls(template)
        removed, unused = 0, set[tuple[str, str]]()
        for function, role in roles(template).items():
            for right, left in role.rights():
                removed += 1
                if all(left.allows(request) for request in made[function] if role.allows(request)):
                    unused.add((function, str(right)))
        assert removed > 300
        assert unused - NEVER_SEEN == set(), f"no recorded call needs these rights. {RECORD}"
        assert NEVER_SEEN - unused == set(), "unseen.json has rights that calls use, or that are gone"
