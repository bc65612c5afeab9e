"""Which service a command is about."""

import json
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tollgate.command.errors import CommandError
from tollgate.command.place import ENVIRONMENT, local_place, place_of, stack_bucket

LOCAL = {
    "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_REGION": "us-east-1",
    "CONFIG_BUCKET": "bucket-1",
}


class Stacks:
    """CloudFormation with one stack."""

    def __init__(self, **outputs: str) -> None:
        self.outputs = outputs

    def describe_stacks(self, *, StackName: str) -> Any:  # noqa: N803 - the SDK's own word
        if StackName != "tollgate-dev":
            message = f"Stack with id {StackName} does not exist"
            raise ClientError({"Error": {"Code": "ValidationError", "Message": message}}, "DescribeStacks")
        outputs = [{"OutputKey": name, "OutputValue": value} for name, value in self.outputs.items()]
        return {"Stacks": [{"Outputs": outputs} if outputs else {}]}


class TestLocalPlace:
    def test_is_what_the_running_service_left(self, tmp_path: Path) -> None:
        (tmp_path / ENVIRONMENT).write_text(json.dumps(LOCAL))
        place = place_of(None, tmp_path)
        assert place.name == "the local service"
        assert (place.document.bucket, place.document.key) == ("bucket-1", "catalog.json")
        assert place.document.client.meta.endpoint_url == "http://127.0.0.1:1"

    def test_when_none_runs_it_says_what_to_do(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match=r"`make run`, or name a stack with --stack"):
            local_place(tmp_path)

    def test_one_from_before_there_was_a_bucket_is_told_apart(self, tmp_path: Path) -> None:
        (tmp_path / ENVIRONMENT).write_text(json.dumps({"AWS_REGION": "us-east-1"}))
        with pytest.raises(CommandError, match="Start it again"):
            local_place(tmp_path)


class TestStackBucket:
    def test_is_an_output(self) -> None:
        stacks = Stacks(BaseUrl="https://x", ConfigBucketName="bucket-2")
        assert stack_bucket(stacks, "tollgate-dev") == "bucket-2"

    @pytest.mark.parametrize("outputs", [{}, {"BaseUrl": "https://x"}])
    def test_a_stack_without_it_is_too_old(self, outputs: dict[str, str]) -> None:
        with pytest.raises(CommandError, match="no output ConfigBucketName"):
            stack_bucket(Stacks(**outputs), "tollgate-dev")

    def test_a_stack_that_is_not_there_is_said_in_one_line(self) -> None:
        with pytest.raises(CommandError, match="The stack nope cannot be read: Stack with id nope does not"):
            stack_bucket(Stacks(), "nope")
