"""What AWS takes of a template at most, by its documented quotas; sizes of artifacts are in tests/aws."""

import json
import re
from collections import Counter
from typing import Any

from local.template import ROOT, Properties, Template, read_template
from tollgate.providers.runtime.accounts import accounts

TEMPLATE_MAX_BYTES = 1_000_000
"""From S3, where `sam deploy` puts it; 51,200 in the request itself, which it never is."""
RESOURCES_MAX, PARAMETERS_MAX, OUTPUTS_MAX, MAPPINGS_MAX = 500, 200, 200, 200
VARIABLES_MAX_BYTES = 4 * 1024 * 4 // 5
"""Lambda takes 4 KB; a fifth of that is for tables and queues to come."""
POLICIES_MAX_BYTES = 10_240
"""All inline policies of one role together, without white space."""
RESOURCE_POLICY_MAX_BYTES = 20 * 1024
"""Of a function: what may call it. One statement for each route."""
LAYERS_MAX = 5
API_RESOURCES_MAX = 300
"""Each part of a path is one."""
API_DEFINITION_MAX_BYTES = 6 * 1024 * 1024
ACCESS_LOG_FORMAT_MAX_BYTES = 3 * 1024
ALARM_METRICS_MAX = 10
ALARM_MAX_S, LONG_ALARM_MAX_S, LONG_PERIOD_S = 86_400, 604_800, 3_600
"""PutMetricAlarm: all periods of an alarm together, and those of an hour and more."""
STREAM_READERS_MAX = 2
FILTERS_MAX, FILTER_MAX_CHARACTERS = 5, 4_096
INDEXES_MAX, PROJECTED_MAX = 20, 100
RULE_TARGETS_MAX = 5
TIMEOUT_MAX_S, MEMORY_MB = 900, range(128, 10_241)
GATEWAY_TIMEOUT_S = 29
"""What the gateway waits for, unless an answer is streamed."""
NAMES_MAX = {
    "AWS::Backup::BackupVault": ("BackupVaultName", 50),
    "AWS::CloudFront::OriginAccessControl": ("Name", 64),
    "AWS::CloudFront::CachePolicy": ("Name", 128),
    "AWS::CloudFront::ResponseHeadersPolicy": ("Name", 128),
    "AWS::CloudWatch::Dashboard": ("DashboardName", 255),
    "AWS::Logs::LogGroup": ("LogGroupName", 512),
}
"""Names that begin with the stack's, by the API of each service."""
LONGEST_REGION = "ap-southeast-1"
STACK_NAME = 40
"""Letters that the name of a stack may have (docs/deploy.md)."""
PARAMETERS = read_template().source["Parameters"]
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

    def test_no_alarm_looks_back_further_than_it_may(self, template: Template) -> None:
        for name, alarm in template.of_type("AWS::CloudWatch::Alarm").items():
            stats = [each["MetricStat"] for each in alarm.get("Metrics", []) if "MetricStat" in each]
            period_s = min(each["Period"] for each in (stats or [alarm]))
            most_s = LONG_ALARM_MAX_S if period_s >= LONG_PERIOD_S else ALARM_MAX_S
            assert period_s * alarm["EvaluationPeriods"] <= most_s, name

    def test_names_fit_behind_the_stacks(self, template: Template) -> None:
        for kind, (name, most) in NAMES_MAX.items():
            for properties in template.of_type(kind).values():
                (inner,) = [properties, *(each for each in properties.values() if name in each)][-1:]
                written = inner[name]["Fn::Sub"].replace("${AWS::StackName}", "x" * STACK_NAME)
                assert len(written.replace("${AWS::Region}", LONGEST_REGION)) <= most, (kind, written)


class TestEvents:
    def test_a_stream_has_no_more_than_two_readers(self, template: Template) -> None:
        sources = template.of_type("AWS::Lambda::EventSourceMapping").values()
        readers = Counter(json.dumps(each["EventSourceArn"]) for each in sources)
        assert max(readers.values()) <= STREAM_READERS_MAX

    def test_what_filters_a_stream_fits(self, template: Template) -> None:
        for source in template.of_type("AWS::Lambda::EventSourceMapping").values():
            filters = source.get("FilterCriteria", {}).get("Filters", [])
            assert len(filters) <= FILTERS_MAX
            assert all(len(each["Pattern"]) <= FILTER_MAX_CHARACTERS for each in filters)

    def test_a_schedule_has_no_more_targets_than_it_may(self, template: Template) -> None:
        rules = template.of_type("AWS::Events::Rule").values()
        assert all(len(each["Targets"]) <= RULE_TARGETS_MAX for each in rules)


