"""Changes one parameter of a stack by an update."""

from typing import TYPE_CHECKING, Any

from tollgate.command.target import StackFacts

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient

POLL_S = 5
# 20 minutes: a stack with canary deployments takes about 6.
MAX_POLLS = 240


def update_parameter(
    cloudformation: "CloudFormationClient", facts: StackFacts, parameter: str, value: str
) -> None:
    """Update the stack with another value of a parameter and wait. Raises the errors of the waiter."""
    kept: list[Any] = [
        {"ParameterKey": name, "UsePreviousValue": True} for name in facts.parameters if name != parameter
    ]
    cloudformation.update_stack(
        StackName=facts.name,
        UsePreviousTemplate=True,
        Parameters=[*kept, {"ParameterKey": parameter, "ParameterValue": value}],
        # SAM's transform creates the roles
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
    )
    waiter = cloudformation.get_waiter("stack_update_complete")
    waiter.wait(StackName=facts.name, WaiterConfig={"Delay": POLL_S, "MaxAttempts": MAX_POLLS})
