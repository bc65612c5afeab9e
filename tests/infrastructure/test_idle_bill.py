"""What a stack costs while nobody uses it: its bound, and that each part of it is counted (docs/cost.md)."""

from decimal import Decimal
from typing import Any

import pytest

from local.template import Template
from tests.bench.cost.idle import TIMERS, Stack, bill, deployed, runs_a_month, total_usd

MOST_USD = {"default": Decimal(10), "prod": Decimal(20)}


def stack_of(template: Template, environment: str, **parameters: str) -> Stack:
    """Return the stack that samconfig.toml deploys, with other parameters."""
    return Stack(template, deployed(environment) | parameters)


def usd(template: Template, environment: str, **parameters: str) -> Decimal:
    """Return what it costs in a month."""
    return total_usd(bill(stack_of(template, environment, **parameters)))


@pytest.mark.parametrize("environment", MOST_USD)
def test_a_stack_without_traffic_stays_below_its_bound(template: Template, environment: str) -> None:
    lines = bill(stack_of(template, environment))
    parts = ", ".join(f"{line.what} {line.usd:.2f}" for line in lines if line.usd)
    bound = f"{environment} may cost ${MOST_USD[environment]} a month without traffic (decision 0048)"
    assert total_usd(lines) <= MOST_USD[environment], f"{bound}: {parts}"


@pytest.mark.parametrize(
    ("environment", "parameters", "more"),
    [
        # By hand: two versions of 1 GB for 730 hours, 2 × 730 × 3600 × 0.0000015046.
        ("default", {"SnapStart": "true"}, "7.91"),
        ("default", {"OperationsDashboard": "true"}, "3.00"),
        # An ACL and its one rule.
        ("default", {"RequestsPerAddress": "3000"}, "6.00"),
        ("prod", {"RequestsPerAddress": "0"}, "-6.00"),
        # The three alarms of the versions that are tried.
        ("prod", {"CanaryDeployment": "false"}, "-0.30"),
    ],
)
def test_what_is_asked_for_is_in_the_bill(
    template: Template, environment: str, parameters: Any, more: str
) -> None:
    difference = usd(template, environment, **parameters) - usd(template, environment)
    assert round(difference, 2) == Decimal(more)


def test_eight_queues_are_polled(template: Template) -> None:
    # By hand: 8 queues × 5 pollers × 3 a minute × 43,800 minutes × $0.40 a million.
    (line,) = (one for one in bill(stack_of(template, "prod")) if "queues" in one.what)
    assert round(line.usd, 2) == Decimal("2.10")


def test_each_timer_is_known(template: Template) -> None:
    assert runs_a_month(stack_of(template, "prod")).keys() == TIMERS.keys()


def test_nothing_that_is_paid_for_by_the_month_is_left_out(template: Template) -> None:
    # Types whose price by the month is in the bill, and those that cost nothing without traffic.
    counted = {
        *("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm", "AWS::CloudWatch::Dashboard"),
        *("AWS::Events::Rule", "AWS::Lambda::EventSourceMapping", "AWS::Lambda::Function"),
        *("AWS::SecretsManager::Secret", "AWS::WAFv2::WebACL", "AWS::DynamoDB::Table", "AWS::S3::Bucket"),
        *("AWS::Backup::BackupPlan", "AWS::Lambda::Version"),
    }
    free = {
        *("AWS::ApiGateway::", "AWS::Backup::", "AWS::Budgets::", "AWS::CloudFront::", "AWS::CodeDeploy::"),
        *("AWS::Cognito::", "AWS::IAM::", "AWS::Lambda::Alias", "AWS::Lambda::LayerVersion"),
        "AWS::Lambda::EventInvokeConfig",
        *("AWS::Lambda::Permission", "AWS::Logs::", "AWS::Route53::RecordSet", "AWS::S3::BucketPolicy"),
        *("AWS::SNS::", "AWS::SQS::Queue", "AWS::SSM::Parameter", "AWS::WAFv2::WebACLAssociation"),
    }
    types = {each["Type"] for each in stack_of(template, "prod").resources.values()}
    assert {each for each in types - counted if not each.startswith(tuple(free))} == set()