class TestTables:
    def test_indexes_are_no_more_than_a_table_takes(self, template: Template) -> None:
        for table in template.of_type("AWS::DynamoDB::Table").values():
            indexes = table.get("GlobalSecondaryIndexes", [])
            assert len(indexes) <= INDEXES_MAX
            named = [each["Projection"].get("NonKeyAttributes", []) for each in indexes]
            assert sum(map(len, named)) <= PROJECTED_MAX


class TestFunctions:
    def test_time_and_memory_are_what_lambda_has(self, template: Template) -> None:
        for name, function in template.functions().items():
            assert function["Timeout"] <= TIMEOUT_MAX_S, name
            assert function["MemorySize"] in MEMORY_MB, name

    def test_the_gateway_waits_as_long_as_a_function_that_it_calls(self, template: Template) -> None:
        for path, item in template.openapi()["paths"].items():
            for on in item.values():
                integration = on.get("x-amazon-apigateway-integration", {})
                if "uri" not in integration:
                    continue
                (function,) = (name for name in template.functions() if name in str(integration["uri"]))
                waits_s = integration.get("timeoutInMillis", GATEWAY_TIMEOUT_S * 1000) / 1000
                assert template.functions()[function]["Timeout"] <= waits_s, path

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
            variables = template.functions()[function]["Environment"]["Variables"]
            size = sum(len(name) + len(filled(value)) for name, value in variables.items())
            assert size < VARIABLES_MAX_BYTES, (function, size)

    def test_a_queues_address_is_what_stands_before_the_others(self, template: Template) -> None:
        for function in template.functions():
            written = template.functions()[function]["Environment"]["Variables"].get("QUEUES")
            if written is not None:
                first, *others = re.findall(r"=\$\{(\w+)(\.QueueName)?\}", written["Fn::Sub"])
                assert first[1] == "", function
                assert all(attribute for _, attribute in others), function

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
        too_long = {name: size for name, size in sizes.items() if size > RESOURCE_POLICY_MAX_BYTES}
        advice = "let one event with `Method: ANY` or a path with `{proxy+}` serve several routes"
        assert not too_long, f"In template.yaml, {advice} of {too_long}"

    def test_routes_are_no_more_than_an_api_takes(self, template: Template) -> None:
        definition = template.openapi()
        parts = [path.strip("/").split("/") for path in definition["paths"]]
        resources = {tuple(each[:depth]) for each in parts for depth in range(len(each) + 1)}
        assert len(resources) <= API_RESOURCES_MAX
        assert len(json.dumps(definition)) <= API_DEFINITION_MAX_BYTES

    def test_a_line_of_the_gateways_log_fits(self, template: Template) -> None:
        (stage,) = template.of_type("AWS::ApiGateway::Stage").values()
        assert len(stage["AccessLogSetting"]["Format"]) <= ACCESS_LOG_FORMAT_MAX_BYTES


def name_of(logical_id: str) -> str:
    """Return a name as long as CloudFormation's for a resource: the stack's, ours, and twelve letters.

    A queue's is its address, before which stands that of SQS.
    """
    before = "https://sqs.ap-southeast-1.amazonaws.com/123456789012/" if logical_id.endswith("Queue") else ""
    return f"{before}{'x' * STACK_NAME}-{logical_id}-{'x' * 12}"


def longest_of(name: str) -> str:
    """Return what a `Ref` gives at its longest, on AWS: of a parameter its value, else a resource's name."""
    if name in ("AWS::NoValue", "LocalEndpoint"):
        return ""
    if name == "LiveProviders":
        return ",".join(accounts())
    if name not in PARAMETERS:
        return name_of(name)
    parameter = PARAMETERS[name]
    known = (*parameter.get("AllowedValues", ()), parameter.get("MaxValue", ""))
    return max(map(str, known), key=len) or "x" * parameter.get("MaxLength", len(LONGEST))


def filled(value: Any) -> str:
    """Return a value as the text that it becomes, without white space, each unknown name at its longest."""

    def fill(part: Any) -> Any:
        match part:
            case {"Ref": _} | {"Fn::GetAtt": _}:
                return longest_of(part["Ref"]) if "Ref" in part else LONGEST
            case {"Fn::Sub": str(text)} | {"Fn::Sub": [str(text), _]}:
                return re.sub(r"\$\{([^}]+)\}", lambda found: _filled_in(found[1]), text)
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


def _filled_in(named: str) -> str:
    """Return what stands for a name in a text, at its longest."""
    logical_id, _, attribute = named.partition(".")
    if attribute == "DomainName":
        return "d111111abcdef8.cloudfront.net"
    if attribute == "QueueName":
        return name_of(logical_id).rpartition("/")[2]
    if named == "AWS::StackName":
        return "x" * STACK_NAME
    return LONGEST if attribute or "::" in named else name_of(logical_id)


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
