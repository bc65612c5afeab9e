"""Which functions Lambda would stop as a loop: those that can run themselves again, by queues and
invocations.

Found in the event sources and roles of the template and in the recorded calls. Streams and schedules are no
part of a chain: Lambda's recursive loop detection follows SQS, SNS, S3 and its own `Invoke` (Lambda
Developer Guide, "Use Lambda recursive loop detection to prevent infinite loops").
"""

from collections import defaultdict
from collections.abc import Iterable

import pytest

from local.template import Template, named
from tests.support.iam import recording
from tests.support.iam.rights import roles

Edge = tuple[str, str]
"""A function, and one that it runs."""
FOLLOWED = ("sqs:SendMessage", "lambda:InvokeFunction", "sns:Publish", "s3:PutObject")


def followed(template: Template) -> set[tuple[str, str, str]]:
    """Return what functions may do or did that Lambda follows: function, action, logical id of the
    resource."""
    may = {
        (function, right.action, right.resource)
        for function, role in roles(template).items()
        for right, _ in role.rights()
    }
    did = {(function, request.action, request.resource) for function, request in recording.read()}
    return {
        (function, action, resource.removeprefix("${").partition(".")[0])
        for function, action, resource in may | did
        if action in FOLLOWED
    }


def edges(template: Template) -> set[Edge]:
    """Return which function runs which, by a queue or by an invocation."""
    readers: dict[str, set[str]] = defaultdict(set)
    for source in template.of_type("AWS::Lambda::EventSourceMapping").values():
        readers[named(source["EventSourceArn"])].add(named(source["FunctionName"]))
    found = set()
    for function, action, target in followed(template):
        reached = {target} if action == "lambda:InvokeFunction" else readers[target]
        found |= {(function, each) for each in reached}
    return found


def on_a_loop(found: Iterable[Edge]) -> set[str]:
    """Return the functions from which a way leads back to them."""
    after: dict[str, set[str]] = defaultdict(set)
    for function, reached in found:
        after[function].add(reached)
    return {function for function in list(after) if function in _reached(after, function)}


def _reached(after: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = set(after[start])
    while waiting:
        function = waiting.pop()
        if function not in found:
            found.add(function)
            waiting |= after.get(function, set())
    return found


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([("a", "a")], {"a"}),
        ([("a", "b"), ("b", "c")], set()),
        ([("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")], {"b", "c"}),
    ],
)
def test_a_loop_may_go_through_other_functions(found: list[Edge], expected: set[str]) -> None:
    assert on_a_loop(found) == expected


def test_what_can_run_itself_again_is_allowed_to_and_nothing_else_is(template: Template) -> None:
    settings = {name: each.get("RecursiveLoop") for name, each in template.functions().items()}
    allowed = {name for name, setting in settings.items() if setting == "Allow"}
    assert on_a_loop(edges(template)) == allowed
    assert allowed == {"DeliverWebhookFunction", "RunBatchFunction", "RunTaskFunction"}


def test_no_event_comes_from_a_bucket_or_a_topic(template: Template) -> None:
    # `edges` would have to follow them.
    buckets = template.of_type("AWS::S3::Bucket").values()
    assert not [each for each in buckets if "NotificationConfiguration" in each]
    subscriptions = template.of_type("AWS::SNS::Subscription").values()
    assert {each["Protocol"] for each in subscriptions} == {"email"}
