"""`make on-instances`: changes a build to run text on Lambda Managed Instances (decision 0034).

    TextFunction                     one request per process, billed by its time
    TextOnInstancesFunction          many requests per process, on EC2 instances of the account

It cannot be a parameter of template.yaml. SAM allows no condition in `CapacityProviderConfig`, and no route
to two functions. Lambda cannot convert one kind of function to the other. So another function replaces the
first, with all references to it.
"""

import re
import sys
from pathlib import Path
from typing import Any

import yaml
from samtranslator.yaml_helper import yaml_parse

from local.throwaway import BUILT

FUNCTION, ON_INSTANCES = "TextFunction", "TextOnInstancesFunction"
PROVIDER = "TextInstances"
# Lambda's minimum with one vCPU. The process is one event loop and cannot use more of them.
MEMORY_MB, GIB_PER_VCPU = 2_048, 2
# Reserved concurrency is for functions on demand. On instances, the number of environments is the limit.
GONE = {"Parameters": "TextConcurrency", "Conditions": "HasTextConcurrency"}
PARAMETERS: dict[str, dict[str, Any]] = {
    "TextSubnetIds": {
        "Type": "List<AWS::EC2::Subnet::Id>",
        "Description": "Subnets of the instances: in three zones, with a way out (NAT), to providers",
    },
    "TextSecurityGroupIds": {
        "Type": "List<AWS::EC2::SecurityGroup::Id>",
        "Description": "Outgoing rules of the instances; they need no incoming rule",
    },
    "TextRequestsPerEnvironment": {
        "Type": "Number",
        "Default": 64,
        "MinValue": 1,
        "MaxValue": 1600,
        "Description": "Text requests at once in one process",
    },
    "TextMinEnvironments": {
        "Type": "Number",
        "Default": 3,
        "MinValue": 3,
        "MaxValue": 15000,
        "Description": "Processes that always run, one in each zone",
    },
    "TextMaxEnvironments": {
        "Type": "Number",
        "Default": 15,
        "MinValue": 3,
        "MaxValue": 15000,
        "Description": "Most processes",
    },
    "TextMaxVCpus": {
        "Type": "Number",
        "Default": 30,
        "MinValue": 6,
        "MaxValue": 15000,
        "Description": "Most virtual CPUs of all instances, which is what bounds their price",
    },
}


def on_instances(text: str) -> str:
    """Return a built template whose text function runs on instances.

    Raises `ValueError` if it has no text function.
    """
    template: dict[str, Any] = yaml_parse(re.sub(rf"\b{FUNCTION}\b", ON_INSTANCES, text))
    if ON_INSTANCES not in template.get("Resources", {}):
        raise ValueError(f"no {FUNCTION} in it")
    for section, name in GONE.items():
        del template[section][name]
    template["Parameters"] |= PARAMETERS
    template["Resources"] |= _instances()
    properties = template["Resources"][ON_INSTANCES]["Properties"]
    del properties["ReservedConcurrentExecutions"]
    # The only format of logs for instances.
    properties["LoggingConfig"]["LogFormat"] = "JSON"
    properties |= {
        "MemorySize": MEMORY_MB,
        "CapacityProviderConfig": {
            "Arn": {"Fn::GetAtt": [PROVIDER, "Arn"]},
            "PerExecutionEnvironmentMaxConcurrency": {"Ref": "TextRequestsPerEnvironment"},
            "ExecutionEnvironmentMemoryGiBPerVCpu": GIB_PER_VCPU,
        },
        "FunctionScalingConfig": {
            "MinExecutionEnvironments": {"Ref": "TextMinEnvironments"},
            "MaxExecutionEnvironments": {"Ref": "TextMaxEnvironments"},
        },
    }
    return yaml.safe_dump(template, sort_keys=False, width=120)


def _instances() -> dict[str, Any]:
    """Return the instances, and the role with which Lambda starts and ends them."""
    role = {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "lambda.amazonaws.com"},
                        "Action": "sts:AssumeRole",
                        "Condition": {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}},
                    }
                ],
            },
            "ManagedPolicyArns": [
                {"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/AWSLambdaManagedEC2ResourceOperator"}
            ],
        },
    }
    provider = {
        "Type": "AWS::Lambda::CapacityProvider",
        "Properties": {
            "VpcConfig": {
                "SubnetIds": {"Ref": "TextSubnetIds"},
                "SecurityGroupIds": {"Ref": "TextSecurityGroupIds"},
            },
            "PermissionsConfig": {
                "CapacityProviderOperatorRoleArn": {"Fn::GetAtt": [f"{PROVIDER}Role", "Arn"]}
            },
            "InstanceRequirements": {"Architectures": [{"Ref": "Architecture"}]},
            "CapacityProviderScalingConfig": {
                "MaxVCpuCount": {"Ref": "TextMaxVCpus"},
                "ScalingMode": "Auto",
            },
        },
    }
    return {f"{PROVIDER}Role": role, PROVIDER: provider}


if __name__ == "__main__":
    source, target = [Path(named) for named in sys.argv[1:3]] or [BUILT, BUILT]
    target.write_text(on_instances(source.read_text()))
    print(f"{target} runs text on instances; deploy it with TextSubnetIds and TextSecurityGroupIds")
