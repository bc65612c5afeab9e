"""What `make run KEEP=1` kept, and a template that is another now."""

from typing import Any

import pytest
from moto import mock_aws

from local.machine.clients import Clients
from local.machine.stack import Stack
from local.processes import LocalError
from local.template import Template


def created(kind: str, properties: dict[str, Any]) -> Stack:
    """Return a stack of one resource, as it is after its creation."""
    stack = Stack(
        Template({"Parameters": {}}, {"Thing": {"Type": kind, "Properties": properties}}),
        Clients.at(None),
        {},
    )
    stack.create({})
    return stack


def table(key: str) -> dict[str, Any]:
    return {
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }


@mock_aws
def test_a_queue_that_was_kept_gets_the_attributes_of_now() -> None:
    created("AWS::SQS::Queue", {"VisibilityTimeout": 360})
    stack = created("AWS::SQS::Queue", {"VisibilityTimeout": 1800, "MessageRetentionPeriod": 86_400})
    found = stack.clients.sqs.get_queue_attributes(QueueUrl=stack.refs["Thing"], AttributeNames=["All"])
    assert found["Attributes"]["VisibilityTimeout"] == "1800"
    assert found["Attributes"]["MessageRetentionPeriod"] == "86400"


@mock_aws
def test_a_table_that_was_kept_with_other_keys_is_refused_in_words() -> None:
    created("AWS::DynamoDB::Table", table("account_id"))
    with pytest.raises(LocalError, match=r"kept by another version of the template: rm -r \.local/kept"):
        created("AWS::DynamoDB::Table", table("task_id"))
