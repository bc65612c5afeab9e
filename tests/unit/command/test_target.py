"""Which service a command is about."""

import json
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tollgate.command.errors import CommandError
from tollgate.command.target import ENVIRONMENT, local_target, stack_environment, stack_facts, target_of

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
        target = target_of(None, tmp_path)
        assert target.name == "the local service"
        assert (target.document.bucket, target.document.key) == ("bucket-1", "catalog.json")
        assert target.document.client.meta.endpoint_url == "http://127.0.0.1:1"

    def test_when_none_runs_it_says_what_to_do(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match=r"`make run`, or give a stack with --stack"):
            local_target(tmp_path)

    def test_a_file_that_is_cut_off_is_named(self, tmp_path: Path) -> None:
        (tmp_path / ENVIRONMENT).write_text('{"AWS_REGION": "us-')
        with pytest.raises(CommandError, match=f"{ENVIRONMENT} is no JSON: restart the service"):
            local_target(tmp_path)

    def test_one_from_before_there_was_a_bucket_is_told_apart(self, tmp_path: Path) -> None:
        (tmp_path / ENVIRONMENT).write_text(json.dumps({"AWS_REGION": "us-east-1"}))
        with pytest.raises(CommandError, match="Restart it"):
            local_target(tmp_path)


class TestStackFacts:
    def test_an_output(self) -> None:
        stacks = Stacks(BaseUrl="https://x", ConfigBucketName="bucket-2")
        assert stack_facts(stacks, "tollgate-dev").output("ConfigBucketName") == "bucket-2"

    @pytest.mark.parametrize("outputs", [{}, {"BaseUrl": "https://x"}])
    def test_a_stack_without_it_is_too_old(self, outputs: dict[str, str]) -> None:
        with pytest.raises(CommandError, match="no output ConfigBucketName"):
            stack_facts(Stacks(**outputs), "tollgate-dev").output("ConfigBucketName")

    def test_a_stack_that_is_not_there_is_said_in_one_line(self) -> None:
        with pytest.raises(CommandError, match="The stack nope cannot be read: Stack with id nope does not"):
            stack_facts(Stacks(), "nope")


class Resources:
    """A stack's resources in two pages, and its functions."""

    def __init__(self, *missing: str) -> None:
        self.missing = missing

    def paginate(self, *, StackName: str) -> Any:  # noqa: N803 - the SDK's own word
        if StackName != "tollgate-dev":
            message = f"Stack with id {StackName} does not exist"
            raise ClientError(
                {"Error": {"Code": "ValidationError", "Message": message}}, "ListStackResources"
            )
        pages = [
            ["ApiFunction", "TaskDeadLetterQueue", "AccountsTable"],
            ["RunTaskFunction", "WebhookDeadLetterQueue", "ChangesDeadLetterQueue"],
            ["CheckLedgerFunction", "DashboardFunction", "DispatchChangesFunction", "RecordUsageFunction"],
            ["RunBatchFunction"],
            [
                "UsageDeadLetterQueue",
                "RefillDeadLetterQueue",
                "MailDeadLetterQueue",
                "ThumbnailDeadLetterQueue",
                "BatchDeadLetterQueue",
            ],
        ]
        for page in pages:
            made = [name for name in page if name not in self.missing]
            # One that CloudFormation could not make has no physical id.
            yield {
                "StackResourceSummaries": [
                    {"LogicalResourceId": name, "PhysicalResourceId": f"{name}-1"} for name in made
                ]
                + [{"LogicalResourceId": name} for name in page if name in self.missing]
            }

    def get_function_configuration(self, *, FunctionName: str) -> Any:  # noqa: N803 - as above
        variables = {
            "ApiFunction-1": {"TABLES": "tasks=t-1, api_keys=k-1"},
            "RunTaskFunction-1": {"TASKS_TABLE": "t-1", "PROVIDERS_TABLE": "p-1"},
            "CheckLedgerFunction-1": {"CHECKPOINTS_TABLE": "c-1"},
            "DashboardFunction-1": {"IDENTITIES_TABLE": "i-1"},
            "DispatchChangesFunction-1": {"THUMBNAIL_QUEUE_URL": "q-1"},
            "RecordUsageFunction-1": {"USAGE_TABLE": "u-1"},
            "RunBatchFunction-1": {"BATCH_QUEUE_URL": "b-1"},
        }
        return {"Environment": {"Variables": variables[FunctionName]}}


class TestStackEnvironment:
    def test_is_that_of_its_functions_with_its_dead_letter_queues(self) -> None:
        stack = Resources()
        assert stack_environment(stack, stack, "tollgate-dev") == {
            "TASKS_TABLE": "t-1",
            "API_KEYS_TABLE": "k-1",
            "PROVIDERS_TABLE": "p-1",
            "CHECKPOINTS_TABLE": "c-1",
            "IDENTITIES_TABLE": "i-1",
            "THUMBNAIL_QUEUE_URL": "q-1",
            "USAGE_TABLE": "u-1",
            "BATCH_QUEUE_URL": "b-1",
            "TASK_DLQ_URL": "TaskDeadLetterQueue-1",
            "WEBHOOK_DLQ_URL": "WebhookDeadLetterQueue-1",
            "CHANGES_DLQ_URL": "ChangesDeadLetterQueue-1",
            "USAGE_DLQ_URL": "UsageDeadLetterQueue-1",
            "REFILL_DLQ_URL": "RefillDeadLetterQueue-1",
            "MAIL_DLQ_URL": "MailDeadLetterQueue-1",
            "THUMBNAIL_DLQ_URL": "ThumbnailDeadLetterQueue-1",
            "BATCH_DLQ_URL": "BatchDeadLetterQueue-1",
        }

    @pytest.mark.parametrize("missing", ["RunTaskFunction", "ChangesDeadLetterQueue"])
    def test_a_stack_without_a_part_is_too_old(self, missing: str) -> None:
        stack = Resources(missing)
        with pytest.raises(CommandError, match=f"The stack tollgate-dev has no {missing}: deploy it again"):
            stack_environment(stack, stack, "tollgate-dev")

    def test_a_stack_that_is_not_there_is_said_in_one_line(self) -> None:
        with pytest.raises(CommandError, match="The stack nope cannot be read: Stack with id nope does not"):
            stack_environment(Resources(), Resources(), "nope")
