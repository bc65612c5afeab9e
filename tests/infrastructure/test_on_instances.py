"""`make on-instances`: the same service, with another function in the place of the one that serves text."""

import json
from typing import Any

import pytest
from samtranslator.yaml_helper import yaml_parse

from local.on_instances import FUNCTION, ON_INSTANCES, PARAMETERS, PROVIDER, on_instances
from local.template import ROOT, Template
from local.translation import translate

LEAST_MEMORY_MB = 2_048
"""https://docs.aws.amazon.com/lambda/latest/dg/lambda-managed-instances-best-practices.html"""
MOST_AT_ONCE = 1_600
"""https://docs.aws.amazon.com/lambda/latest/api/API_LambdaManagedInstancesCapacityProviderConfig.html"""


@pytest.fixture(scope="module")
def changed() -> Template:
    text = on_instances((ROOT / "template.yaml").read_text())
    return Template(yaml_parse(text), translate(yaml_parse(text)))


def test_the_template_as_it_is_has_no_instances(template: Template) -> None:
    assert template.of_type("AWS::Lambda::CapacityProvider") == {}
    assert "CapacityProviderConfig" not in template.functions()[FUNCTION]


def test_a_template_without_the_function_is_refused() -> None:
    with pytest.raises(ValueError, match=FUNCTION):
        on_instances("Resources: {}")


def test_nothing_is_left_of_the_function_on_demand(changed: Template) -> None:
    assert FUNCTION not in json.dumps(changed.resources).replace(ON_INSTANCES, "")


def test_every_route_of_text_goes_there_as_a_stream(template: Template, changed: Template) -> None:
    before, after = (json.dumps(one.openapi()) for one in (template, changed))
    assert before.replace(f"${{{FUNCTION}Aliaslive}}", f"${{{ON_INSTANCES}Aliaslive}}") == after
    assert after.count(f"${{{ON_INSTANCES}Aliaslive}}") == before.count(f"${{{FUNCTION}Aliaslive}}") > 0


def test_it_may_do_what_it_could(template: Template, changed: Template) -> None:
    assert changed.permissions(ON_INSTANCES) == template.permissions(FUNCTION)
    assert changed.variables(ON_INSTANCES) == template.variables(FUNCTION)


def test_all_else_is_as_it_was(template: Template, changed: Template) -> None:
    """But for what stands for the first function, its versions, and alarms about them."""
    same = {
        name
        for name, resource in template.resources.items()
        if FUNCTION not in name and FUNCTION not in json.dumps(resource) and "ApiDeployment" not in name
    }
    assert len(same) > 150
    for name in same - {"ApiliveStage"}:
        assert changed.resources[name] == template.resources[name]


def test_the_function_is_what_lambda_takes(changed: Template) -> None:
    properties = changed.functions()[ON_INSTANCES]
    assert properties["MemorySize"] >= LEAST_MEMORY_MB
    assert properties["Runtime"] == "python3.13"
    assert properties["LoggingConfig"]["LogFormat"] == "JSON"
    # Not to be had with a capacity provider
    assert not properties.keys() & {"ReservedConcurrentExecutions", "SnapStart", "VpcConfig"}
    config = properties["CapacityProviderConfig"]["LambdaManagedInstancesCapacityProviderConfig"]
    assert config["CapacityProviderArn"] == {"Fn::GetAtt": [PROVIDER, "Arn"]}
    assert config["PerExecutionEnvironmentMaxConcurrency"] == {"Ref": "TextRequestsPerEnvironment"}
    assert PARAMETERS["TextRequestsPerEnvironment"]["MaxValue"] == MOST_AT_ONCE


def test_sizes_and_network_are_parameters(changed: Template) -> None:
    used = json.dumps([changed.resources[PROVIDER], changed.resources[ON_INSTANCES]])
    parameters: dict[str, Any] = changed.source["Parameters"]
    for name in PARAMETERS:
        assert f'{{"Ref": "{name}"}}' in used
        assert parameters[name]["Description"]
    assert "TextConcurrency" not in parameters
