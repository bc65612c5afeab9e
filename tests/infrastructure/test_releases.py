"""What a deployment changes is what runs: versions, their aliases, and the canary (decision 0005)."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from samtranslator.model import apigateway

from local.machine.service import PROVIDERS
from local.template import Template, named, read_template
from local.translation import parse_template, translate

PUBLISHED = ("ApiFunction", "GetStatusFunction", "TextFunction")
"""What API Gateway calls through an alias."""
NOT_OF_A_VERSION = {"LocalEndpoint", "TextConcurrency"}
"""Parameters that are for emulators alone, or a setting of the function whichever version runs."""
DESCRIPTION_MAX = 256
"""Of a version (Lambda's API, PublishVersion)."""


class TestVersions:
    def test_other_code_is_published(self, template: Template) -> None:
        changed = with_routes_of()
        changed["Globals"]["Function"]["CodeUri"] = "s3://bucket/other"
        resources = translate(changed)
        for function in PUBLISHED:
            assert version_of(resources, function) != version_of(template.resources, function), function

    @pytest.mark.parametrize(
        ("layer", "functions"),
        [("DependenciesLayer", PUBLISHED), ("ExtraLayer", ("ApiFunction",)), ("SharedLayer", PUBLISHED)],
    )
    def test_another_layer_is_published_though_the_function_is_the_same(
        self, template: Template, layer: str, functions: tuple[str, ...]
    ) -> None:
        changed = with_routes_of()
        changed["Resources"][layer]["Properties"]["ContentUri"] = "s3://bucket/other"
        resources = translate(changed)
        for function in functions:
            assert version_of(resources, function) != version_of(template.resources, function)

    def test_the_same_is_the_same_version(self, template: Template) -> None:
        again = translate(with_routes_of())
        for function in PUBLISHED:
            assert version_of(again, function) == version_of(template.resources, function)

    @pytest.mark.parametrize("function", PUBLISHED)
    def test_another_parameter_is_published(self, template: Template, function: str) -> None:
        # A version is replaced when its description is another; SAM does not look into parameters.
        version = template.resources[version_of(template.resources, function)]
        described = parameters_of(template, version["Properties"]["Description"])
        assert described == parameters_of(template, template.functions()[function]) - NOT_OF_A_VERSION

    @pytest.mark.parametrize("function", PUBLISHED)
    def test_the_description_fits_whatever_the_parameters_are(
        self, template: Template, function: str
    ) -> None:
        description = template.resources[version_of(template.resources, function)]["Properties"][
            "Description"
        ]
        text, given = description["Fn::Sub"]
        longest = {name: longest_value(each) for name, each in template.source["Parameters"].items()}
        longest["LiveProviders"] = ",".join(PROVIDERS)
        longest["Providers"] = joined(given["Providers"], longest)
        assert len(re.sub(r"\$\{(\w+)\}", lambda found: longest[found[1]], text)) <= DESCRIPTION_MAX

    @pytest.mark.parametrize("function", PUBLISHED)
    def test_the_version_before_stays_for_the_way_back(self, template: Template, function: str) -> None:
        version = template.resources[version_of(template.resources, function)]
        assert version["DeletionPolicy"] == "Retain"
        # One that differs in its description alone has the same code, and is no way back
        assert "UpdateReplacePolicy" not in version

    def test_snapstart_is_where_no_web_adapter_is(self, template: Template) -> None:
        started = {name for name, each in template.functions().items() if "SnapStart" in each}
        assert "ApiFunction" in started
        assert not started & {"TextFunction", "GetStatusFunction"}
        # A snapshot is paid for by the month, of the version before too (docs/cost.md).
        chosen = {"Fn::If": ["HasSnapStart", "PublishedVersions", "None"]}
        assert template.functions()["ApiFunction"]["SnapStart"] == {"ApplyOn": chosen}
        assert template.source["Parameters"]["SnapStart"]["Default"] == "false"


class TestParameters:
    """Another value of a parameter reaches what runs: also where a resource is a copy of another's state."""

    def test_each_one_is_of_something(self, template: Template) -> None:
        # The canary's is read by SAM alone, and leaves nothing where it is off.
        used = parameters_of(template, template.resources) | {"CanaryDeployment"}
        assert used == set(template.source["Parameters"])

    def test_the_gateways_definition_is_deployed_anew_each_time(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        deployments = []
        for now_s in (1, 2):
            monkeypatch.setattr(apigateway.time, "time", lambda now_s=now_s: now_s)
            resources = translate(with_routes_of("GetStatusFunction"))
            (deployed,) = (
                n for n, each in resources.items() if each["Type"] == "AWS::ApiGateway::Deployment"
            )
            stages = [each for each in resources.values() if each["Type"] == "AWS::ApiGateway::Stage"]
            assert [each["Properties"]["DeploymentId"] for each in stages] == [{"Ref": deployed}]
            deployments.append(deployed)
        assert deployments[0] != deployments[1]

    def test_the_definition_alone_says_parameters_that_sam_does_not_look_into(
        self, template: Template
    ) -> None:
        # Why: what is new in the definition by a parameter is new for nobody until it is deployed.
        api = template.of_type("AWS::ApiGateway::RestApi")["Api"]
        assert parameters_of(template, api) == {"AllowedOrigin", "DomainName"}


class TestAliases:
    @pytest.mark.parametrize(
        ("function", "method", "path"),
        [("ApiFunction", "get", "/api/v1/user/me"), ("TextFunction", "post", "/api/v1/messages")],
    )
    def test_the_gateway_calls_the_published_version(
        self, template: Template, function: str, method: str, path: str
    ) -> None:
        on = template.openapi()["paths"][path][method]["x-amazon-apigateway-integration"]
        assert f"${{{function}Aliaslive}}" in on["uri"]["Fn::Sub"]

    @pytest.mark.parametrize("function", PUBLISHED)
    def test_the_alias_points_at_it(self, template: Template, function: str) -> None:
        alias = template.resources[f"{function}Aliaslive"]["Properties"]
        assert alias["FunctionVersion"] == {
            "Fn::GetAtt": [version_of(template.resources, function), "Version"]
        }


@pytest.fixture(scope="module")
def canary() -> Template:
    """Return the template as it is with canary deployments."""
    return read_template({"CanaryDeployment": "true"})


class TestCanary:
    def test_it_is_off_where_it_is_not_asked_for(self, template: Template) -> None:
        assert not template.of_type("AWS::CodeDeploy::DeploymentGroup")

    @pytest.mark.parametrize(
        ("function", "alarm"),
        [
            ("ApiFunction", "ApiVersionErrorsAlarm"),
            ("GetStatusFunction", "GetStatusVersionErrorsAlarm"),
            ("TextFunction", "TextVersionErrorsAlarm"),
        ],
    )
    def test_an_alarm_takes_a_version_back(self, canary: Template, function: str, alarm: str) -> None:
        group = canary.of_type("AWS::CodeDeploy::DeploymentGroup")[f"{function}DeploymentGroup"]
        condition, configuration, _ = group["AlarmConfiguration"]["Fn::If"]
        assert canary.source["Conditions"][condition] == {"Fn::Equals": [{"Ref": "CanaryDeployment"}, "true"]}
        alarms = {named(each["Name"]) for each in configuration["Alarms"]}
        assert alarms == {alarm, "ServerFaultsAlarm"}
        assert "DEPLOYMENT_STOP_ON_ALARM" in group["AutoRollbackConfiguration"]["Events"]
        assert "Canary10Percent5Minutes" in str(group["DeploymentConfigName"])
        policy = canary.resources[f"{function}Aliaslive"]["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]
        assert policy["DeploymentGroupName"] == {"Ref": f"{function}DeploymentGroup"}

    @pytest.mark.parametrize("function", PUBLISHED)
    def test_a_version_is_judged_by_itself_and_by_faults_of_ours(
        self, canary: Template, function: str
    ) -> None:
        alarms = canary.of_type("AWS::CloudWatch::Alarm")
        version = alarms[function.replace("Function", "VersionErrorsAlarm")]
        dimensions = {each["Name"]: each["Value"] for each in version["Dimensions"]}
        assert (version["MetricName"], named(dimensions["FunctionName"])) == ("Errors", function)
        assert dimensions["ExecutedVersion"] == {
            "Fn::GetAtt": [version_of(canary.resources, function), "Version"]
        }
        # What providers cause, 502, 503 and 524, takes no version back.
        faults = canary.of_type("AWS::Logs::MetricFilter")["ServerFaultsFilter"]["FilterPattern"]
        assert re.findall(r"\d{3}", faults) == ["500", "504"]


def with_routes_of(*functions: str) -> dict[str, Any]:
    """Return the template with the events of these functions only, because SAM takes long for all of them.

    No version depends on events: `test_the_same_is_the_same_version` compares with the whole template.
    """
    source = parse_template()
    for name, each in source["Resources"].items():
        if each["Type"] == "AWS::Serverless::Function" and name not in functions:
            each["Properties"].pop("Events", None)
    return source


def version_of(resources: dict[str, Any], function: str) -> str:
    """Return the logical id of the version that a deployment publishes: another one is another version."""
    (found,) = (
        name
        for name, each in resources.items()
        if each["Type"] == "AWS::Lambda::Version" and each["Properties"]["FunctionName"] == {"Ref": function}
    )
    return found


def parameters_of(template: Template, value: Any) -> set[str]:
    """Return the parameters that a value is made of, also by its conditions."""
    return {*references(value, template.source["Conditions"])} & set(template.source["Parameters"])


def references(value: Any, conditions: dict[str, Any]) -> Iterator[str]:
    """Return every name that a value refers to: by `Ref`, inside `Fn::Sub`, or in a condition of it."""
    match value:
        case {"Ref": str(name)}:
            yield name
        case {"Fn::Sub": str(text)}:
            yield from re.findall(r"\$\{(\w+)\}", text)
        case {"Fn::Sub": [str(text), dict(given)]}:
            yield from re.findall(r"\$\{(\w+)\}", text)
            yield from references(given, conditions)
        case {"Fn::If": [str(condition), *values]}:
            yield from references(conditions[condition], conditions)
            yield from references(values, conditions)
        case dict():
            # The condition of a resource, or of another condition.
            if isinstance(of := value.get("Condition"), str):
                yield from references(conditions[of], conditions)
            for each in value.values():
                yield from references(each, conditions)
        case list():
            for each in value:
                yield from references(each, conditions)


def joined(value: Any, parameters: dict[str, str]) -> str:
    """Return the value of nested `Fn::Join` with '' and `Fn::Split` of a parameter."""
    match value:
        case {"Ref": str(name)}:
            return parameters[name]
        case {"Fn::Join": ["", {"Fn::Split": [str(mark), inner]}]}:
            return joined(inner, parameters).replace(mark, "")
    raise AssertionError(value)


def longest_value(parameter: dict[str, Any]) -> str:
    """Return the longest text that a parameter may be; of a number without bounds, its default."""
    bounds = [*parameter.get("AllowedValues", []), parameter.get("MaxValue", parameter.get("Default", ""))]
    texts = [*map(str, bounds), "x" * int(parameter.get("MaxLength", 0))]
    return max(texts, key=len)
