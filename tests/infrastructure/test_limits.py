"""What AWS takes of a template at most, by its documented quotas; sizes of artifacts are in tests/aws."""

import json
from typing import Any

from local.template import ROOT, Properties, Template

TEMPLATE_MAX_BYTES = 1_000_000
"""From S3, where `sam deploy` puts it; 51,200 in the request itself, which it never is."""
RESOURCES_MAX, PARAMETERS_MAX, OUTPUTS_MAX, MAPPINGS_MAX = 500, 200, 200, 200
VARIABLES_MAX_BYTES = 4 * 1024
POLICIES_MAX_BYTES = 10_240
"""All inline policies of one role together, without white space."""
RESOURCE_POLICY_MAX_BYTES = 20 * 1024
"""Of a function: what may call it. One statement for each route."""
LAYERS_MAX = 5
ROUTES_MAX = 300
ALARM_METRICS_MAX = 10
STACK_NAME = 40
"""Letters of a longer name of a stack than anybody gives it."""
LONGEST = "x" * 100
"""In place of each name that is known at the deployment alone: longer than an ARN of ours."""


class TestTemplate:
    def test_it_is_small_enough(self, template: Template) -> None:
        made = json.dumps({"Resources": template.resources, "Outputs": template.source["Outputs"]})
        assert len(made) < TEMPLATE_MAX_BYTES
        assert len((ROOT / "template.yaml").read_bytes()) < TEMPLATE_MAX_BYTES

    def test_it_has_no_more_parts_than_allowed(self, template: Template) -> None:
        assert len(template.resources) <= RESOURCES_MAX
        assert len(template.source["Parameters"]) <= PARAMETERS_MAX
        assert len(template.source["Outputs"]) <= OUTPUTS_MAX

    def test_it_exports_nothing(self, template: Template) -> None:
        # An export is one name for a whole region, and cannot change while it is used
        assert not [name for name, each in template.source["Outputs"].items() if "Export" in each]

    def test_every_alarm_adds_up_no_more_than_it_may(self, template: Template) -> None:
        for name, alarm in template.of_type("AWS::CloudWatch::Alarm").items():
            assert (
                len([each for each in alarm.get("Metrics", []) if "MetricStat" in each]) <= ALARM_METRICS_MAX
            ), name


class TestFunctions:
    def test_streams_can_be_kept_from_starving_the_rest(self, template: Template) -> None:
        places = {
            name: each["ReservedConcurrentExecutions"]["Fn::If"]
            for name, each in template.functions().items()
            if "ReservedConcurrentExecutions" in each
        }
        none = {"Ref": "AWS::NoValue"}
        assert places == {
            "TextFunction": ["HasTextConcurrency", {"Ref": "TextConcurrency"}, none],
            "DispatchChangesFunction": ["HasReservedConcurrency", 4, none],
            "SweepFunction": ["HasReservedConcurrency", 2, none],
        }

    def test_settings_fit(self, template: Template) -> None:
        for function in template.functions():
            variables = template.variables(function)
            size = sum(len(name) + len(filled(value)) for name, value in variables.items())
            assert size < VARIABLES_MAX_BYTES, (function, size)

    def test_inline_policies_fit(self, template: Template) -> None:
        for function in template.functions():
            documents = [policy["PolicyDocument"] for policy in template.role(function).get("Policies", [])]
            size = sum(len(filled(document)) for document in documents)
            assert size < POLICIES_MAX_BYTES, (function, size)

    def test_layers_are_no_more_than_five(self, template: Template) -> None:
        assert all(len(each["Layers"]) <= LAYERS_MAX for each in template.functions().values())

    def test_what_may_call_a_function_fits(self, template: Template) -> None:
        sizes: dict[str, int] = {}
        for permission in template.of_type("AWS::Lambda::Permission").values():
            function = json.dumps(permission["FunctionName"])
            sizes[function] = sizes.get(function, 0) + statement_bytes(permission)
        assert max(sizes.values()) <= RESOURCE_POLICY_MAX_BYTES, sizes

    def test_routes_are_no_more_than_an_api_takes(self, template: Template) -> None:
        assert len(template.openapi()["paths"]) <= ROUTES_MAX


def name_of(logical_id: str) -> str:
    """Return a name as long as CloudFormation's for a resource: the stack's, ours, and twelve letters.

    A queue's is its address, before which stands that of SQS.
    """
    before = "https://sqs.ap-southeast-1.amazonaws.com/123456789012/" if logical_id.endswith("Queue") else ""
    return f"{before}{'x' * STACK_NAME}-{logical_id}-{'x' * 12}"


def filled(value: Any) -> str:
    """Return a value as the text that it becomes, without white space, each unknown name at its longest."""

    def fill(part: Any) -> Any:
        match part:
            case {"Ref": _} | {"Fn::GetAtt": _}:
                return name_of(part["Ref"]) if "Ref" in part else LONGEST
            case {"Fn::Sub": str(text)} | {"Fn::Sub": [str(text), _]}:
                return LONGEST + text.rpartition("}")[2]
            case {"Fn::If": [_, there, other]}:
                return max(fill(there), fill(other), key=lambda found: len(json.dumps(found)))
            case dict():
                return {name: fill(each) for name, each in part.items()}
            case list():
                return [fill(each) for each in part]
            case _:
                return part

    found = fill(value)
    return found if isinstance(found, str) else json.dumps(found, separators=(",", ":"))


def statement_bytes(permission: Properties) -> int:
    """Return how long a statement of a function's resource policy is, as Lambda keeps it."""
    statement = {
        "Sid": "x" * 64,  # the stack's name, the logical id and a suffix
        "Effect": "Allow",
        "Principal": {"Service": permission["Principal"]},
        "Action": "lambda:InvokeFunction",
        "Resource": LONGEST,
        "Condition": {"ArnLike": {"AWS:SourceArn": LONGEST}},
    }
    return len(json.dumps(statement, separators=(",", ":")))
